"""Which nodes are looked at, in which order, and when the search stops (spec 01 §5.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.state import ClusterState
from kschedctl.framework.runtime import PreFilterPhase

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_SMALL_CLUSTER = 100
_LEAST_PERCENTAGE = 5


class NodeSearch(Struct, frozen=True):
    """The nodes that a search looked at.

    Attributes:
        examined: int64 (E,), rows in order, up to and including the one that ended the search.
        feasible: int64 (F,), those that passed.
    """

    examined: Ints
    feasible: Ints

    def including(self, row: int) -> NodeSearch:
        """The same with a feasible node that may lie outside the order."""
        if row in self.feasible:
            return self
        return NodeSearch(np.append(self.examined, row), np.append(self.feasible, row))

    def without(self, rows: Ints) -> NodeSearch:
        """The same without some rows, int64 (k,), that nobody says anything of after all."""
        if not len(rows):
            return self
        return NodeSearch(
            self.examined[~np.isin(self.examined, rows)], self.feasible[~np.isin(self.feasible, rows)]
        )


def sampling_target(nodes: int, percentage: int) -> int:
    """How many feasible nodes end the search; a percentage of 0 adapts to the number of nodes."""
    if nodes < _SMALL_CLUSTER:
        return nodes
    if percentage == 0:
        percentage = max(50 - nodes // 125, _LEAST_PERCENTAGE)
    return max(nodes * percentage // 100, _SMALL_CLUSTER)


def confined_rows(phase: PreFilterPhase, cluster: ClusterState) -> Ints:
    """Rows that the PreFilter results leave, in snapshot order, int64 (n,)."""
    if phase.nodes is None:
        return cluster.present.order
    rows = [row for name in phase.nodes if (row := cluster.row_of(name)) is not None]
    order = cluster.present.order
    return order[np.isin(order, rows)]


def search(order: Ints, passed: Mask, start: int, target: int | None) -> NodeSearch:
    """Walk the nodes in order, from a start on and around.

    Args:
        order: int64 (n,), rows that may be looked at, in snapshot order.
        passed: bool (N,), which rows pass all filters.
        start: where to begin, counted on `order`.
        target: stop at the first feasible node beyond so many; None looks at all.
    """
    turn = start % len(order) if len(order) else 0
    walked = np.roll(order, -turn) if turn else order
    hits = passed[walked]
    if target is not None:
        beyond = np.flatnonzero(np.cumsum(hits) > target)
        if len(beyond):
            # The node too many is dropped without a status: it was seen, but counts nowhere.
            walked, hits = walked[: beyond[0]], hits[: beyond[0]]
    return NodeSearch(walked, walked[hits])
