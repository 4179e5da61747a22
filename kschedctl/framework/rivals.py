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
    """Those of one node.

    Attributes:
        pods: ids of the nominated pods of equal or higher priority, in nominator order.
        in_flight: how many are seen as pods without requests, of priority 0: only their number counts.
    """

    pods: tuple[int, ...]
    in_flight: int

    def __bool__(self) -> bool:
        return bool(self.pods or self.in_flight)


def rivals_on(row: int, pod: PodRecord, cluster: ClusterState) -> Rivals:
    """The rivals of a candidate on the node of a row."""
    records, in_flight = cluster.pods.records, cluster.in_flight
    others = [
        other
        for other in cluster.nominations.get(cluster.nodes.names[row], ())
        if other != pod.id and records[other].pod.uid != pod.pod.uid
    ]
    return Rivals(
        tuple(o for o in others if o not in in_flight and records[o].priority >= pod.priority),
        sum(other in in_flight for other in others) if pod.priority <= 0 else 0,
    )


def rivals_among(pod: PodRecord, rows: Rows, among: Mask | None = None) -> tuple[Ints, list[Rivals]]:
    """The rows on which a candidate has rivals, positions int64 (k,), with these; `among`: bool (R,), None for all."""
    cluster = rows.cluster
    if not cluster.nominations:
        return np.zeros(0, np.int64), []
    crowded = cluster.nominations.on_rows(cluster.nodes)[rows.index]
    at = np.flatnonzero(crowded if among is None else crowded & among)
    found = [rivals_on(row, pod, cluster) for row in rows.index[at].tolist()]
    return at[np.fromiter(map(bool, found), bool, len(found))], [rivals for rivals in found if rivals]
