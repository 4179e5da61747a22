"""Which of several pods is more important: higher priority, then the earlier start (spec 01 §9.2 d)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodTable
from kschedctl.cluster.start_times import NO_START, start_times

from .go_sort import INSERTION_LIMIT, go_sort

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Victims:
    """Pods that may be evicted, flat, grouped by the row they are on.

    Attributes:
        pods: int64 (V,), ids.
        rows: int64 (V,), position of the row in the potential nodes, ascending.
        ranks: int64 (V,), 0, 1, 2, ... within each row.
    """

    pods: Ints
    rows: Ints
    ranks: Ints

    def by_rank(self, rows: int) -> list[Ints]:
        """Per rank the pod of each row: int64 (rows,) with -1 where a row has no pod of that rank."""
        depth = int(self.ranks.max(initial=-1)) + 1
        table = np.full((depth, rows), -1, np.int64)
        table[self.ranks, self.rows] = self.pods
        return list(table)


def ranked(pods: Ints, rows: Ints) -> Victims:
    """Victims from flat arrays (V,) that are already ordered within each row; rows ascending."""
    starts = np.searchsorted(rows, rows, side="left")
    return Victims(pods, rows, np.arange(len(pods)) - starts)


def by_importance(table: PodTable, victims: Victims) -> Victims:
    """The victims of each row, the most important first.

    Up to 12 pods a row the order of kube-scheduler is that of an insertion sort: stable, but pods without start
    time come out in reverse. Longer rows with equal pods follow Go's procedure step by step.
    """
    pods, rows = victims.pods, victims.rows
    priority = table.class_priority[table.klass[pods]]
    start = start_times(table, pods)
    tie = np.where(start == NO_START, -victims.ranks, victims.ranks)
    order = np.lexsort((tie, start, -priority, rows))
    pods = pods[order]
    for row in _rows_with_long_ties(rows, priority[order], start[order]):
        here = rows == row
        pods[here] = sort_by_importance(table, victims.pods[here].tolist())
    return Victims(pods, rows, victims.ranks)


def _rows_with_long_ties(rows: Ints, priority: Ints, start: Ints) -> list[int]:
    equal = (rows[1:] == rows[:-1]) & (priority[1:] == priority[:-1]) & (start[1:] == start[:-1])
    tied = np.unique(rows[1:][equal])
    lengths = np.bincount(rows)[tied] if len(tied) else tied
    return [int(row) for row in tied[lengths > INSERTION_LIMIT]]


def sort_by_importance(table: PodTable, pods: list[int]) -> list[int]:
    """One list of pods, the most important first, as Go's sort leaves it."""
    priority = table.class_priority[table.klass[pods]].tolist()
    start = start_times(table, pods).tolist()
    order = list(range(len(pods)))

    def less(x: int, y: int) -> bool:
        if priority[x] != priority[y]:
            return bool(priority[x] > priority[y])
        # The clock is read for x first, then for y: without start times each is "earlier" than the other.
        return bool(start[x] < start[y]) or start[x] == start[y] == NO_START

    go_sort(order, less)
    return [pods[i] for i in order]
