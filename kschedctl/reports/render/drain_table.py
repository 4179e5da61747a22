"""-o table and -o wide of a drain: the verdict, the waves, what holds it up, how full the rest becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kschedctl.reports.drain import sentences
from kschedctl.reports.drain.model import Drain
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.load_table import load_parts
from kschedctl.reports.render.simulation_table import eviction_table, pending_parts
from kschedctl.reports.render.text import (
    GAP,
    blank,
    indented,
    left_out,
    pairs,
    plain_table,
    print_text,
    table_or_lines,
)
from kschedctl.writers.terminal.long_names import node_cells, short_names

if TYPE_CHECKING:
    from rich.console import RenderableType

_LINES = 24
_LEAST = 14


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
    parts: list[RenderableType] = [indented(Text(head(report, look.now), "dim"))]
    if report.changes:
        parts.append(indented(Text(f"after {'; '.join(report.changes)}", "dim")))
    if report.evicted:
        parts += [blank(), _pods(report, look) if wide else _waves(report, look)]
    if report.pending:
        parts += [blank(), *pending_parts(report.pending, look, wide=wide)]
    if report.evictions:
        parts += [blank(), eviction_table(report.evictions, look, wide=wide)]
    if rows := sentences.notes(report):
        parts += [blank(), pairs(rows)]
    return [*parts, *load_parts(report, look, wide=wide)]


def _waves(report: Drain, look: Look) -> RenderableType:
    moves = sentences.moves(report)
    shown = moves[:_LINES]
    budgets = short_names({name for move in shown for name in move.waited_for}, look.width // 5, look)
    waits = [", ".join(budgets[name] for name in move.waited_for) for move in shown]
    waited = max(len("waited for"), *map(len, budgets.values())) + GAP if budgets else 0
    left = look.width - 2 - len("wave") - len("pods") - waited - 4 * GAP
    workloads = short_names({move.workload for move in shown}, max(left - 2 * _LEAST, _LEAST), look)
    room = (left - max(len("workload"), *map(len, workloads.values()))) // 2
    ends = [*(move.origins for move in shown), *(move.destinations for move in shown)]
    names = node_cells(ends, max(room, _LEAST), look)
    origins, destinations = names[: len(shown)], names[len(shown) :]
    table = plain_table()
    table.add_column("wave", justify="right", no_wrap=True)
    table.add_column("workload", overflow="fold")
    table.add_column("pods", justify="right", no_wrap=True)
    for title, column in (("from", origins), ("to", destinations)):
        table.add_column(
            title, overflow="fold", width=min(max(len(title), *map(len, column)), max(room, _LEAST))
        )
    if budgets:
        table.add_column("waited for", overflow="fold")
    last = 0
    for move, origin, destination, waits_for in zip(shown, origins, destinations, waits, strict=True):
        wave = "" if move.wave == last else str(move.wave)
        cells = [wave, workloads[move.workload], str(move.pods), origin, destination]
        table.add_row(*cells, *([waits_for] if budgets else []))
        last = move.wave
    for more in left_out(len(moves) - len(shown), "line"):
        table.add_row("", more)
    return indented(table)


def _pods(report: Drain, look: Look) -> RenderableType:
    pods = sorted(report.evicted, key=lambda pod: pod.wave or 0)
    rows = [
        (str(p.wave), p.full_name, p.node, sentences.destination(p), ", ".join(p.waited_for)) for p in pods
    ]
    return table_or_lines(("wave", "pod", "from", "to", "waited for"), rows, _line, look)


def _line(row: Sequence[str]) -> str:
    wave, pod, origin, destination, budgets = row
    waited = f", after it waited for {budgets}" if budgets else ""
    return f"{pod} in wave {wave}{waited}\n  from {origin}\n  to   {destination}"
