"""Capacity for people: how many fit, on which nodes, and what limits them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kschedctl.reports.capacity import sentences
from kschedctl.reports.capacity.model import Capacity, NodeCapacity
from kschedctl.reports.document import Block, Context, FactList, Headline, Reasons, ReportDocument, TextLines
from kschedctl.reports.figures import NodeGrid, NodeGroup
from kschedctl.reports.head import head
from kschedctl.reports.medium import UNLIMITED, Medium
from kschedctl.reports.rooms.grid import room_grid
from kschedctl.reports.rooms.strips import room_strips
from kschedctl.reports.simulate.load import load_blocks
from kschedctl.reports.table import CellKind, Column, LazyRows, Row, Table
from kschedctl.reports.tone import Tone

_SHOWN: Final = 20
_SHOWN_IN_MARKDOWN: Final = 100


def documents(reports: Iterable[Capacity], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report, context) for report in reports)


def names(reports: Iterable[Capacity]) -> Iterator[str]:
    """Each node and how many of each kind fit."""
    for report in reports:
        for node in report.nodes:
            yield " ".join([node.name, *map(str, node.fits)])


def document(report: Capacity, context: Context) -> ReportDocument:
    """The document of a report."""
    enough = report.sets > 0 and not (report.target and report.target.missing)
    return ReportDocument(
        Headline(Tone.YES if enough else Tone.NO, sentences.verdict(report)),
        head=head(report, context.now),
        changes=report.changes,
        figures=lambda: [*([_grid(report)] if report.nodes else []), *room_strips(report.rooms)],
        blocks=list(_blocks(report)),
    )


def _blocks(report: Capacity) -> Iterator[Block]:
    if len(report.pods) > sentences.MOST_NAMED:
        yield _kinds(report)
    if report.nodes:
        yield _nodes(report)
    if report.reasons:
        yield Reasons.plain("why no more", report.reasons)
    elif report.message:
        yield TextLines([report.message])
    if report.target and report.target.reasons:
        title = f"why not with {report.target.tried} nodes more"
        yield Reasons.plain(title, report.target.reasons)
    yield FactList.of(sentences.notes(report))
    yield from load_blocks(report)


def _grid(report: Capacity) -> NodeGrid:
    """Every node by how many more it takes, most first."""
    groups: dict[int, list[tuple[str, str]]] = {}
    for node in report.nodes:
        limits = f", then {'; '.join(node.limits)}" if node.limits else ""
        groups.setdefault(node.total, []).append((node.name, f"{node.total} more{limits}"))
    return room_grid(
        "nodes by how many more they take",
        [
            NodeGroup(f"{total} more" if total else "none", total > 0, nodes)
            for total, nodes in groups.items()
        ],
        "how many more",
        report.rooms,
    )


def _kinds(report: Capacity) -> Table:
    """The kinds of pods, where they are too many for columns."""
    columns = [
        Column("workload", CellKind.NAME_CUT),
        Column("in a set", CellKind.NUMBER),
        Column("fit", CellKind.NUMBER),
        Column("nodes", CellKind.NUMBER),
    ]
    rows = [
        Row([pod.source, pod.share, pod.fits, sum(node.fits[at] > 0 for node in report.nodes)])
        for at, pod in enumerate(report.pods)
    ]
    return Table(columns, rows, noun="workload", limits=UNLIMITED)


def _nodes(report: Capacity) -> Table:
    """The nodes, those that take most first; where not all are shown, those that take any."""
    taking = sum(node.total > 0 for node in report.nodes) or len(report.nodes)
    many = len(report.pods) > sentences.MOST_NAMED
    each = len(report.pods) > 1 and not many
    if each:
        fits = [
            Column(pod.source.rpartition("/")[2], CellKind.NUMBER, long=pod.source) for pod in report.pods
        ]
    else:
        fits = [Column("pods" if many else "fits", CellKind.NUMBER)]
    columns = [Column("node", CellKind.NAME_CUT), *fits, Column("then limited by")]

    def row(node: NodeCapacity) -> Row:
        return Row([node.name, *(node.fits if each else [node.total]), "; ".join(node.limits)])

    limits = {Medium.TABLE: min(_SHOWN, taking), Medium.MARKDOWN: min(_SHOWN_IN_MARKDOWN, taking)}
    return Table(columns, LazyRows(report.nodes, row), noun="node", limits=limits)
