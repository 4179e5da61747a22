"""What preemption says: candidates with their victims, the choice, and why other nodes are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kschedctl.framework.status import Status


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node on which evicting pods makes room.

    Attributes:
        row: the node.
        victims: ids of the pods to evict, the most important first.
        violations: how many of them break a disruption budget.
        breaking: the victims that do.
    """

    row: int
    victims: tuple[int, ...]
    violations: int
    breaking: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PreemptionResult:
    """The answer of DefaultPreemption for one pod (spec 01 §9).

    Attributes:
        eligible: whether nodes were tried at all.
        candidates: by node row, in the order in which the nodes were tried.
        failed: potential nodes that are no candidates, with the status that says why.
        criteria: node row -> the criterion by which it lost against the chosen ones.
        chosen: rows on which the choice can fall; several where the real one picks at random.
        nominated: the first of them by name, None where there is no candidate.
        message: the message of PostFilter without the prefix, empty where a node was chosen.
        error: whether the message is that of an error.
    """

    eligible: bool
    candidates: Mapping[int, Candidate] = field(default_factory=dict)
    failed: Mapping[int, Status] = field(default_factory=dict)
    criteria: Mapping[int, str] = field(default_factory=dict)
    chosen: tuple[int, ...] = ()
    nominated: int | None = None
    message: str = ""
    error: bool = False
