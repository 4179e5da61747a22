"""Hooks by which long work tells how far it is and what it met; the default is silence."""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """Receives progress, warnings and notes. The engine never prints; a verb may pass an observer that does."""

    def progress(self, what: str, done: int, total: int | None) -> None:
        """`done` of `total` (None: not known) units of `what` are finished."""

    def warning(self, text: str) -> None:
        """Something in the input that is probably not what its author means."""

    def note(self, text: str) -> None:
        """Something worth a line on stderr under `-v`, such as a kind that was skipped."""


class Silent:
    """The observer that says nothing."""

    def progress(self, what: str, done: int, total: int | None) -> None:
        """Ignore the progress."""

    def warning(self, text: str) -> None:
        """Ignore the warning."""

    def note(self, text: str) -> None:
        """Ignore the note."""


SILENT: Observer = Silent()
