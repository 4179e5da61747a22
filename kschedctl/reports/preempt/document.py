"""A preemption for people: the verdict, the victims, the nodes with what the criteria compare, and what follows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Final

from kschedctl.reports.caveats.made_up import practical_outcome
from kschedctl.reports.document import (
    Block,
    Context,
    Fact,
    FactList,
    Headline,
    Only,
    Reasons,
    ReportDocument,
    TextLines,
)
from kschedctl.reports.explain.group_document import group_block
from kschedctl.reports.explain.groups import GroupReport
from kschedctl.reports.head import head
from kschedctl.reports.medium import BRIEF, FULL, SHORT
from kschedctl.reports.preempt import sentences
from kschedctl.reports.preempt.candidates import EARLIER
from kschedctl.reports.preempt.figures import figures
from kschedctl.reports.preempt.model import CandidateNode, EvictedPod, Preemption
from kschedctl.reports.table import Cell, CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone

_TONES: Final = MappingProxyType({"Scheduled": Tone.YES, "Preempts": Tone.MIXED, "Gated": Tone.MIXED})
_WIDE: Final = 160


def documents(reports: Iterable[Preemption], context: Context) -> Iterator[ReportDocument]:
    """A document a report; what becomes of a group is told with its first member."""
    told: list[GroupReport] = []
    return (document(report, context, told) for report in reports)


def names(reports: Iterable[Preemption]) -> Iterator[str]:
    """The node on which room is made for each candidate, or which it gets as it is; equal pods stand together."""
    for report in reports:
        for _ in range(report.pod.count):
            yield report.nominated_node or report.selected_node or "<none>"


def document(report: Preemption, context: Context, told: list[GroupReport] | None = None) -> ReportDocument:
    """The document of a report.

    Args:
        report: the report.
        context: what it is made for.
        told: the groups of documents above this one, which are not told again; that of this one is added.
    """
    again = told is not None and report.group in told
    if told is not None and report.group is not None and not again:
        told.append(report.group)
    return ReportDocument(
        Headline(_TONES.get(practical_outcome(report), Tone.NO), sentences.verdict(report)),
        head=head(report, context.now),
        changes=report.cluster.changes,
        figures=lambda: figures(report, group_is_told=again),
        blocks=list(_blocks(report, group_is_told=again)),
        width=_WIDE,
    )


def _blocks(report: Preemption, *, group_is_told: bool) -> Iterator[Block]:
    if (lines := report.problems or [report.message] * bool(report.message)) and not group_is_told:
        yield TextLines(lines)
    if report.group is not None and not group_is_told:
        yield group_block(report.group)
    if report.victims and not group_is_told:
        yield _victims(report)
    if report.candidates:
        yield Only(BRIEF, partial(_candidates, report, complete=False))
        yield Only(FULL, partial(_candidates, report, complete=True))
    if report.no_candidates:
        title = "no other candidates" if report.candidates else "why not"
        yield Reasons.plain(title, report.no_candidates)
    yield Only(BRIEF, partial(_aftermath, report))
    yield Only(FULL, partial(_aftermath, report, sys.maxsize))
    yield FactList.of(sentences.notes(report))


def _victims(report: Preemption) -> Table:
    """The victims on the nominated node."""
    columns = [
        Column("victim", CellKind.NAME),
        *([Column("node", CellKind.NAME)] if report.group is not None else []),
        Column("prio", CellKind.NUMBER),
        Column("owner", CellKind.NAME),
        Column("running", CellKind.NAME),
    ]
    told: list[tuple[str | int, ...]] = [
        (
            victim.full_name,
            *([victim.node] if report.group is not None else []),
            victim.priority,
            victim.owner or "none",
            sentences.age(victim, report),
            "; ".join(_remarks(victim)),
        )
        for victim in report.victims
    ]
    if any(row[-1] for row in told):
        columns.append(Column("remarks", plain=True))
    return Table(columns, [Row(row[: len(columns)]) for row in told], noun="victim")


def _remarks(victim: EvictedPod) -> list[str]:
    marks = sentences.marks(victim)
    return [*([marks] if marks else []), *(sentences.budget(charge) for charge in victim.budgets)]


def _candidates(report: Preemption, *, complete: bool) -> Table:
    """The candidate nodes with what the criteria compare; where not `complete`, only what tells them apart."""
    found = report.candidates
    violations = complete or any(node.pdb_violations for node in found)
    starts = complete or bool(report.equal_nodes) or any(n.lost and n.lost.text == EARLIER for n in found)
    fields: list[tuple[Column, Callable[[CandidateNode], Cell]]] = [
        (Column("node", CellKind.NAME), lambda node: node.node),
        (Column("victims", CellKind.NUMBER), lambda node: len(node.victims)),
        *([(Column("violations", CellKind.NUMBER), lambda node: node.pdb_violations)] if violations else []),
        (Column("highest prio", CellKind.NUMBER), lambda node: node.highest_priority),
        (Column("sum", CellKind.NUMBER), lambda node: node.priority_sum),
        *(
            [(Column("newest start", CellKind.NAME), lambda n: sentences.moment(n.start_time))]
            if starts
            else []
        ),
        (Column("verdict", plain=True), lambda node: sentences.verdict_on(node, report)),
        *([(Column("victims"), lambda node: ", ".join(node.victims))] if complete else []),
    ]
    rows = [
        Row([cell(node) for _, cell in fields], chosen=node.node == report.nominated_node) for node in found
    ]
    return Table([column for column, _ in fields], rows, noun="node")


def _aftermath(report: Preemption, most_names: int = sentences.MOST_NAMES) -> FactList:
    """What becomes of the victims."""
    after = report.aftermath
    if after is None or not after.victims:
        return FactList([])
    lines = sentences.tree(after.victims, most_names)
    if len(lines) == 1:
        rest = "; nothing else moves" if after.victims[0].fate == "Moves" else ""
        return FactList([Fact("then", [lines[0][1] + rest])])
    return FactList([Fact("then", [sentences.summary(after)], lines, SHORT)])
