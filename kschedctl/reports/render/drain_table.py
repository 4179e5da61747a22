"""-o table and -o wide of a drain: the verdict, the waves, what holds it up, how full the rest becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kschedctl.reports import drain_sentences as sentences
from kschedctl.reports.drain import Drain
from kschedctl.reports.formats import Look
from kschedctl.reports.render.load_table import load_parts
from kschedctl.reports.render.simulation_table import eviction_table, pending_parts
from kschedctl.reports.render.text import blank, fitted, indented, pairs, plain_table, print_text
from kschedctl.reports.sentences import plural
from kschedctl.reports.simulation_sentences import head

if TYPE_CHECKING:
    from rich.console import RenderableType

_LINES = 24


def table_text(reports: Sequence[Drain], look: Look) -> str:
    """The answer for people."""
    return _text(reports, look, wide=False)


def wide_text(reports: Sequence[Drain], look: Look) -> str:
    """The same with a line for each pod."""
    return _text(reports, look, wide=True)


def _text(reports: Sequence[Drain], look: Look, *, wide: bool) -> str:
    parts: list[RenderableType] = []
    for report in reports:
        mark, style = ("✓", "bold green") if report.possible else ("✗", "bold red")
        parts.append(Text.assemble((mark, style), " ", (sentences.verdict(report), "bold")))
        if not look.quiet:
            parts += _body(report, look, wide=wide)
    return print_text(parts, look)


def _body(report: Drain, look: Look, *, wide: bool) -> list[RenderableType]:
    parts: list[RenderableType] = [indented(Text(head(report), "dim"))]
    if report.changes:
        parts.append(indented(Text(f"after {'; '.join(report.changes)}", "dim")))
    if report.evicted:
        parts += [blank(), _pods(report) if wide else _waves(report, look)]
    if report.pending:
        parts += [blank(), *pending_parts(report.pending, look, wide=wide)]
    if report.evictions:
        parts += [blank(), eviction_table(report.evictions, wide=wide)]
    if rows := sentences.notes(report):
        parts += [blank(), pairs(rows)]
    return [*parts, *load_parts(report, look, wide=wide)]


def _waves(report: Drain, look: Look) -> RenderableType:
    rows = sentences.moves(report)
    shown = rows[:_LINES]
    budgets = any(row[-1] for row in shown)
    name = max(len("workload"), *(len(row[1]) for row in shown))
    waited = max(len("waited for"), *(len(row[5]) for row in shown)) if budgets else 0
    room = max((look.width - 2 - 6 - name - 2 - 6 - (waited + 2 if budgets else 0) - 2) // 2, 6)
    table = plain_table()
    table.add_column("wave", justify="right", no_wrap=True)
    table.add_column("workload", overflow="fold")
    table.add_column("pods", justify="right", no_wrap=True)
    for title in ("from", "to"):
        table.add_column(title, no_wrap=True, width=room)
    if budgets:
        table.add_column("waited for", overflow="fold")
    last = ""
    for wave, workload, count, origin, destination, waits in shown:
        cells = [
            "" if wave == last else wave,
            workload,
            str(count),
            fitted(origin.split(), room),
            fitted(destination.split(), room),
        ]
        table.add_row(*cells, *([waits] if budgets else []))
        last = wave
    if left := len(rows) - len(shown):
        table.add_row("", Text(f"{plural(left, 'more line')}, see -o wide", "dim"))
    return indented(table)


def _pods(report: Drain) -> RenderableType:
    table = plain_table()
    table.add_column("wave", justify="right", no_wrap=True)
    for title in ("pod", "from", "to", "waited for"):
        table.add_column(title, overflow="fold")
    for pod in sorted(report.evicted, key=lambda p: p.wave or 0):
        to = pod.placed_on or ("gone" if pod.treatment == "delete" else "pending")
        table.add_row(str(pod.wave), pod.full_name, pod.node, to, ", ".join(pod.waited_for))
    return indented(table)
