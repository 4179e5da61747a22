"""What changed, for those who keep what depends on it and follow: where pods came and went, and the like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic, TypeVar

from msgspec import Struct

from kschedctl.cluster.pods import PodRecord

T = TypeVar("T")

_LEAST: Final = 64
_PER_NODE: Final = 4
"""With more changes than this per node it is cheaper to look at all rows anew than to follow."""


class PodMove(Struct, frozen=True):
    """A pod came to a node (+1) or left it (-1)."""

    row: int
    pod: PodRecord
    """The pod as it is on the node: binding may have given it labels. Its row may be another pod's by now."""
    sign: int


class ChangeLog(Generic[T]):
    """The latest changes of something, undone ones included with their reversal.

    It is bounded: thousands of trials leave no more behind than a few.

    Args:
        most: so many are kept for sure; with more it is cheaper to look at everything anew than to follow.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[T] = []
        self._dropped = 0

    @property
    def end(self) -> int:
        """How many changes there have been."""
        return self._dropped + len(self._kept)

    def append(self, change: T) -> None:
        """Note a change."""
        self._kept.append(change)
        if len(self._kept) > 2 * self._most:
            self._forget()

    def extend(self, changes: Iterable[T]) -> None:
        """Note changes."""
        self._kept += changes
        if len(self._kept) > 2 * self._most:
            self._forget()

    def _forget(self) -> None:
        dropped = len(self._kept) - self._most
        del self._kept[:dropped]
        self._dropped += dropped

    def since(self, seen: int) -> Sequence[T] | None:
        """The changes after the first `seen`; None where not all of them are kept."""
        return self._kept[seen - self._dropped :] if seen >= self._dropped else None

    def follow(self) -> Follower[T]:
        """Somebody who knows how everything is now, and hears of changes from here on."""
        return Follower(self, self.end)


class Follower(Struct, Generic[T]):
    """Somebody who keeps what depends on something that changes.

    Attributes:
        log: its changes.
        seen: how many of them are taken in.
    """

    log: ChangeLog[T]
    seen: int

    def news(self) -> Sequence[T] | None:
        """The changes since the last call, which count as taken in; None: too many, look at everything anew."""
        found = self.log.since(self.seen)
        self.seen = self.log.end
        return found


def pod_moves(nodes: int) -> ChangeLog[PodMove]:
    """The log of the pods on N nodes."""
    return ChangeLog(max(_LEAST, _PER_NODE * nodes))
