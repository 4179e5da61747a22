"""What preemption says: candidates with their victims, the choice, and why other nodes are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.bounded_cache import array_bytes
from kschedctl.framework.status import Code, Status


class Candidate(Struct, frozen=True):
    """A node on which evicting pods makes room.

    Attributes:
        row: the node.
        victims: ids of the pods to evict, the most important first; an extender may name one several times.
        violations: how many of them break a disruption budget.
        breaking: the victims that do.
    """

    row: int
    victims: tuple[int, ...]
    violations: int
    breaking: frozenset[int] = frozenset()

    @property
    def evicted(self) -> tuple[int, ...]:
        """The victims, each once."""
        return tuple(dict.fromkeys(self.victims))


class Candidates(Mapping[int, Candidate]):
    """Candidates by node row, kept as columns: one becomes a value when somebody looks at it.

    Attributes:
        rows: int64 (C,), the nodes, in the order in which they were tried.
        bounds: int64 (C + 1,), where the victims of each begin; each has at least one.
        victims: int64 (V,), ids of the pods to evict, the most important of each node first.
        breaking: bool (V,), whether they break a disruption budget.
        stated: int64 (C,), how many budgets are broken as an extender says; None: as many as victims break one.
    """

    def __init__(
        self,
        rows: npt.NDArray[np.int64],
        bounds: npt.NDArray[np.int64],
        victims: npt.NDArray[np.int64],
        breaking: npt.NDArray[np.bool_],
        stated: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.rows = rows
        self.bounds = bounds
        self.victims = victims
        self.breaking = breaking
        self.stated = stated

    @classmethod
    def none(cls) -> Candidates:
        """No candidate."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, np.zeros(1, np.int64), nothing, np.zeros(0, bool))

    @property
    def violations(self) -> npt.NDArray[np.int64]:
        """int64 (C,): how many budgets are broken."""
        return self.stated if self.stated is not None else self.total(self.breaking.astype(np.int64))

    def total(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Sums over the victims of each candidate: int64 (V,) -> (C,)."""
        return np.add.reduceat(values, self.bounds[:-1]) if len(self.rows) else np.zeros(0, np.int64)

    def first(self, count: int) -> Candidates:
        """The first of them alone."""
        end = int(self.bounds[min(count, len(self))])
        rows, bounds = self.rows[:count], self.bounds[: count + 1]
        stated = None if self.stated is None else self.stated[:count]
        return Candidates(rows, bounds, self.victims[:end], self.breaking[:end], stated)

    def among(self, rows: npt.NDArray[np.int64]) -> Candidates:
        """Those of some nodes, int64 (R,), in their order."""
        at = np.full(max(int(rows.max(initial=-1)), int(self.rows.max(initial=-1))) + 1, -1, np.int64)
        at[self.rows] = np.arange(len(self.rows))
        chosen = at[rows]
        chosen = chosen[chosen >= 0]
        sizes = np.diff(self.bounds)[chosen]
        bounds = np.append(0, np.cumsum(sizes))
        victims = np.arange(bounds[-1]) + np.repeat(self.bounds[chosen] - bounds[:-1], sizes)
        stated = None if self.stated is None else self.stated[chosen]
        return Candidates(self.rows[chosen], bounds, self.victims[victims], self.breaking[victims], stated)

    def with_rows(self, rows: npt.NDArray[np.int64], others: Candidates) -> Candidates:
        """The same with other candidates on some nodes, int64 (R,); none of both is stated by an extender."""
        kept = self.among(self.rows[~np.isin(self.rows, rows)])
        return Candidates(
            np.append(kept.rows, others.rows),
            np.append(kept.bounds, kept.bounds[-1] + others.bounds[1:]),
            np.append(kept.victims, others.victims),
            np.append(kept.breaking, others.breaking),
        )

    @property
    def nbytes(self) -> int:
        """What its arrays take."""
        return array_bytes(self.rows, self.bounds, self.victims, self.breaking, self.stated)

    @cached_property
    def _place(self) -> dict[int, int]:
        return dict(zip(self.rows.tolist(), range(len(self.rows)), strict=True))

    def __getitem__(self, row: int) -> Candidate:
        at = self._place[row]
        span = slice(int(self.bounds[at]), int(self.bounds[at + 1]))
        breaking = frozenset(self.victims[span][self.breaking[span]].tolist())
        violations = len(breaking) if self.stated is None else int(self.stated[at])
        return Candidate(row, tuple(self.victims[span].tolist()), violations, breaking)

    def __iter__(self) -> Iterator[int]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self.rows)


class DryRun(Struct, frozen=True):
    """What the tried nodes gave: candidates by row, and statuses of the others, which may be errors."""

    candidates: Candidates
    failed: dict[int, Status]

    @property
    def errors(self) -> dict[int, str]:
        """Row -> text of the nodes that cannot be judged."""
        return {row: status.message for row, status in self.failed.items() if status.code is Code.ERROR}


class PreemptionResult(Struct, frozen=True):
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
        keeps_nomination: whether the pod stays nominated where it was, although nodes were tried.
    """

    eligible: bool
    candidates: Mapping[int, Candidate] = field(default_factory=dict)
    failed: Mapping[int, Status] = field(default_factory=dict)
    criteria: Mapping[int, str] = field(default_factory=dict)
    chosen: tuple[int, ...] = ()
    nominated: int | None = None
    message: str = ""
    error: bool = False
    keeps_nomination: bool = False
