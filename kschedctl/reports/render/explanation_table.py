"""-o table: the verdict, the reasons with their nodes, the points of the best nodes; made for 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from kschedctl.reports import sentences
from kschedctl.reports.explanation import Explanation
from kschedctl.reports.formats import Look
from kschedctl.reports.render.notes import head_line, note_rows
from kschedctl.reports.render.score_table import score_table
from kschedctl.reports.render.text import blank, fitted, indented, pairs, plain_table, print_text

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARKS = {"Scheduled": ("✓", "bold green"), "Gated": ("!", "bold yellow")}
_NO = ("✗", "bold red")
_REASON_LINES = 12


def table_text(reports: Sequence[Explanation], look: Look) -> str:
    """The reports for people, one below the other."""
    parts: list[RenderableType] = []
    for report in reports:
        if parts and not look.quiet:
            parts.append(blank())
        parts.append(verdict_line(report))
        if not look.quiet:
            parts += _body(report, look)
    return print_text(parts, look)


def verdict_line(report: Explanation) -> Text:
    """The mark and the verdict."""
    mark, style = _MARKS.get(report.outcome, _NO)
    return Text.assemble((mark, style), " ", (sentences.verdict(report), "bold"))


def body_top(report: Explanation) -> list[RenderableType]:
    """What stands directly below the verdict."""
    parts: list[RenderableType] = []
    if report.scheduled:
        parts.append(indented(Text(sentences.points(report))))
    parts.append(indented(Text(head_line(report), "dim")))
    if report.problems or report.message:
        parts.append(blank())
        parts += [indented(Text(line)) for line in report.problems or [report.message]]
    return parts


def _body(report: Explanation, look: Look) -> list[RenderableType]:
    parts = body_top(report)
    if report.scored:
        parts += [blank(), indented(score_table(report, look))]
    if report.reasons:
        parts += [blank(), indented(_reason_table(report, look))]
    if rows := note_rows(report):
        parts += [blank(), pairs(rows)]
    return parts


def _reason_table(report: Explanation, look: Look) -> Table:
    """Why not: each reason with its nodes."""
    title = "why not the others" if report.scheduled else "why not"
    groups = report.reasons[:_REASON_LINES]
    widest = max(len(title), *(len(group.text) for group in groups))
    count = max(len(str(len(group.nodes))) for group in groups)
    reason_width = min(widest, (look.width - 2) * 3 // 5)
    room = look.width - 2 - reason_width - 2 - count - 2
    table = plain_table()
    table.add_column(title, width=reason_width, overflow="fold")
    table.add_column("", justify="right", width=count, no_wrap=True)
    table.add_column("nodes", no_wrap=True)
    for group in groups:
        table.add_row(Text(group.text), str(len(group.nodes)), fitted(group.nodes, room))
    if left := len(report.reasons) - len(groups):
        table.add_row(Text(f"{sentences.plural(left, 'more reason')}, see -o wide", "dim"), "", "")
    return table
