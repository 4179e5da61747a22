"""A consolidation for people: which nodes can go, in which order, what that saves, and why the others stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from kschedctl.objects.phrases import plural
from kschedctl.objects.units import amount_text
from kschedctl.reports.consolidation.model import Consolidation, RemovedNode
from kschedctl.reports.document import Block, Context, FactList, Headline, Reasons, ReportDocument
from kschedctl.reports.figures import Figure
from kschedctl.reports.head import head
from kschedctl.reports.least import above_least, least_text
from kschedctl.reports.money import money
from kschedctl.reports.rooms.grid import room_figures
from kschedctl.reports.sentences import listed
from kschedctl.reports.simulate.document import placement_blocks
from kschedctl.reports.simulate.load import load_blocks
from kschedctl.reports.table import CellKind, Column, NodeNames, Row, Table
from kschedctl.reports.tone import Tone


def documents(reports: Iterable[Consolidation], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report, context) for report in reports)


def names(reports: Iterable[Consolidation]) -> Iterator[str]:
    """The nodes that can go, in order."""
    return (node.name for report in reports for node in report.nodes)


def document(report: Consolidation, context: Context) -> ReportDocument:
    """The document of a report."""
    return ReportDocument(
        Headline(Tone.YES if report.possible else Tone.NO, _verdict(report)),
        lead=list(_lead(report)),
        head=head(report, context.now),
        changes=report.changes,
        figures=lambda: _figures(report),
        blocks=list(_blocks(report)),
    )


def _figures(report: Consolidation) -> list[Figure]:
    """The nodes that go, by round, and those that stay, by why; how full these become."""
    rounds: dict[str, dict[str, str]] = {}
    for node in report.nodes:
        goes = f"goes in round {node.round}" if report.rounds > 1 else "goes"
        rounds.setdefault(goes, {})[node.name] = f"{goes}, {plural(node.pods, 'pod')} to move"
    stays = {f"stays: {group.text}": dict.fromkeys(group.nodes, group.text) for group in report.stays}
    return room_figures(
        "nodes that can go, and why others stay", [*rounds.items(), *stays.items()], report.rooms, bad=stays
    )


def _verdict(report: Consolidation) -> str:
    if report.lacking:
        left = sum(group.count for group in report.lacking)
        return f"no node can go: {plural(left, 'pod')} find{'s' * (left == 1)} no node even with all of them"
    if report.failed:
        return f"no node can go: even with all of them {_failed(report)}"
    if not report.nodes:
        return f"none of {plural(report.total, 'node')} can go"
    text = f"{len(report.nodes)} of {plural(report.total, 'node')} can go"
    if report.priced:
        text += f": {money(report.cost - report.cost_after)} of {money(report.cost)} an hour saved"
    text += f", {plural(report.moved, 'pod')} move{'s' * (report.moved == 1)}"
    if report.moves > report.moved:
        return f"{text} {report.moves} times"
    return f"{text} once" if report.moved else text


def _failed(report: Consolidation) -> str:
    names = report.failed
    if len(names) == 1 and " " in names[0]:
        return names[0]
    return f"the failure of {' and '.join(names)} is not survived"


def _lead(report: Consolidation) -> Iterator[str]:
    if report.bound is None or not report.total:
        return
    above = above_least(report.cost_after, report.bound, report.survives, priced=report.priced)
    if above is None:
        least = least_text(report.bound, priced=report.priced)
        yield f"nobody can keep less: what stays comes to {least}, the least"
    else:
        kept = money(report.cost_after) if report.priced else f"{report.cost_after:.0f}"
        yield f"what stays comes to {kept}, {above}"


def _blocks(report: Consolidation) -> Iterator[Block]:
    if report.nodes:
        yield _table(report)
    yield from placement_blocks(report.lacking, [])
    if report.stays:
        yield Reasons.plain("stay, and why", [_Why(group.text, group.nodes) for group in report.stays])
    yield FactList.of(list(_facts(report)))
    yield from load_blocks(report)


class _Why(Struct, frozen=True):
    text: str
    nodes: list[str]


def _table(report: Consolidation) -> Table:
    shaped = any(node.shape for node in report.nodes)
    pooled = not shaped and any(node.pool for node in report.nodes)
    zoned = any(node.zone for node in report.nodes)
    columns = [
        *([Column("round", CellKind.NUMBER)] if report.rounds > 1 else []),
        Column("step", CellKind.NUMBER),
        Column("node", CellKind.NAME),
        *([Column("shape", CellKind.NAME)] if shaped else []),
        *([Column("pool", CellKind.NAME)] if pooled else []),
        *([Column("zone", CellKind.NAME)] if zoned else []),
        *([Column("saves", CellKind.NUMBER), Column("in all", CellKind.NUMBER)] if report.priced else []),
        Column("pods", CellKind.NUMBER),
        Column("waves", CellKind.NUMBER),
        Column("to", CellKind.NAMES),
    ]

    def row(step: int, node: RemovedNode) -> Row:
        cells: list[str | int | NodeNames] = [node.round] if report.rounds > 1 else []
        cells += [step, node.name]
        cells += [node.shape or ""] if shaped else []
        cells += [node.pool or ""] if pooled else []
        cells += [node.zone or ""] if zoned else []
        cells += [money(node.price_per_hour), money(node.saved)] if report.priced else []
        going = NodeNames([(name, f":{count}") for name, count in node.destinations.items()])
        return Row([*cells, node.pods, node.waves, going])

    return Table(columns, [row(at, node) for at, node in enumerate(report.nodes, 1)], noun="node")


def _facts(report: Consolidation) -> Iterator[tuple[str, str]]:
    if report.nodes:
        which = "all of them" if report.rounds == 1 else "those of a round"
        yield (
            "order",
            f"cordon {which}, then drain one after the other; after each step everything has a node",
        )
        freed = (f"{amount_text(name, amount)} {name}" for name, amount in report.given_back.items())
        yield "gives back", ", ".join(freed)
        waited = {budget for node in report.nodes for budget in node.waited_for}
        if waited:
            yield "waits", f"for {listed(sorted(waited), 4)} before some evictions"
    survived = [plural(count, kind.removesuffix("s")) for kind, count in report.survives.items() if count]
    if survived and report.possible:
        yield "survives", f"the loss of any {' or '.join(survived)} in the end"
    if report.headroom:
        yield "headroom", f"{', '.join(report.headroom)} stays free on every node"
    if report.pending:
        left = sum(group.count for group in report.pending)
        yield "note", f"{plural(left, 'pod')} without a node even with all nodes: left out"
    if report.trials:
        end = "" if report.all_tried else "; the search was cut off, --trials lets it go on"
        yield (
            "tried",
            f"{plural(report.trials, 'way')} through the nodes; the drain is simulated from scratch{end}",
        )
