"""How full a node should get: the three scoring strategies of NodeResourcesFit (spec 02 D.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


def usable(state: Sequence[Packing], rows: Rows) -> Iterator[tuple[Packing, Mask, Ints, Ints]]:
    """Each resource that counts, with the rows that have it, their allocatable and the amount in use after.

    The allocatable of a row without the resource is 1, so that it can be divided by.
    """
    for packing in state:
        if not packing.counts:
            continue
        usage = rows.non_zero if packing.column in (CPU, MEMORY) else rows.requested
        total, used = packing.amounts(rows, usage)
        has = total != 0
        yield packing, has, np.where(has, total, 1), used + packing.added


def least_allocated(state: Sequence[Packing], rows: Rows, strategy: ScoringStrategy) -> Ints:
    """The emptier, the better, int64 (R,)."""

    def score(total: Ints, used: Ints) -> Ints:
        free = truncated_divide((total - used) * MAX_SCORE, total)
        return np.where(used > total, 0, free)

    return _weighted_mean(state, rows, score)


def most_allocated(state: Sequence[Packing], rows: Rows, strategy: ScoringStrategy) -> Ints:
    """The fuller, the better, int64 (R,)."""

    def score(total: Ints, used: Ints) -> Ints:
        return truncated_divide(np.minimum(used, total) * MAX_SCORE, total)

    return _weighted_mean(state, rows, score)


def _weighted_mean(state: Sequence[Packing], rows: Rows, score: Callable[[Ints, Ints], Ints]) -> Ints:
    total = np.zeros(len(rows), np.int64)
    weights = np.zeros(len(rows), np.int64)
    everywhere = True
    for packing, has, allocatable, used in usable(state, rows):
        scores = score(allocatable, used) * packing.weight
        if has.all():  # the usual case, two thirds of the work
            total += scores
            weights += packing.weight
        else:
            everywhere = False
            total += np.where(has, scores, 0)
            weights += np.where(has, packing.weight, 0)
    if everywhere and weights.all():
        return truncated_divide(total, weights)
    return np.where(weights == 0, 0, truncated_divide(total, np.where(weights == 0, 1, weights)))


def requested_to_capacity_ratio(state: Sequence[Packing], rows: Rows, strategy: ScoringStrategy) -> Ints:
    """A broken line over utilisation, int64 (R,); resources that score 0 leave both sums, and halves round up."""
    assert strategy.requested_to_capacity_ratio is not None
    shape = [
        (point.utilization, point.score * _SHAPE_SCALE)
        for point in strategy.requested_to_capacity_ratio.shape
    ]
    total = np.zeros(len(rows), np.int64)
    weights = np.zeros(len(rows), np.int64)
    for packing, has, allocatable, used in usable(state, rows):
        share = truncated_divide(used * MAX_SCORE, allocatable)
        scores = broken_line(shape, np.where(used > allocatable, MAX_SCORE, share))
        counts = has & (scores > 0)
        total += np.where(counts, scores * packing.weight, 0)
        weights += np.where(counts, packing.weight, 0)
    mean = total.astype(np.float64) / np.where(weights == 0, 1, weights)
    return np.where(weights == 0, 0, np.floor(mean + 0.5)).astype(np.int64)


def broken_line(shape: Sequence[tuple[int, int]], points: Ints) -> Ints:
    """Value of the broken line at each point, int64 (R,); division truncates toward zero (spec 02 D.0)."""
    values = np.full(len(points), shape[-1][1], np.int64)
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
