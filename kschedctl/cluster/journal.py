"""One undo journal, last in first out, for everything a decision reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import NewType

Mark = NewType("Mark", int)


class Journal:
    """Undo steps in the order in which the changes were made.

    A fork is a mark: change what you like, read the decisions, and undo back to the mark.
    """

    __slots__ = ("_undo",)

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def record(self, undo: Callable[[], None]) -> None:
        """Remember how to take one change back."""
        self._undo.append(undo)

    def mark(self) -> Mark:
        """The present moment, to come back to."""
        return Mark(len(self._undo))

    def undo_to(self, mark: Mark) -> None:
        """Take back every change since `mark`, the last one first."""
        while len(self._undo) > mark:
            self._undo.pop()()
