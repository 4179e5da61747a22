"""Where pods came and went, for whoever keeps something per row and follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from kschedctl.cluster.pods import PodRecord

_LEAST: Final = 64
_PER_NODE: Final = 4
"""With more changes than this per node it is cheaper to look at all rows anew than to follow."""


class PodMove(Struct, frozen=True):
    """A pod came to a node (+1) or left it (-1)."""

    row: int
    pod: PodRecord
    """The pod as it is on the node: binding may have given it labels. Its row may be another pod's by now."""
    sign: int


class ChangeLog:
    """The latest changes on N nodes, undone ones included with their reversal.

    It is bounded: thousands of trials leave no more behind than a few.
    """

    def __init__(self, nodes: int) -> None:
        self._most = max(_LEAST, _PER_NODE * nodes)
        self._kept: list[PodMove] = []
        self._dropped = 0

    @property
    def end(self) -> int:
        """How many changes there have been: what a follower remembers."""
        return self._dropped + len(self._kept)

    def append(self, change: PodMove) -> None:
        """Note a change."""
        self._kept.append(change)
        if len(self._kept) > 2 * self._most:
            del self._kept[: self._most]
            self._dropped += self._most

    def since(self, seen: int) -> Sequence[PodMove] | None:
        """The changes after the first `seen`; None where not all of them are kept: look at every row anew."""
        return self._kept[seen - self._dropped :] if seen >= self._dropped else None
