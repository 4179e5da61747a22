"""One undo journal, last in first out, for everything a decision reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import NewType

Mark = NewType("Mark", int)


class Journal:
    """Undo steps in the order in which the changes were made.

    A fork is a mark: change what you like, read the decisions, and undo back to the mark.

    Attributes:
        revision: the number of a state that plugins can tell from others; undo brings the number back with the
            state. While it is the same, plugins give the same answers.
    """

    __slots__ = ("_last", "_undo", "revision")

    def __init__(self) -> None:
        self._undo: list[tuple[Callable[[], None], int]] = []
        self._last = 0
        self.revision = 0

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        """A copy that travels has nothing to take back: its marks stay here."""
        return None, {"_undo": [], "_last": self._last, "revision": self.revision}

    def record(self, undo: Callable[[], None], *, seen: bool = True) -> None:
        """Remember how to take one change back; one that no plugin sees leaves the revision as it is."""
        self._undo.append((undo, self.revision))
        if seen:
            self._last += 1
            self.revision = self._last

    def mark(self) -> Mark:
        """The present moment, to come back to."""
        return Mark(len(self._undo))

    def undo_to(self, mark: Mark) -> None:
        """Take back every change since `mark`, the last one first."""
        while len(self._undo) > mark:
            undo, revision = self._undo.pop()
            undo()
            self.revision = revision
