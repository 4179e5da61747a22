"""Pods nominated to a node that a candidate has to leave their place (spec 01 §5.5)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Rivals(Struct, frozen=True):
    """Those of a candidate, on the rows where it has any.

    Attributes:
        at: int64 (k,), positions of these rows.
        pods: int64 (depth, k), ids of the nominated pods of equal or higher priority, in nominator order from the
            top, -1 for none.
        in_flight: int64 (k,), how many are seen as pods without requests, of priority 0: only their number counts.
    """

    at: Ints
    pods: Ints
    in_flight: Ints

    def __len__(self) -> int:
        return len(self.at)


def rivals_among(pod: PodRecord, rows: Rows, among: Mask | None = None) -> Rivals:
    """The rivals of a candidate on rows, `among`: bool (R,), the rows to look at, None for all."""
    cluster = rows.cluster
    nodes, pods = cluster.nominations.by_row(cluster.nodes)
    named, unseen = _named(pod, pods, cluster)
    counts = named | unseen
    nodes, pods, named, unseen = nodes[counts], pods[counts], named[counts], unseen[counts]
    begins = np.diff(nodes, prepend=-1) != 0
    crowded, place = nodes[begins], np.cumsum(begins) - 1
    column = np.full(cluster.nodes.count, -1, np.int64)
    column[crowded] = np.arange(len(crowded))
    mine = column[rows.index]
    at = np.flatnonzero(mine >= 0 if among is None else (mine >= 0) & among)
    chosen = mine[at]
    table = _by_turn(place[named], pods[named], len(crowded))
    return Rivals(at, table[:, chosen], np.bincount(place[unseen], minlength=len(crowded))[chosen])


def _named(pod: PodRecord, nominated: Ints, cluster: ClusterState) -> tuple[Mask, Mask]:
    """Which of the nominated pods count for a candidate as they are, and which by their number alone, bool (K,)."""
    table = cluster.pods
    named = table.classes.priority[table.pod_class[nominated]] >= pod.priority
    if cluster.nominations.of_uid(pod.pod.uid):
        named &= ~_same(pod, nominated, cluster)
    if not cluster.in_flight:
        return named, np.zeros(len(nominated), bool)
    flying = np.isin(nominated, list(cluster.in_flight))
    unseen = flying & ~_same(pod, nominated, cluster) & (pod.priority <= 0)
    return named & ~flying, unseen


def _same(pod: PodRecord, nominated: Ints, cluster: ClusterState) -> Mask:
    """Which of the nominated pods are the candidate, perhaps as another record: bool (K,)."""
    records = cluster.pods.records
    return np.array([o == pod.id or records[o].pod.uid == pod.pod.uid for o in nominated.tolist()], bool)


def _by_turn(columns: Ints, pods: Ints, count: int) -> Ints:
    """The pods of each column from the top, int64 (depth, count); columns, int64 (K,), are ascending."""
    begins = np.flatnonzero(np.diff(columns, prepend=-1))
    turns = np.arange(len(columns)) - np.repeat(begins, np.diff(begins, append=len(columns)))
    table = np.full((int(turns.max(initial=-1)) + 1, count), -1, np.int64)
    table[turns, columns] = pods
    return table
