"""The nodes of a table that are there, and the order in which the scheduler looks at them (spec 01 §4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class PresentNodes(Struct, frozen=True, eq=False):
    """Which of the N rows of a node table are nodes of the cluster: a value, another one for other nodes.

    Attributes:
        mask: bool (N,), the rows that are there.
        order: int64 (n,), those rows in the order of the scheduler's snapshot.
        all: whether no row is lost.
    """

    mask: Mask
    order: Ints
    all: bool

    @classmethod
    def whole(cls, count: int) -> PresentNodes:
        """All of N rows; rows are in snapshot order."""
        return cls(np.ones(count, bool), np.arange(count), all=True)

    @classmethod
    def those_of(cls, mask: Mask, addition: Ints, zones: Ints) -> PresentNodes:
        """Some of the rows, in the order that a snapshot of these nodes alone would have.

        Args:
            mask: bool (N,), the rows that are there.
            addition: int64 (N,), rows in order of addition.
            zones: int64 (N,), the zone of each row as a number.
        """
        rows = addition[mask[addition]]
        return cls(mask, rows[_round_robin(zones[rows])], all=bool(mask.all()))

    @property
    def count(self) -> int:
        """Number of nodes n."""
        return len(self.order)


def _round_robin(zones: Ints) -> Ints:
    """Positions of nodes, of which these are the zones, int64 (n,): the first of each zone, then the second, ...

    Zones follow in order of first appearance.
    """
    _, first, zone = np.unique(zones, return_index=True, return_inverse=True)
    by_zone = np.argsort(zone, kind="stable")
    starts = np.cumsum(np.bincount(zone)) - np.bincount(zone)
    turn = np.empty(len(zones), np.int64)
    turn[by_zone] = np.arange(len(zones)) - starts[zone[by_zone]]
    return np.lexsort((first[zone], turn))
