"""-o table: the verdict, the reasons with their nodes, the points of the best nodes; made for 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from kschedctl.reports import sentences
from kschedctl.reports.background import BackgroundReport
from kschedctl.reports.explanation import Explanation, ReasonGroup
from kschedctl.reports.formats import Look
from kschedctl.reports.render.background import background_parts
from kschedctl.reports.render.notes import event_rows, head_line, note_rows
from kschedctl.reports.render.score_table import score_table
from kschedctl.reports.render.text import GAP, blank, fitted, indented, pairs, plain_table, print_text

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARKS = {"Scheduled": ("✓", "bold green"), "Gated": ("!", "bold yellow")}
_NO = ("✗", "bold red")
_REASON_LINES = 12
_INDENT = 2
_LEAST_NAMES = 12
_DOMAINS = 5


def table_text(reports: Sequence[Explanation], look: Look) -> str:
    """The reports for people, one below the other."""
    return stacked(reports, look, _body)


def stacked(
    reports: Sequence[Explanation], look: Look, body: Callable[[Explanation, Look], list[RenderableType]]
) -> str:
    """Verdicts with what belongs to them; what is the same as in the report before is not said again."""
    parts: list[RenderableType] = []
    head = ""
    for report in reports:
        if parts and not look.quiet:
            parts.append(blank())
        parts.append(_verdict_line(report))
        if look.quiet:
            continue
        if report.scheduled:
            parts.append(indented(Text(sentences.points(report))))
        if head_line(report, look) != head:
            head = head_line(report, look)
            parts.append(indented(Text(head, "dim")))
        parts += body(report, look)
    if len(reports) > 1 and not look.quiet:
        parts += [blank(), Text(sentences.tally(reports))]
    return print_text(parts, look)


def _verdict_line(report: Explanation) -> Text:
    """The mark and the verdict."""
    mark, style = _MARKS.get(report.outcome, _NO)
    return Text.assemble((mark, style), " ", (sentences.verdict(report), "bold"))


def problem_lines(report: Explanation) -> list[RenderableType]:
    """Why the pod was not judged."""
    lines = report.problems or ([report.message] if report.message else [])
    return [blank(), *(indented(Text(line)) for line in lines)] if lines else []


def _body(report: Explanation, look: Look) -> list[RenderableType]:
    parts = problem_lines(report)
    if report.scored:
        parts += [blank(), indented(score_table(report, look))]
    if report.reasons:
        parts += [blank(), indented(_reason_table(report, look))]
        parts += background_parts(_behind_reasons(report), most_rows=_DOMAINS, most_notes=2)
    rows = note_rows(report) + ([] if report.scheduled else event_rows(report))
    if rows:
        parts += [blank(), pairs(rows)]
    return parts


def _behind_reasons(report: Explanation) -> list[BackgroundReport]:
    """The facts behind the reasons of the plugins that reject a node."""
    rejecting = {group.plugin for group in report.reasons}
    return [found for found in report.background if found.asked == "Filter" and found.plugin in rejecting]


def _reason_table(report: Explanation, look: Look) -> Table:
    """Why not: each reason with its nodes; the reasons get the room that short lists of nodes leave."""
    title = "why not the others" if report.scheduled else "why not"
    groups = report.reasons[:_REASON_LINES]
    count = max(len(str(len(group.nodes))) for group in groups)
    room = look.width - _INDENT - count - 2 * GAP
    longest = max(len(" ".join(group.nodes)) for group in groups)
    names = max(min(longest, max(room // 4, _LEAST_NAMES)), len("nodes"))
    reason = min(max(len(title), *(len(group.text) for group in groups)), room - names)
    table = plain_table()
    table.add_column(title, width=reason, overflow="fold")
    table.add_column("", justify="right", width=count, no_wrap=True)
    table.add_column("nodes", no_wrap=True)
    for group in groups:
        table.add_row(Text(group.text), str(len(group.nodes)), _nodes(group, report, room - reason))
    if left := len(report.reasons) - len(groups):
        table.add_row(Text(f"{sentences.plural(left, 'more reason')}, see -o wide", "dim"), "", "")
    return table


def _nodes(group: ReasonGroup, report: Explanation, width: int) -> str:
    everywhere = len(group.nodes) == report.cluster.nodes
    return "all" if everywhere and len(" ".join(group.nodes)) > width else fitted(group.nodes, width)
