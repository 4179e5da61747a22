"""Where reports and notes go: reports to stdout, everything else to stderr."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, TypeVar

from kschedctl.errors import UsageError
from kschedctl.observer import Observer
from kschedctl.reports.caveats.cluster import OTHER_VERSION
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.reports.model import ClusterSummary
from kschedctl.writers.formats import Format, Look

from .errors import ExitCode
from .messages import say
from .options import DataOptions, PageOptions, ReportOptions

W = TypeVar("W")
_WIDEST: Final = 1_000
"""Columns that a table can use; a larger COLUMNS would only be so many spaces."""
_UNBROKEN: Final = 100_000
"""A width in which a verdict, which scripts take line by line, is one line."""


def emit(text: str) -> None:
    """Write a report.

    Raises:
        KschedError: stdout cannot be written, such as a full disk (see `streams`).
    """
    if text:
        print(text)
    sys.stdout.flush()


def emit_pieces(pieces: Iterable[str], options: DataOptions) -> None:
    """Write a report piece by piece, each as soon as it is there, or open it; they are whole lines.

    Raises:
        KschedError: stdout cannot be written, such as a full disk (see `streams`), or there is no browser.
    """
    if isinstance(options, PageOptions) and options.open_it:
        from .browser import open_page

        open_page(pieces)
        return
    for piece in pieces:
        sys.stdout.write(piece)
        sys.stdout.flush()


def look_of(options: DataOptions) -> Look:
    """How text is to look on stdout: colours on a terminal only, and not where NO_COLOR is set."""
    terminal = sys.stdout.isatty()
    color = terminal and not options.no_color and not os.environ.get("NO_COLOR")
    width = min(max(60, shutil.get_terminal_size((80, 24)).columns), _WIDEST)
    return Look(
        width=_UNBROKEN if options.quiet else width,
        color=color and os.environ.get("TERM") != "dumb",
        unicode=(sys.stdout.encoding or "").lower().startswith("utf"),
        quiet=options.quiet,
        now=datetime.now(UTC),
    )


def writer_for(writers: Mapping[Format, Callable[[], W]], wanted: Format) -> W:
    """The writer of a format, imported when it is wanted.

    Raises:
        UsageError: the verb does not have the format.
    """
    if wanted not in writers:
        raise UsageError(f"-o {wanted} is not available here", hint=f"The formats are {', '.join(writers)}.")
    return writers[wanted]()


def with_caveats(code: ExitCode, clusters: Iterable[ClusterSummary], options: ReportOptions) -> ExitCode:
    """The exit code, FAILED where `--strict-caveats` is given and a caveat could turn the answer round.

    What `-q` must not hide is said on stderr: whom nobody can judge, and that another version decides in the cluster.
    """
    clusters = list(clusters)
    unjudged = dict.fromkeys(text for cluster in clusters for text in not_judged(cluster))
    for text in unjudged:
        say(text, "error" if code is ExitCode.FAILED else "warning")
    if unjudged:
        say("`kschedctl snapshot rbac` prints the rights that it takes", "hint")
    if options.quiet:
        others = (c.message for cluster in clusters for c in cluster.caveats if c.code == OTHER_VERSION)
        for text in dict.fromkeys(others):
            say(text, "warning")
    grave = [c.message for cluster in clusters for c in cluster.caveats if c.may_change_answer]
    if not options.strict_caveats or not grave:
        return code
    for message in dict.fromkeys(grave):
        say(f"the answer may be wrong: {message} (--strict-caveats)", "error")
    return ExitCode.FAILED


def observer_for(options: ReportOptions) -> Observer:
    """Warnings on stderr, and notes where they are wanted."""
    return _Messages(notes=options.verbose and not options.quiet)


class _Messages:
    """Writes to stderr; a warning is given once, however often its file is read."""

    def __init__(self, *, notes: bool) -> None:
        self._notes = notes
        self._warnings: set[str] = set()

    def progress(self, what: str, done: int, total: int | None) -> None:
        """Progress is not shown."""

    def warning(self, text: str) -> None:
        """One line on stderr."""
        if text not in self._warnings:
            self._warnings.add(text)
            say(text, "warning")

    def note(self, text: str) -> None:
        """One line on stderr."""
        if self._notes:
            say(text, "note")
