"""A simulation for people: the verdict, the workloads, who stays pending and why, how full the cluster becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import (
    Block,
    Concerned,
    Context,
    FactList,
    Headline,
    Only,
    Reasons,
    ReportDocument,
)
from kschedctl.reports.head import head
from kschedctl.reports.medium import FULL, Medium
from kschedctl.reports.simulate import queue, sentences
from kschedctl.reports.simulate.allocation import allocation_table
from kschedctl.reports.simulate.figures import figures
from kschedctl.reports.simulate.groups import group_blocks
from kschedctl.reports.simulate.load import load_blocks
from kschedctl.reports.simulate.model import (
    EvictedVictim,
    PendingGroup,
    PodPlacement,
    PriorityWaits,
    QueueReport,
    Simulation,
    WorkloadPlacement,
)
from kschedctl.reports.simulate.other_schedulers import left_to_others, told
from kschedctl.reports.simulate.timeline import timeline_blocks
from kschedctl.reports.suggest.sentences import fits_if
from kschedctl.reports.table import CellKind, Column, LazyRows, NodeNames, Row, Table
from kschedctl.reports.tone import Tone

_POD: Final = "Pod"
_SHOWN: Final = 20
_WIDE: Final = frozenset({Medium.WIDE})
_LIMITS: Final = MappingProxyType({Medium.TABLE: _SHOWN, Medium.MARKDOWN: 100})


def documents(reports: Iterable[Simulation], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report, context) for report in reports)


def names(reports: Iterable[Simulation]) -> Iterator[str]:
    """Each pod and its node."""
    for report in reports:
        for pod in report.pods:
            yield f"{pod.namespace}/{pod.name} {pod.node or '<none>'}"


def document(report: Simulation, context: Context) -> ReportDocument:
    """The document of a report."""
    return ReportDocument(
        Headline(Tone.YES if report.fits else Tone.NO, sentences.verdict(report)),
        head=head(report, context.now),
        changes=report.changes,
        figures=lambda: figures(report),
        blocks=list(_blocks(report)),
    )


def _blocks(report: Simulation) -> Iterator[Block]:
    if report.workloads:
        yield _workloads(report.workloads, report.pending)
    yield from group_blocks(report.groups)
    yield from placement_blocks(report.pending, report.evictions)
    if report.pods:
        yield Only(FULL, lambda: _pods(report.pods))
    yield Only(FULL, lambda: FactList.of([("order", report.order)]))
    if report.queue is not None:
        yield from _queue(report.queue)
    if report.timeline is not None:
        yield from timeline_blocks(report.timeline, report.seconds)
    yield from load_blocks(report)
    filling = allocation_table(report.allocation, _whole(report))
    if filling is not None:
        yield Only(_WIDE, lambda: filling)
    yield FactList.of(sentences.notes(report))


def _whole(report: Simulation) -> dict[str, int]:
    """Resource -> what there is in all."""
    return {one.resource: one.after.allocatable for one in report.load if one.after is not None}


_HELPED: Final = 3


def _helps(group: PendingGroup) -> Iterator[tuple[str, str]]:
    """What would make a pod of a group fit, in the cluster as it is at the end."""
    for label, text in fits_if(group.suggestions, "one fits if" if group.pods[1:] else "fits if"):
        yield label, f"{group.workload}: {text}" if label else text


def placement_blocks(pending: Sequence[PendingGroup], evictions: Sequence[EvictedVictim]) -> Iterator[Block]:
    """Who stays pending, each group with its reasons and their nodes, and who is preempted."""
    if pending:
        groups = [
            Concerned(sentences.who(group), sentences.who(group, 0), group.reasons, told(group.message))
            for group in pending
        ]
        theirs = len(left_to_others(pending)) == sum(len(group.pods) for group in pending)
        yield Reasons("not placed here, and why" if theirs else "stay pending, and why", groups)
        helped = [group for group in pending if group.suggestions]
        yield FactList.of(row for group in helped[:_HELPED] for row in _helps(group))
    if evictions:
        yield _evictions(evictions)


def _workloads(workloads: Sequence[WorkloadPlacement], pending: Sequence[PendingGroup]) -> Table:
    """Pods by workload and node; where not all are shown, those with pods on no node first."""
    shown = [*_several(workloads, pending)]
    if len(shown) > _SHOWN:
        shown = sorted(shown, key=lambda w: not (w[1].pending or w[1].refused or w[1].not_created))
    refused = any(w.refused for w in workloads)
    absent = any(w.not_created for w in workloads)
    columns = [
        Column("workload", CellKind.NAME_CUT),
        Column("want", CellKind.NUMBER),
        Column("placed", CellKind.NUMBER),
        Column("pending", CellKind.NUMBER, alarming=True),
        *([Column("refused", CellKind.NUMBER, alarming=True)] if refused else []),
        *([Column("not created", CellKind.NUMBER, alarming=True)] if absent else []),
        Column("nodes", CellKind.NAMES),
    ]

    def row(shown: tuple[str, WorkloadPlacement]) -> Row:
        title, w = shown
        nodes = NodeNames([(node, f":{count}") for node, count in w.nodes.items()])
        more = [*([w.refused] if refused else []), *([w.not_created] if absent else [])]
        return Row([title, w.wanted, w.placed, w.pending, *more, nodes])

    return Table(columns, LazyRows(shown, row), noun="workload", limits=_LIMITS)


def _several(
    workloads: Sequence[WorkloadPlacement], pending: Sequence[PendingGroup]
) -> Iterator[tuple[str, WorkloadPlacement]]:
    """Workloads with their titles; pods that nothing controls and that wait for the same reasons are told as one."""
    groups = {pod: group for group in pending if group.workloads > 1 for pod in group.pods}
    told: set[str] = set()
    for w in workloads:
        group = groups.get(f"{w.namespace}/{w.name}") if w.kind == _POD else None
        if group is None:
            yield w.title, w
        elif group.workload not in told:
            told.add(group.workload)
            count = group.count
            yield sentences.who(group), replace(w, wanted=count, pending=count)


def _evictions(evictions: Sequence[EvictedVictim]) -> Table:
    """Who is preempted, by whom, and what becomes of them."""
    columns = [
        Column("preempted", CellKind.NAME),
        Column("prio", CellKind.NUMBER, long="priority"),
        Column("node", CellKind.NAME),
        Column("by", CellKind.NAME),
        Column("then", CellKind.NAME),
    ]

    def row(v: EvictedVictim) -> Row:
        then = sentences.then(v)
        told = [f"{v.pod} (priority {v.priority}) on {v.node}", f"  by {v.by}: {then}"]
        return Row([v.pod, v.priority, v.node, v.by, then], told=told)

    return Table(columns, LazyRows(evictions, row), noun="pod", limits=_LIMITS)


def _pods(pods: Sequence[PodPlacement]) -> Table:
    columns = [Column(title, CellKind.NAME) for title in ("pod", "origin", "from", "node")]
    return Table(columns, LazyRows(pods, _pod), noun="pod", limits=_LIMITS)


def _pod(pod: PodPlacement) -> Row:
    name, node = f"{pod.namespace}/{pod.name}", pod.node or _unplaced(pod)
    lines = [
        f"{name}: {pod.origin}",
        *([f"  from {pod.came_from}"] if pod.came_from else []),
        f"  to   {node}",
    ]
    return Row([name, pod.origin, pod.came_from or "-", node], told=lines)


def _queue(report: QueueReport) -> Iterator[Block]:
    """How long pods waited, how long the queue was, who waits at the end and what would move them."""
    titles = ("priority", "pods", "got a node", "median", "p90", "p99", "longest", "most tries")
    columns = [Column(title, CellKind.NUMBER) for title in titles]

    def row(waits: PriorityWaits) -> Row:
        took = map(queue.percentile_text, (waits.median, waits.p90, waits.p99, waits.longest))
        return Row([waits.priority, waits.pods, waits.scheduled, *took, waits.most_attempts])

    yield Table(columns, LazyRows(report.waits, row), noun="priority", limits=_LIMITS)
    told = f"the queue, replayed over {report.seconds:g} s: {plural(report.attempts, 'attempt')}"
    yield FactList.of(queue.facts(report), told)


def _unplaced(pod: PodPlacement) -> str:
    return "not created" if pod.outcome == "NotCreated" else pod.outcome.lower()
