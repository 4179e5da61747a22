"""An explanation for people: the verdict, the points of the best nodes, why not the others, what it hangs on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from kschedctl.framework.registry import Registry
from kschedctl.objects.units import amount_text
from kschedctl.plugins.registry import IN_TREE
from kschedctl.reports.caveats.groups import JUDGED_ALONE
from kschedctl.reports.caveats.made_up import practical_outcome
from kschedctl.reports.document import (
    Block,
    Context,
    FactList,
    Headline,
    Only,
    Reasons,
    ReportDocument,
    Section,
    TextLines,
)
from kschedctl.reports.explain import sentences
from kschedctl.reports.explain.background import BackgroundReport, cell_text
from kschedctl.reports.explain.figures import figures
from kschedctl.reports.explain.group_document import group_block
from kschedctl.reports.explain.groups import GroupReport
from kschedctl.reports.explain.holders import remarks
from kschedctl.reports.explain.model import Explanation, Failure, Holder, NodeReport, PreemptionCandidate
from kschedctl.reports.explain.notes import event_notes, notes
from kschedctl.reports.explain.reasons import natural_key
from kschedctl.reports.explain.stories import story_blocks
from kschedctl.reports.head import head
from kschedctl.reports.medium import BRIEF, FULL, UNLIMITED, Medium
from kschedctl.reports.rooms.histogram import room_blocks
from kschedctl.reports.sentences import tally
from kschedctl.reports.suggest.sentences import in_full
from kschedctl.reports.table import CellKind, Column, LazyRows, Row, Table
from kschedctl.reports.tone import Tone

_TONES: Final = MappingProxyType({"Scheduled": Tone.YES, "Gated": Tone.MIXED})
_BEST: Final = MappingProxyType({Medium.TABLE: 5, Medium.MARKDOWN: 10})
_DOMAINS: Final = MappingProxyType({Medium.TABLE: 5, Medium.MARKDOWN: 10, Medium.WIDE: 40})
_NOTES: Final = MappingProxyType({Medium.TABLE: 2})


def documents(reports: Iterable[Explanation], context: Context) -> Iterator[ReportDocument]:
    """A document a report, and where there are several, how many of the pods find a node."""
    told = pods = placed = 0
    groups: list[GroupReport] = []
    alone: set[str] = set()
    for report in reports:
        yield document(_with_alone(report, alone), context, groups)
        told += 1
        pods += report.pod.count
        placed += report.pod.count if report.scheduled else 0
    if told > 1:
        yield ReportDocument(Headline(Tone.PLAIN, tally(placed, pods)), about_all=True)


def _with_alone(report: Explanation, told: set[str]) -> Explanation:
    """The report with a word of its own where a caveat about its group, which is told once, holds for it too."""
    caveats = []
    for caveat in report.cluster.caveats:
        if caveat.code in JUDGED_ALONE and caveat.message in told:
            text = f"what is said above of its pod group holds for {report.pod.full_name}, too"
            caveat = replace(caveat, message=text)
        elif caveat.code in JUDGED_ALONE:
            told.add(caveat.message)
        caveats.append(caveat)
    return replace(report, cluster=replace(report.cluster, caveats=caveats))


def names(reports: Iterable[Explanation]) -> Iterator[str]:
    """The node of each candidate, `<none>` where it has none; equal pods stand together."""
    for report in reports:
        for _ in range(report.pod.count):
            yield report.selected_node or "<none>"


def document(report: Explanation, context: Context, told: list[GroupReport] | None = None) -> ReportDocument:
    """The document of a report.

    Args:
        report: the report.
        context: what it is made for.
        told: the groups of documents above this one, which are not told again; that of this one is added.
    """
    group = report.group
    if told is not None and group is not None:
        if group in told:
            group = None
        else:
            told.append(group)
    registry = context.registry or IN_TREE
    return ReportDocument(
        Headline(_TONES.get(practical_outcome(report), Tone.NO), sentences.verdict(report)),
        lead=[sentences.points(report)] if report.scheduled else [],
        head=head(report, context.now),
        changes=report.cluster.changes,
        figures=lambda: figures(report, registry, group),
        blocks=list(_blocks(report, group, registry)),
    )


def _blocks(report: Explanation, group: GroupReport | None, registry: Registry) -> Iterator[Block]:
    if lines := report.problems or [report.message] * bool(report.message):
        place = f"{report.pod.source}:" if report.problems and report.pod.source else ""
        yield TextLines(lines, head=place)
    if group is not None:
        yield group_block(group)
    if report.stories:
        yield from story_blocks(report.stories)
        yield FactList.of([("caveat", caveat.message) for caveat in report.cluster.caveats])
        return
    if report.scored:
        yield _scores(report, registry)
    if report.reasons:
        title = "why not the others" if report.scheduled else "why not"
        whys = Reasons.plain(title, report.reasons, report.cluster.nodes)
        yield Only(BRIEF | {Medium.HTML}, lambda: whys)
        for behind in _behind_reasons(report):
            yield Only(BRIEF, partial(_background, behind))
    if any(not node.feasible for node in report.nodes):
        yield Only(FULL, partial(_failures, report))
    for behind in report.background:
        yield Only(FULL, partial(_background, behind))
    yield from room_blocks(report.rooms)
    if report.holders:
        yield Only(FULL, partial(_holders, report.holders))
    if report.preemption is not None and report.preemption.candidates:
        yield Only(FULL, partial(_candidates, report.preemption.candidates, report.preemption.nominated))
    yield Only(BRIEF, lambda: FactList.of(notes(report)))
    yield Only(FULL, lambda: FactList.of(notes(report, complete=True)))
    if report.searched == "fully":
        yield from in_full(report.suggestions)
    events = FactList.of(event_notes(report))
    yield Only(frozenset(Medium) - {Medium.TABLE}, lambda: events) if report.scheduled else events


def _scores(report: Explanation, registry: Registry) -> Table:
    """The best nodes with what each plugin gives them, times its weight."""
    ranked = sentences.ranking(report)
    scores = ranked[0].scores
    columns = [
        Column(
            registry.score_title(plugin),
            CellKind.NUMBER,
            long=plugin,
            suffix="" if score.weight == 1 else f" x{score.weight}",
            optional=True,
        )
        for plugin, score in scores.items()
    ]

    def row(node: NodeReport) -> Row:
        points = [node.scores[plugin].weighted for plugin in scores]
        return Row([node.name, node.total or 0, *points], chosen=node.name == report.selected_node)

    return Table(
        [Column("node", CellKind.NAME_CUT), Column("total", CellKind.NUMBER), *columns],
        LazyRows(ranked, row),
        noun="node",
        limits=_BEST,
    )


def _failures(report: Explanation) -> Table:
    """A row a node and reason; the plugin that kube-scheduler reports comes first."""
    rejected = [node for node in report.nodes if not node.feasible]
    rows = []
    for node in sorted(rejected, key=lambda node: natural_key(node.name)):
        for failure in node.all_failures:
            rows += [Row([node.name, failure.plugin, text]) for text in _texts(failure)]
        if not node.all_failures:
            rows.append(Row([node.name, "", "not looked at"]))
    columns = [
        Column("node", CellKind.NAME_CUT, merged=True),
        Column("plugin", merged=True),
        Column("why not"),
    ]
    return Table(columns, rows, noun="line", limits=UNLIMITED)


def _texts(failure: Failure) -> list[str]:
    return [detail.text for detail in failure.details] or failure.reasons


def _background(found: BackgroundReport) -> Section:
    """The facts behind a plugin's answers: a title, a small table, and what has to be known besides."""
    blocks: list[Block] = []
    if found.rows:
        first = found.rows[0]
        numbers = [
            isinstance(first[n], int | float) and not isinstance(first[n], bool) for n in found.columns
        ]
        columns = [
            Column(name, CellKind.NUMBER if number else CellKind.TEXT)
            for name, number in zip(found.columns, numbers, strict=True)
        ]
        rows = [Row([cell_text(row[name]) for name in found.columns]) for row in found.rows]
        blocks.append(Table(columns, rows, noun=found.columns[0], limits=_DOMAINS))
    if found.notes:
        blocks.append(TextLines(found.notes, dim=True, limits=_NOTES))
    return Section(found.title, blocks)


