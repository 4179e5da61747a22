"""A drain for people: the verdict, the waves, what holds it up, how full the rest becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from kschedctl.reports.document import Block, Context, FactList, Headline, Only, ReportDocument
from kschedctl.reports.drain import sentences
from kschedctl.reports.drain.figures import figures
from kschedctl.reports.drain.model import Drain, DrainedPod
from kschedctl.reports.head import head
from kschedctl.reports.medium import FULL, Medium
from kschedctl.reports.simulate.document import placement_blocks
from kschedctl.reports.simulate.groups import group_blocks
from kschedctl.reports.simulate.load import load_blocks
from kschedctl.reports.simulate.other_schedulers import left_to_others
from kschedctl.reports.simulate.timeline import timeline_blocks
from kschedctl.reports.table import CellKind, Column, LazyRows, NodeNames, Row, Table
from kschedctl.reports.tone import Tone

_LIMITS: Final = MappingProxyType({Medium.TABLE: 24, Medium.MARKDOWN: 100})
_NOT_WIDE: Final = frozenset(Medium) - {Medium.WIDE}


def documents(reports: Iterable[Drain], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report, context) for report in reports)


def names(reports: Iterable[Drain]) -> Iterator[str]:
    """Each pod that moves and its new node."""
    for report in reports:
        for pod in report.evicted:
            yield f"{pod.full_name} {pod.placed_on or '<none>'}"


def document(report: Drain, context: Context) -> ReportDocument:
    """The document of a report."""
    return ReportDocument(
        Headline(Tone.YES if report.possible else Tone.NO, sentences.verdict(report)),
        head=head(report, context.now),
        changes=report.changes,
        figures=lambda: figures(report),
        blocks=list(_blocks(report)),
    )


def _blocks(report: Drain) -> Iterator[Block]:
    if report.evicted:
        yield Only(_NOT_WIDE, lambda: _waves(report))
        yield Only(FULL, lambda: _pods(report))
    yield from group_blocks(report.groups)
    yield from placement_blocks(report.pending, report.evictions)
    yield FactList.of(sentences.notes(report))
    if report.timeline is not None:
        yield from timeline_blocks(report.timeline, report.seconds)
    yield from load_blocks(report)


def _waves(report: Drain) -> Table:
    """What moves, by wave and workload."""
    moves = sentences.moves(report)
    waited = any(move.waited_for for move in moves)
    columns = [
        Column("wave", CellKind.NUMBER, merged=True),
        Column("workload", CellKind.NAME_CUT),
        Column("pods", CellKind.NUMBER),
        Column("from", CellKind.NAMES),
        Column("to", CellKind.NAMES),
        *([Column("waited for", CellKind.NAME_CUT)] if waited else []),
    ]
    rows = [
        Row(
            [
                move.wave,
                move.workload,
                move.pods,
                NodeNames(move.origins),
                NodeNames(move.destinations),
                *([", ".join(move.waited_for)] if waited else []),
            ]
        )
        for move in moves
    ]
    return Table(columns, rows, limits=_LIMITS)


def _pods(report: Drain) -> Table:
    """What moves, pod by pod."""
    columns = [
        Column("wave", CellKind.NUMBER),
        *(Column(title, CellKind.NAME) for title in ("pod", "from", "to", "waited for")),
    ]
    pods: Sequence[DrainedPod] = sorted(report.evicted, key=lambda pod: pod.wave or 0)
    theirs = frozenset(left_to_others(report.pending))
    return Table(columns, LazyRows(pods, partial(_pod, theirs)), noun="pod", limits=_LIMITS)


def _pod(theirs: frozenset[str], pod: DrainedPod) -> Row:
    budgets, destination = ", ".join(pod.waited_for), sentences.destination(pod, theirs)
    waited = f", after it waited for {budgets}" if budgets else ""
    told = [f"{pod.full_name} in wave {pod.wave}{waited}", f"  from {pod.node}", f"  to   {destination}"]
    return Row([pod.wave or 0, pod.full_name, pod.node, destination, budgets], told=told)
