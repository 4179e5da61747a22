"""-o table and -o wide of capacity: how many fit, on which nodes, and what limits them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from kschedctl.reports import capacity_sentences as sentences
from kschedctl.reports.capacity import Capacity
from kschedctl.reports.explanation import ReasonGroup
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.load_table import load_parts
from kschedctl.reports.render.long_names import node_cells, reason_nodes
from kschedctl.reports.render.text import blank, indented, pairs, plain_table, print_text
from kschedctl.reports.sentences import plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_LINES = 20


def table_text(reports: Sequence[Capacity], look: Look) -> str:
    """The answer for people."""
    return _text(reports, look, wide=False)


def wide_text(reports: Sequence[Capacity], look: Look) -> str:
    """The same with every node."""
    return _text(reports, look, wide=True)


def _text(reports: Sequence[Capacity], look: Look, *, wide: bool) -> str:
    parts: list[RenderableType] = []
    for report in reports:
        enough = report.sets > 0 and not (report.target and report.target.missing)
        mark, style = ("✓", "bold green") if enough else ("✗", "bold red")
        parts.append(Text.assemble((mark, style), " ", (sentences.verdict(report), "bold")))
        if not look.quiet:
            parts += _body(report, look, wide=wide)
    return print_text(parts, look)


def _body(report: Capacity, look: Look, *, wide: bool) -> list[RenderableType]:
    parts: list[RenderableType] = [indented(Text(head(report, look.now), "dim"))]
    if report.changes:
        parts.append(indented(Text(f"after {'; '.join(report.changes)}", "dim")))
    if report.nodes:
        parts += [blank(), _node_table(report, look, wide=wide)]
    if report.reasons:
        parts += [blank(), reason_table("why no more", report.reasons, look, wide=wide)]
    elif report.message:
        parts += [blank(), indented(Text(report.message))]
    if report.target and report.target.reasons:
        title = f"why not with {report.target.tried} nodes more"
        parts += [blank(), reason_table(title, report.target.reasons, look, wide=wide)]
    if rows := sentences.notes(report):
        parts += [blank(), pairs(rows)]
    return [*parts, *load_parts(report, look, wide=wide)]


def _node_table(report: Capacity, look: Look, *, wide: bool) -> RenderableType:
    taking = [node for node in report.nodes if node.total] or report.nodes
    shown = report.nodes if wide else taking[:_LINES]
    table = plain_table()
    table.add_column("node", overflow="fold")
    for pod in report.pods:
        title = "fits" if len(report.pods) == 1 else pod.source.rpartition("/")[2]
        table.add_column(title, justify="right", overflow="fold")
    table.add_column("then limited by", overflow="fold")
    names = node_cells([[(node.name, "")] for node in shown], look.width // 2, look)
    for node, name in zip(shown, names, strict=True):
        table.add_row(name, *(str(count) for count in node.fits), "; ".join(node.limits))
    left = len(report.nodes) - len(shown)
    return Group(
        indented(table), *([indented(Text(f"{plural(left, 'more node')}, see -o wide", "dim"))] * bool(left))
    )


def reason_table(title: str, reasons: Sequence[ReasonGroup], look: Look, *, wide: bool) -> RenderableType:
    """Reasons with their nodes."""
    width = (look.width - 2) * 3 // 5
    count = max(len(str(len(reason.nodes))) for reason in reasons)
    table = plain_table()
    table.add_column(title, width=width, overflow="fold")
    table.add_column("", justify="right", width=count, no_wrap=True)
    table.add_column("nodes", overflow="fold")
    room = look.width - 2 - width - 2 - count - 2
    for reason, nodes in zip(reasons, reason_nodes(reasons, room, look, wide=wide), strict=True):
        table.add_row(Text(reason.text), str(len(reason.nodes)), nodes)
    return indented(table)