def _holders(holders: Sequence[Holder]) -> Table:
    """Who holds what is short on the closest nodes: all of them, the largest first."""
    columns = [
        Column("in the way on", CellKind.NAME_CUT, merged=True),
        Column("resource", merged=True),
        Column("pod", CellKind.NAME_CUT),
        Column("has", CellKind.NUMBER),
        Column("priority", CellKind.NUMBER),
        Column("owner", CellKind.NAME_CUT),
        Column("remarks"),
    ]

    def row(one: Holder) -> Row:
        has = amount_text(one.resource, one.amount)
        return Row([one.node, one.resource, one.pod, has, one.priority, one.owner or "none", remarks(one)])

    return Table(columns, LazyRows(holders, row), noun="pod", limits=UNLIMITED)


def _candidates(candidates: Sequence[PreemptionCandidate], nominated: str | None) -> Table:
    """Where evicting pods would make room."""
    rows = []
    for candidate in candidates:
        victims = ", ".join(
            f"{v.namespace}/{v.name} (priority {v.priority}{', breaks a budget' if v.breaks_budget else ''})"
            for v in candidate.victims
        )
        chosen = "chosen" if candidate.node == nominated else "equal"
        verdict = f"loses by {candidate.lost_by}" if candidate.lost_by else chosen
        rows.append(Row([candidate.node, victims, verdict]))
    columns = [Column("preempt on", CellKind.NAME_CUT), Column("victims"), Column("verdict", plain=True)]
    return Table(columns, rows, noun="node", limits=UNLIMITED)


def _behind_reasons(report: Explanation) -> list[BackgroundReport]:
    """The facts behind the verdicts of the plugins that reject a node."""
    rejecting = {group.plugin for group in report.reasons}
    return [found for found in report.background if found.asked == "Filter" and found.plugin in rejecting]
