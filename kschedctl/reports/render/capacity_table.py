"""-o table and -o wide of capacity: how many fit, on which nodes, and what limits them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from kschedctl.reports.capacity import sentences
from kschedctl.reports.capacity.model import Capacity
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.load_table import load_parts
from kschedctl.reports.render.text import blank, indented, left_out, pairs, plain_table, print_text
from kschedctl.reports.render.why_table import why_table
from kschedctl.writers.terminal.long_names import node_cells

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
        parts += [blank(), indented(why_table("why no more", report.reasons, look, wide=wide))]
    elif report.message:
        parts += [blank(), indented(Text(report.message))]
    if report.target and report.target.reasons:
        title = f"why not with {report.target.tried} nodes more"
        parts += [blank(), indented(why_table(title, report.target.reasons, look, wide=wide))]
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
    return indented(Group(table, *left_out(len(report.nodes) - len(shown), "node")))
