"""-o table and -o wide of a simulation: the verdict, the workloads, who stays pending and why, how full it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.load_table import load_parts
from kschedctl.reports.render.text import (
    blank,
    indented,
    left_out,
    pairs,
    plain_table,
    print_text,
    table_or_lines,
)
from kschedctl.reports.render.why_table import WhySection, sectioned_why_table
from kschedctl.reports.simulate import sentences, timeline
from kschedctl.reports.simulate.model import (
    EvictedVictim,
    PendingGroup,
    PodPlacement,
    Simulation,
    WorkloadPlacement,
)
from kschedctl.writers.terminal.long_names import node_cells, short_names

if TYPE_CHECKING:
    from rich.console import RenderableType

_LINES = 20
_TIMELINE = 60


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
    parts: list[RenderableType] = [indented(Text(head(report, look.now), "dim"))]
    if report.changes:
        parts.append(indented(Text(f"after {'; '.join(report.changes)}", "dim")))
    if report.workloads:
        parts += [blank(), workload_table(report.workloads, look, wide=wide)]
    if report.pending:
        parts += [blank(), *pending_parts(report.pending, look, wide=wide)]
    if report.evictions:
        parts += [blank(), eviction_table(report.evictions, look, wide=wide)]
    if wide and report.pods:
        parts += [blank(), _pod_table(report, look)]
    if report.timeline is not None:
        parts += [blank(), *timeline_parts(report, look, wide=wide)]
    parts += load_parts(report, look, wide=wide)
    if rows := sentences.notes(report):
        parts += [blank(), pairs(rows)]
    return parts


def workload_table(workloads: Sequence[WorkloadPlacement], look: Look, *, wide: bool) -> RenderableType:
    """Pods by workload and node; those with pods on no node first where not all are shown."""
    shown = list(workloads) if wide else _most_telling(workloads)
    name_width = max(len("workload"), *(len(w.title) for w in shown))
    name_width = min(name_width, max(16, look.width - 45))
    titles = short_names({w.title for w in shown}, name_width, look)
    counts = ["want", "placed", "pending", *(["refused"] if any(w.refused for w in workloads) else [])]
    room = look.width - 2 - name_width - sum(len(title) + 2 for title in counts) - 2
    table = plain_table()
    table.add_column("workload", width=name_width, overflow="fold")
    for title in counts:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("nodes", overflow="fold")
    cells = [[(node, f":{count}") for node, count in w.nodes.items()] for w in shown]
    for w, nodes in zip(shown, node_cells(cells, room, look, wide=wide), strict=True):
        missing = [w.pending, w.refused][: len(counts) - 2]
        table.add_row(
            Text(w.title if wide else titles[w.title]),
            str(w.wanted),
            str(w.placed),
            *(Text(str(count), "red" if count else "") for count in missing),
            nodes,
        )
    for more in left_out(len(workloads) - len(shown), "workload"):
        table.add_row(more)
    return indented(table)


def _most_telling(workloads: Sequence[WorkloadPlacement]) -> list[WorkloadPlacement]:
    if len(workloads) <= _LINES:
        return list(workloads)
    return sorted(workloads, key=lambda w: not (w.pending or w.refused))[:_LINES]


def pending_parts(groups: Sequence[PendingGroup], look: Look, *, wide: bool) -> list[RenderableType]:
    """Who stays pending, each group with its reasons and their nodes."""
    shown = groups if wide else groups[:_LINES]
    sections = [WhySection(partial(sentences.who, group), group.reasons, group.message) for group in shown]
    table = sectioned_why_table("stay pending, and why", sections, look, wide=wide)
    return [indented(table), *map(indented, left_out(len(groups) - len(shown), "group"))]


def eviction_table(evictions: Sequence[EvictedVictim], look: Look, *, wide: bool) -> RenderableType:
    """Who is preempted, by whom, and what becomes of them."""
    shown = evictions if wide else evictions[:_LINES]
    rows = [(v.pod, str(v.priority), v.node, v.by, sentences.then(v)) for v in shown]
    table = table_or_lines(
        ("preempted", "prio", "node", "by", "then"),
        rows,
        lambda row: f"{row[0]} (priority {row[1]}) on {row[2]}\n  by {row[3]}: {row[4]}",
        look,
    )
    return Group(table, *map(indented, left_out(len(evictions) - len(shown), "pod")))


def timeline_parts(report: Simulation, look: Look, *, wide: bool) -> list[RenderableType]:
    """What happened, in order."""
    rows = timeline.told(report.timeline or ())
    shown = rows if wide else rows[:_TIMELINE]
    return [
        indented(Text(f"what happened in {report.seconds:g} s", "dim")),
        pairs(shown) if shown else indented(Text("nothing")),
        *map(indented, left_out(len(rows) - len(shown), "line")),
    ]


def _pod_table(report: Simulation, look: Look) -> RenderableType:
    rows = [
        (f"{p.namespace}/{p.name}", p.origin, p.came_from or "-", p.node or _unplaced(p)) for p in report.pods
    ]
    return table_or_lines(
        ("pod", "origin", "from", "node"),
        rows,
        _pod_line,
        look,
    )


def _unplaced(pod: PodPlacement) -> str:
    return "not created" if pod.outcome == "NotCreated" else pod.outcome.lower()


def _pod_line(row: Sequence[str]) -> str:
    pod, origin, came_from, node = row
    return "\n".join([f"{pod}: {origin}", *([f"  from {came_from}"] * (came_from != "-")), f"  to   {node}"])
