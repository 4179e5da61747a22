"""Which of several pods is more important: higher priority, then the earlier start (spec 01 §9.2 d)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.start_times import NO_START, start_times
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.versions import Facts
from kschedctl.objects.go_sort import INSERTION_LIMIT, go_sort

Ints = npt.NDArray[np.int64]


class Victims(Struct, frozen=True):
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
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    starts = np.repeat(begins, np.diff(begins, append=len(rows)))
    return Victims(pods, rows, np.arange(len(pods)) - starts)


def by_importance(cluster: ClusterState, victims: Victims, facts: Facts) -> Victims:
    """The victims of each row, the most important first.

    Where each victim without start time gets one moment, in the order of the node's list, these come last and
    keep that order, and no two of them are equal (spec 06 §3.4). Where the clock is read at each comparison:

    Up to 12 pods a row the order of kube-scheduler is that of an insertion sort: stable, but pods without start
    time come out in reverse. Longer rows with equal pods follow Go's procedure step by step, once for all rows
    whose pods stand in the same pattern.
    """
    pods, rows = victims.pods, victims.rows
    priority = cluster.pods.classes.priority[cluster.pods.pod_class[pods]]
    start = start_times(cluster, pods)
    unstarted = start == NO_START
    clock = facts.unstarted_pods_read_the_clock
    tie = np.where(unstarted & clock, -victims.ranks, victims.ranks)
    moment = np.where(unstarted & (not clock), cluster.pods.place[pods], 0)
    order = np.lexsort((tie, moment, start, -priority, rows))
    level, tied = _levels(rows, priority[order], start[order], moment[order])
    levels = np.empty_like(level)
    levels[order] = 2 * level + (unstarted & clock)[order]
    known: dict[bytes, Ints] = {}
    for lo, hi in tied:
        pattern = levels[lo:hi].tobytes()
        if pattern not in known:
            known[pattern] = _as_go_sorts(levels[lo:hi].tolist())
        order[lo:hi] = lo + known[pattern]
    return Victims(pods[order], rows, victims.ranks)


def _levels(rows: Ints, priority: Ints, start: Ints, moment: Ints) -> tuple[Ints, list[tuple[int, int]]]:
    """How many different pods of its row come before each, for pods in order of importance.

    Returns:
        int64 (V,), and begin and end of the rows with equal pods that are too long for an insertion sort.
    """
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    ends = np.append(begins[1:], len(rows))
    differs = np.zeros(len(rows), bool)
    for column in (priority, start, moment):
        differs |= np.diff(column, prepend=0) != 0
    differs[begins] = False
    steps = np.cumsum(differs)
    level = steps - np.repeat(steps[begins], ends - begins)
    different = np.add.reduceat(differs, begins, dtype=np.int64) + 1 if len(begins) else begins
    tied = (ends - begins > INSERTION_LIMIT) & (different < ends - begins)
    return level, list(zip(begins[tied].tolist(), ends[tied].tolist(), strict=True))


def _as_go_sorts(levels: list[int]) -> Ints:
    """The order in which Go's sort leaves pods of these levels, which are odd for pods without start time."""
    order = list(range(len(levels)))

    def less(x: int, y: int) -> bool:
        # The clock is read for x first, then for y: without start times each is "earlier" than the other.
        return levels[x] < levels[y] or (levels[x] == levels[y] and levels[x] % 2 == 1)

    go_sort(order, less)
    return np.array(order, np.int64)
