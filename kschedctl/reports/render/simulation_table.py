"""-o table and -o wide of a simulation: the verdict, the workloads, who stays pending and why, how full it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kschedctl.reports import simulation_sentences as sentences
from kschedctl.reports.formats import Look
from kschedctl.reports.render.load_table import load_parts
from kschedctl.reports.render.text import blank, fitted, indented, pairs, plain_table, print_text
from kschedctl.reports.sentences import plural
from kschedctl.reports.simulation import (
    EvictedVictim,
    PendingGroup,
    Simulation,
    WorkloadPlacement,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

_LINES = 20
_REASONS = 4


def table_text(reports: Sequence[Simulation], look: Look) -> str:
    """The answer for people."""
    return _text(reports, look, wide=False)


def wide_text(reports: Sequence[Simulation], look: Look) -> str:
    """The same with nothing left out."""
    return _text(reports, look, wide=True)


def _text(reports: Sequence[Simulation], look: Look, *, wide: bool) -> str:
    parts: list[RenderableType] = []
    for report in reports:
        if parts and not look.quiet:
            parts.append(blank())
        parts.append(verdict_line(report))
        if not look.quiet:
            parts += _body(report, look, wide=wide)
    return print_text(parts, look)


def verdict_line(report: Simulation) -> Text:
    """The mark and the verdict."""
    mark, style = ("✓", "bold green") if report.fits else ("✗", "bold red")
    return Text.assemble((mark, style), " ", (sentences.verdict(report), "bold"))


def _body(report: Simulation, look: Look, *, wide: bool) -> list[RenderableType]:
    parts: list[RenderableType] = [indented(Text(sentences.head(report), "dim"))]
    if report.changes:
        parts.append(indented(Text(f"after {'; '.join(report.changes)}", "dim")))
    if report.workloads:
        parts += [blank(), workload_table(report.workloads, look, wide=wide)]
    if report.pending:
        parts += [blank(), *pending_parts(report.pending, look, wide=wide)]
    if report.evictions:
        parts += [blank(), eviction_table(report.evictions, wide=wide)]
    if wide and report.pods:
        parts += [blank(), _pod_table(report)]
    parts += load_parts(report, look, wide=wide)
    if rows := sentences.notes(report):
        parts += [blank(), pairs(rows)]
    return parts


def workload_table(workloads: Sequence[WorkloadPlacement], look: Look, *, wide: bool) -> RenderableType:
    """Pods by workload and node; those with pending pods first where not all are shown."""
    shown = list(workloads) if wide else _most_telling(workloads)
    name_width = max(len("workload"), *(len(w.title) for w in shown))
    name_width = min(name_width, max(16, look.width - 45))
    room = look.width - 2 - name_width - 3 * 2 - len("want") - len("placed") - len("pending") - 2
    table = plain_table()
    table.add_column("workload", width=name_width, overflow="fold")
    for title in ("want", "placed", "pending"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("nodes", no_wrap=not wide, overflow="fold")
    for w in shown:
        nodes = [f"{node}:{count}" for node, count in w.nodes.items()]
        style = "red" if w.pending else ""
        table.add_row(
            Text(w.title),
            str(w.wanted),
            str(w.placed),
            Text(str(w.pending), style),
            " ".join(nodes) if wide else fitted(nodes, room),
        )
    if left := len(workloads) - len(shown):
        table.add_row(Text(f"{plural(left, 'more workload')}, see -o wide", "dim"))
    return indented(table)


def _most_telling(workloads: Sequence[WorkloadPlacement]) -> list[WorkloadPlacement]:
    if len(workloads) <= _LINES:
        return list(workloads)
    return sorted(workloads, key=lambda w: not w.pending)[:_LINES]


def pending_parts(groups: Sequence[PendingGroup], look: Look, *, wide: bool) -> list[RenderableType]:
    """Who stays pending, each group with its reasons and their nodes."""
    shown = groups if wide else groups[:_LINES]
    table = plain_table()
    count = max((len(str(len(r.nodes))) for group in shown for r in group.reasons), default=1)
    reason_width = (look.width - 4) * 3 // 5
    room = look.width - 4 - reason_width - 2 - count - 2
    table.add_column("stay pending, and why", width=reason_width, overflow="fold")
    table.add_column("", justify="right", width=count, no_wrap=True)
    table.add_column("nodes", no_wrap=not wide, overflow="fold")
    for group in shown:
        table.add_row(Text(sentences.who(group, None if wide else reason_width), "bold"), "", "")
        if not group.reasons:
            table.add_row(indented(Text(group.message)), "", "")
        for reason in group.reasons if wide else group.reasons[:_REASONS]:
            nodes = " ".join(reason.nodes) if wide else fitted(reason.nodes, room)
            table.add_row(indented(Text(reason.text)), str(len(reason.nodes)), nodes)
        if not wide and (left := len(group.reasons) - _REASONS) > 0:
            table.add_row(indented(Text(f"{plural(left, 'more reason')}, see -o wide", "dim")), "", "")
    parts: list[RenderableType] = [indented(table)]
    if left := len(groups) - len(shown):
        parts.append(indented(Text(f"{plural(left, 'more group')}, see -o wide", "dim")))
    return parts


def eviction_table(evictions: Sequence[EvictedVictim], *, wide: bool) -> RenderableType:
    """Who is preempted, by whom, and what becomes of them."""
    shown = evictions if wide else evictions[:_LINES]
    table = plain_table()
    for title in ("preempted", "prio", "node", "by", "then"):
        table.add_column(title, justify="right" if title == "prio" else "left", overflow="fold")
    for v in shown:
        table.add_row(v.pod, str(v.priority), v.node, v.by, sentences.then(v))
    if left := len(evictions) - len(shown):
        table.add_row(Text(f"{left} more, see -o wide", "dim"))
    return indented(table)


def _pod_table(report: Simulation) -> RenderableType:
    table = plain_table()
    for title in ("pod", "origin", "from", "node"):
        table.add_column(title, overflow="fold")
    for pod in report.pods:
        table.add_row(
            f"{pod.namespace}/{pod.name}", pod.origin, pod.came_from or "-", pod.node or pod.outcome.lower()
        )
    return indented(table)
