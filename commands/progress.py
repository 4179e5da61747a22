"""Progress on stderr, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kschedctl.observer import Observer

from .options import ReportOptions
from .output import observer_for

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextmanager
def progressing(options: ReportOptions) -> Iterator[Observer]:
    """An observer that shows a bar while the block runs; silent where nobody looks at a terminal."""
    notes = observer_for(options)
    if options.quiet or not sys.stderr.isatty():
        yield notes
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bars(bars, notes)


class _Bars:
    """Shows a bar for each kind of work."""

    def __init__(self, bars: Progress, notes: Observer) -> None:
        self._bars = bars
        self._notes = notes
        self._tasks: dict[str, TaskID] = {}

    def progress(self, what: str, done: int, total: int | None) -> None:
        """Move the bar of this work."""
        task = self._tasks.get(what)
        if task is None:
            task = self._tasks[what] = self._bars.add_task(what, total=total)
        self._bars.update(task, completed=done, total=total)

    def warning(self, text: str) -> None:
        """Pass the warning on."""
        self._notes.warning(text)

    def note(self, text: str) -> None:
        """Pass the note on."""
        self._notes.note(text)
