"""A plan for people: what to buy, what it costs, how far from the least it can be, and who is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import Block, Concerned, Context, FactList, Headline, Reasons, ReportDocument
from kschedctl.reports.figures import Figure
from kschedctl.reports.head import head
from kschedctl.reports.least import above_least, least_text
from kschedctl.reports.money import money
from kschedctl.reports.plan.model import BoughtNodes, NodePlan
from kschedctl.reports.rooms.grid import room_figures
from kschedctl.reports.simulate.document import placement_blocks
from kschedctl.reports.simulate.load import load_blocks
from kschedctl.reports.simulate.model import PendingGroup
from kschedctl.reports.simulate.sentences import who
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone


def documents(reports: Iterable[NodePlan], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report, context) for report in reports)


def names(reports: Iterable[NodePlan]) -> Iterator[str]:
    """Each shape with its zone and number."""
    for report in reports:
        for bought in report.nodes:
            yield " ".join(filter(None, (bought.shape, bought.zone, str(bought.count))))


def document(report: NodePlan, context: Context) -> ReportDocument:
    """The document of a report."""
    return ReportDocument(
        Headline(Tone.YES if report.possible else Tone.NO, _verdict(report) + _preempted(report)),
        lead=list(_lead(report)),
        head=head(report, context.now),
        changes=report.changes,
        figures=lambda: _figures(report),
        blocks=list(_blocks(report)),
    )


def _figures(report: NodePlan) -> list[Figure]:
    """What is bought beside what is there, and how full it becomes."""
    bought = {room.name: "" for room in report.rooms if room.before is None}
    return room_figures("nodes with what is bought", [("bought", bought)], report.rooms)


def _verdict(report: NodePlan) -> str:
    bought = _bought(report)
    left = report.pods - report.placed
    if report.failed:
        return (
            f"{bought} take all {plural(report.pods, 'pod')}, but not without {' and '.join(report.failed)}"
        )
    if left:
        return f"{left} of {plural(report.pods, 'pod')} find no node, whatever is bought; {bought} take the others"
    if not report.nodes:
        return f"nothing has to be bought: all {plural(report.pods, 'pod')} find a node"
    if not report.possible:
        return f"{bought} take all {plural(report.pods, 'pod')}, for more than {money(report.max_cost or 0)} an hour"
    return f"{bought} take all {plural(report.pods, 'pod')}"


def _preempted(report: NodePlan) -> str:
    return f", {plural(len(report.evictions), 'running pod')} preempted" if report.evictions else ""


def _bought(report: NodePlan) -> str:
    count = plural(sum(bought.count for bought in report.nodes), "node")
    return f"{count} for {money(report.cost)} an hour" if report.priced else count


def _lead(report: NodePlan) -> Iterator[str]:
    if report.bound is None or not report.nodes:
        return
    above = above_least(report.cost, report.bound, report.survives, priced=report.priced)
    least = least_text(report.bound, priced=report.priced)
    yield f"nobody can do it for less: the least is {least}" if above is None else above


def _blocks(report: NodePlan) -> Iterator[Block]:
    if report.nodes:
        yield _table(report)
    for title, groups in (("no shape can take", report.homeless), ("still without a node", report.pending)):
        if groups:
            yield Reasons(title, [_concerned(group) for group in groups])
    yield FactList.of(list(_facts(report)))
    yield from placement_blocks([], report.evictions)
    yield from load_blocks(report)


def _table(report: NodePlan) -> Table:
    zoned = any(bought.zone for bought in report.nodes)
    columns = [
        Column("buy", CellKind.NUMBER),
        Column("shape", CellKind.NAME),
        *([Column("zone", CellKind.NAME)] if zoned else []),
        *([Column("an hour", CellKind.NUMBER)] if report.priced else []),
        Column("pods", CellKind.NUMBER),
        Column("limited by"),
        Column("stays free"),
    ]

    def row(bought: BoughtNodes) -> Row:
        free = sorted(bought.stranded.items(), key=lambda item: -item[1])
        free = [(name, share) for name, share in free if name != "pods"]
        cells: list[str | int] = [bought.count, bought.shape]
        cells += [bought.zone] if zoned else []
        cells += [money(bought.cost)] if report.priced else []
        cells += [
            bought.pods,
            ", ".join(bought.full),
            ", ".join(f"{name} {share:.0%}" for name, share in free),
        ]
        return Row(cells)

    return Table(columns, [row(bought) for bought in report.nodes], noun="shape")


def _concerned(group: PendingGroup) -> Concerned:
    return Concerned(who(group, 0), who(group, 0), group.reasons, group.message)


def _facts(report: NodePlan) -> Iterator[tuple[str, str]]:
    survived = [plural(count, kind.removesuffix("s")) for kind, count in report.survives.items() if count]
    if survived and report.possible:
        yield "survives", f"the loss of any {' or '.join(survived)}"
    if report.headroom:
        yield "headroom", f"{', '.join(report.headroom)} stays free on every node"
    yield (
        "order",
        "daemons start before other pods on new nodes; then pods by priority, in the order of the manifests",
    )
    end = "" if report.all_tried else "; the search was cut off, a cheaper mix may be there"
    yield "tried", f"{report.trials} mixes of nodes, each simulated with the real profile{end}"
