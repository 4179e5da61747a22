"""Which nodes fit a pod, and why the others do not, as a value that outlives the cluster it was found in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.framework.status import Status
from kschedctl.scheduling.decision import Decision

Ints = npt.NDArray[np.int64]


class NodesAlike(Struct, frozen=True):
    """Nodes that do not fit for the same reasons.

    Attributes:
        nodes: their names, in snapshot order.
        why: every plugin that rejects them, in the order of the profile, where every plugin was asked; else the first.
            Empty: nobody looked at them, since enough nodes fit.
    """

    nodes: tuple[str, ...]
    why: tuple[Status, ...]


class Diagnosis(Struct, frozen=True, dict=True):
    """The nodes as far as a pod is concerned.

    Attributes:
        fits: names of the nodes that fit, in the order of the search.
        rejected: the others, the largest group first.
    """

    fits: tuple[str, ...] = ()
    rejected: tuple[NodesAlike, ...] = ()

    @cached_property
    def by_node(self) -> Mapping[str, tuple[Status, ...]]:
        """Node -> who rejects it, of all nodes that do not fit."""
        return {node: group.why for group in self.rejected for node in group.nodes}

    def why(self, node: str) -> tuple[Status, ...]:
        """Who rejects a node; empty where it fits, or nobody looked at it."""
        return self.by_node.get(node, ())


def diagnosis_of(decision: Decision, scope: Ints | None = None) -> Diagnosis:
    """What a decision says of nodes; `scope`, int64 (n,), are those that it was about, None for all.

    Raises:
        StaleDecisionError: the cluster is not as it was decided in.
    """
    names = decision.cluster.nodes.names
    feasible = [] if decision.feasible is None else decision.feasible.tolist()
    order = decision.cluster.present.order if scope is None else scope
    groups: dict[object, list[int]] = {}
    if decision.evaluation is not None:
        keys = _keys(decision)
        fits = set(feasible)
        for row in order.tolist():
            if row not in fits:
                groups.setdefault(keys[row], []).append(row)
    rejected = [
        NodesAlike(tuple(names[row] for row in rows), decision.failures_of(rows[0]))
        for rows in groups.values()
    ]
    rejected.sort(key=lambda group: -len(group.nodes))
    fitting = tuple(names[row] for row in feasible if row < len(names))
    return Diagnosis(fitting, tuple(rejected))


def _keys(decision: Decision) -> list[object]:
    """For each row a key: rows with equal keys are rejected for the same reasons."""
    count = decision.cluster.nodes.count
    if decision.by_extenders is not None:
        return list(range(count))
    if decision.filters is None or decision.examined is None:
        return [None] * count
    alike = zip(decision.filters.alike(), decision.examined.tolist(), strict=True)
    return [key if examined else None for key, examined in alike]
