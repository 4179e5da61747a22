"""How full a node should get: the three scoring strategies of NodeResourcesFit (spec 02 D.8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from kschedctl.cluster.rows import Rows
from kschedctl.framework.arithmetic import truncated_divide

if TYPE_CHECKING:
    from kschedctl.dra.class_counts import ClassCounts
    from kschedctl.framework.configuration.args import ScoringStrategy

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
MAX_SCORE = 100
_SHAPE_SCALE = 10
"""Shape scores are 0..10, node scores 0..100."""


class Packing(Struct, frozen=True):
    """One configured resource: its column, its weight, and what the pod adds to it."""

    column: int
    weight: int
    added: int
    devices: ClassCounts | None = None
    """What stands for the resource on nodes that have none themselves."""

    @property
    def counts(self) -> bool:
        """Whether it counts at all: a scalar resource that the pod does not ask for counts nowhere."""
        return self.added != 0 or self.column <= EPHEMERAL_STORAGE

    def amounts(self, rows: Rows, usage: Ints) -> tuple[Ints, Ints]:
        """What each row has of the resource and what is in use, int64 (R,); a row with 0 does not count.

        Args:
            rows: the rows.
            usage: int64 (R, columns), what pods use by the account of the plugin.
        """
        total, used = rows.allocatable[:, self.column], usage[:, self.column]
        if self.devices is None:
            return total, used
        lacks = total == 0
        return (
            np.where(lacks, self.devices.total[rows.index], total),
            np.where(lacks, self.devices.taken()[rows.index], used),
        )


class Usable(Struct, frozen=True):
    """The resources that count, in configured order.

    Attributes:
        resources: the K resources.
        weights: int64 (K, 1).
        has: bool (K, R), rows that have each.
        everywhere: whether all have all.
        total: int64 (K, R), allocatable; 1 where a row has none, so that it can be divided by.
        used: int64 (K, R), in use once the pod is there.
    """

    resources: Sequence[Packing]
    weights: Ints
    has: Mask
    everywhere: bool
    total: Ints
    used: Ints

    @classmethod
    def of(cls, state: Sequence[Packing], rows: Rows) -> Usable:
        """Those of some rows."""
        counting = [packing for packing in state if packing.counts]
        amounts = np.array(
            [
                p.amounts(rows, rows.non_zero if p.column in (CPU, MEMORY) else rows.requested)
                for p in counting
            ],
            np.int64,
        ).reshape(len(counting), 2, len(rows))
        figures = np.array([(packing.weight, packing.added) for packing in counting], np.int64).reshape(-1, 2)
        total = amounts[:, 0]
        has = total != 0
        everywhere = np.count_nonzero(has) == has.size
        if not everywhere:
            total = np.where(has, total, 1)
        return cls(counting, figures[:, :1], has, everywhere, total, amounts[:, 1] + figures[:, 1:])

    def sums(self, scores: Ints, counts: Mask) -> tuple[Ints, Ints]:
        """Weighted scores, int64 (K, R), and weights summed over those that count, bool (K, R): int64 (R,) each."""
        total = np.where(counts, scores * self.weights, 0).sum(axis=0)
        return total, np.where(counts, self.weights, 0).sum(axis=0)


def least_allocated(state: Sequence[Packing], rows: Rows, strategy: ScoringStrategy) -> Ints:
    """The emptier, the better, int64 (R,)."""
    usable = Usable.of(state, rows)
    total, used = usable.total, usable.used
    free = truncated_divide((total - used) * MAX_SCORE, total)
    return _weighted_mean(usable, np.where(used > total, 0, free))


def most_allocated(state: Sequence[Packing], rows: Rows, strategy: ScoringStrategy) -> Ints:
    """The fuller, the better, int64 (R,)."""
    usable = Usable.of(state, rows)
    share = truncated_divide(np.minimum(usable.used, usable.total) * MAX_SCORE, usable.total)
    return _weighted_mean(usable, share)


def _weighted_mean(usable: Usable, scores: Ints) -> Ints:
    """The mean of scores, int64 (K, R), over the resources that each row has."""
    weight = int(usable.weights.sum())
    if usable.everywhere and weight:  # the usual case, half of the work
        return truncated_divide((scores * usable.weights).sum(axis=0), weight)
    total, weights = usable.sums(scores, usable.has)
    return np.where(weights == 0, 0, truncated_divide(total, np.where(weights == 0, 1, weights)))


def requested_to_capacity_ratio(state: Sequence[Packing], rows: Rows, strategy: ScoringStrategy) -> Ints:
    """A broken line over utilisation, int64 (R,); resources that score 0 leave both sums, and halves round up."""
    assert strategy.requested_to_capacity_ratio is not None
    shape = [
        (point.utilization, point.score * _SHAPE_SCALE)
        for point in strategy.requested_to_capacity_ratio.shape
    ]
    usable = Usable.of(state, rows)
    share = truncated_divide(usable.used * MAX_SCORE, usable.total)
    scores = broken_line(shape, np.where(usable.used > usable.total, MAX_SCORE, share))
    total, weights = usable.sums(scores, usable.has & (scores > 0))
    mean = total.astype(np.float64) / np.where(weights == 0, 1, weights)
    return np.where(weights == 0, 0, np.floor(mean + 0.5)).astype(np.int64)


def broken_line(shape: Sequence[tuple[int, int]], points: Ints) -> Ints:
    """Value of the broken line at each point, int64, of any shape; division truncates toward zero (spec 02 D.0)."""
    values = np.full(points.shape, shape[-1][1], np.int64)
    # From right to left, so that each point keeps the first segment that reaches it.
    for (u0, s0), (u1, s1) in zip(reversed(shape[:-1]), reversed(shape[1:]), strict=True):
        inner = s0 + truncated_divide((s1 - s0) * (points - u0), u1 - u0)
        values = np.where(points <= u1, inner, values)
    return np.where(points <= shape[0][0], shape[0][1], values)


SCORERS: dict[str, Callable[[Sequence[Packing], Rows, ScoringStrategy], Ints]] = {
    "LeastAllocated": least_allocated,
    "MostAllocated": most_allocated,
    "RequestedToCapacityRatio": requested_to_capacity_ratio,
}
