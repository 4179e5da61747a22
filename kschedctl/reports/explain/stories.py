"""The whole story of single nodes, and of one node against another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from kschedctl.objects.well_known import CORDON_TAINT
from kschedctl.reports.document import Block, FactList, Section, TextLines
from kschedctl.reports.model import ReportObject, doc
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.reports.suggest.sentences import fits_if
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.scheduling.decision import Decision


class PluginPoints(ReportObject, frozen=True, kw_only=True):
    """What a plugin gives a node."""

    plugin: Annotated[str, doc("The plugin.")]
    points: Annotated[int, doc("Weighted points.")]
    other: Annotated[
        int | None, doc("What it gives the node beside which this one is held; null: there is none.")
    ]
    why: Annotated[str, doc("What tells the two apart; empty where there are no words for it.")]


class NodeStory(ReportObject, frozen=True, kw_only=True):
    """Everything about one node."""

    node: Annotated[str, doc("Its name.")]
    verdict: Annotated[str, doc("What becomes of it, in a sentence.")]
    reasons: Annotated[list[str], doc("Every reason that keeps the pod away; empty where nothing does.")]
    rank: Annotated[int | None, doc("Its place among the scored nodes, from 1; null: it was not scored.")]
    total: Annotated[int | None, doc("The sum of its points.")]
    beside: Annotated[
        str | None, doc("The node beside which it is held: the one that is taken, or as asked.")
    ]
    points: Annotated[list[PluginPoints], doc("Plugin by plugin, the largest difference first.")]
    helps: Annotated[
        list[SuggestionReport],
        doc(
            "What would let the pod have the node; where it could: what would let the node win. Each is proved."
        ),
    ]


def story_of(decision: Decision, name: str, beside: str | None, helps: list[SuggestionReport]) -> NodeStory:
    """The story of a node; to be made while the cluster is as it was decided."""
    cluster = decision.cluster
    row = cluster.nodes.row_of[name]
    feasible = decision.feasible is not None and row in decision.feasible.tolist()
    scores = decision.scores
    rank = total = None
    points: list[PluginPoints] = []
    if feasible and scores is not None:
        place = scores.feasible.tolist().index(row)
        total = int(scores.totals[place])
        rank = 1 + int((scores.totals > total).sum())
        points = _points(decision, row, beside)
    return NodeStory(
        node=name,
        verdict=_verdict(decision, name, rank, total, feasible=feasible),
        reasons=[] if feasible else list(_reasons(decision, row)),
        rank=rank,
        total=total,
        beside=beside,
        points=points,
        helps=helps,
    )


def _points(decision: Decision, row: int, beside: str | None) -> list[PluginPoints]:
    scores, framework = decision.scores, decision.framework
    assert scores is not None
    assert framework is not None
    rows = scores.feasible.tolist()
    at = rows.index(row)
    other = decision.cluster.nodes.row_of.get(beside or "", -1)
    there = rows.index(other) if other in rows and other != row else None
    found = []
    for column in scores.columns:
        mine = int(column.weighted[at])
        theirs = None if there is None else int(column.weighted[there])
        why = ""
        if theirs is not None and theirs != mine and framework.has(column.plugin):
            plugin = framework.plugin(column.plugin)
            why = plugin.score_gap(decision.pod, decision.cluster, scores.feasible, row, other)
        found.append(PluginPoints(plugin=column.plugin, points=mine, other=theirs, why=why))
    return sorted(found, key=lambda p: -abs(p.points - (p.points if p.other is None else p.other)))


def _verdict(decision: Decision, name: str, rank: int | None, total: int | None, *, feasible: bool) -> str:
    if not feasible:
        row = decision.cluster.nodes.row_of[name]
        examined = decision.examined is not None and bool(decision.examined[row])
        if not examined and decision.phase is not None and decision.phase.narrowed_by:
            named = " and ".join(sorted(decision.phase.narrowed_by))
            return f"{name} could never be chosen: {named} leaves it out before any filter is asked"
        if not examined:
            return f"{name} is not looked at: the pod is refused before any node is"
        return f"{name} cannot take the pod"
    if decision.selected_node == name:
        return f"{name} takes the pod"
    if rank is None:
        return f"{name} could take the pod, and is not scored"
    tied = " with the same points" if decision.cluster.nodes.row_of[name] in decision.ties else ""
    scored = 0 if decision.scores is None else len(decision.scores.feasible)
    return f"{name} could take the pod{tied}: {total} points, place {rank} of {scored}"


def _reasons(decision: Decision, row: int) -> Iterator[str]:
    """Every reason, that which kube-scheduler reports first."""
    details = decision.details_of(row)
    if details:
        cordoned = any(detail.subject == "cordoned" for detail in details)
        for detail in details:
            if not (cordoned and CORDON_TAINT in detail.subject):
                yield detail.text
        return
    for status in decision.failures_of(row):
        yield from status.reasons


def story_blocks(stories: Sequence[NodeStory]) -> Iterator[Block]:
    """The stories for people."""
    for story in stories:
        blocks: list[Block] = []
        if story.reasons:
            blocks.append(TextLines(story.reasons))
        if story.points:
            blocks.append(_table(story))
        if story.helps:
            label = "fits if" if story.reasons else "wins if"
            blocks.append(FactList.of(fits_if(story.helps, label, where=bool(story.reasons))))
        elif story.reasons:
            blocks.append(FactList.of([("fits if", "no small change was found")]))
        yield Section(story.verdict, blocks)


def _table(story: NodeStory) -> Table:
    compared = any(point.other is not None for point in story.points)
    columns = [Column("plugin"), Column(story.node, CellKind.NUMBER)]
    if compared:
        columns += [Column(story.beside or "", CellKind.NUMBER), Column("why")]
    rows = [
        Row([p.plugin, p.points, p.other or 0, p.why] if compared else [p.plugin, p.points])
        for p in story.points
    ]
    return Table(columns, rows, noun="plugin")
