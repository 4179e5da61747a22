"""An explanation in pictures: every node by what speaks against it, and what the points of the best are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from kschedctl.framework.registry import Registry
from kschedctl.objects.phrases import plural
from kschedctl.reports.explain.group_figures import group_panels
from kschedctl.reports.explain.groups import GroupReport
from kschedctl.reports.explain.model import Explanation, NodeReport
from kschedctl.reports.explain.sentences import ranking
from kschedctl.reports.figures import Bar, Bars, Colouring, Curve, Curves, Figure, NodeGroup, StackedBars
from kschedctl.reports.rooms.grid import room_grid
from kschedctl.reports.tone import Tone

_BEST: Final = 12
_MOST_DOMAINS: Final = 40
_FEW_NODES: Final = 4
"""Of fewer a curve tells nothing that a sentence does not."""


def figures(report: Explanation, registry: Registry, group: GroupReport | None) -> list[Figure]:
    """The pictures of a report; of a pod that no node was looked at for none but those of its group.

    Args:
        report: the report.
        registry: says how plugins are titled.
        group: the group that is told with it; None: it has none, or that is told already.
    """
    found: list[Figure] = []
    if report.nodes:
        grid = room_grid("nodes", list(_groups(report)), "the reason that most share", report.rooms)
        found.append(replace(grid, colourings=[_verdicts(report), _first_reasons(report)]))
    if report.scored:
        best = ranking(report)[:_BEST]
        plugins = list(best[0].scores)
        bars = [(node.name, [node.scores[plugin].weighted for plugin in plugins]) for node in best]
        found.append(
            StackedBars("points by plugin", [registry.score_title(plugin) for plugin in plugins], bars)
        )
    if (versus := report.comparison) is not None and versus.gaps:
        gaps = [
            Bar(
                registry.score_title(gap.plugin),
                gap.points,
                gap.why,
                Tone.YES if gap.points > 0 else Tone.NO,
            )
            for gap in versus.gaps
        ]
        found.append(Bars(f"why {versus.selected} over {versus.runner_up}: points by plugin", gaps))
    found += _pieces(report)
    panels = [] if group is None else group_panels(group)
    return [*found, *_domains(report), *panels]


def _pieces(report: Explanation) -> Iterator[Curves]:
    """What is free on the nodes that take pods of what is short, and what the pod needs in one piece."""
    there = [room for room in report.rooms if room.is_open]
    for short in report.room:
        free = sorted((room.free(short.resource) for room in there), reverse=True)
        if len(free) < _FEW_NODES:
            continue
        pieces = [
            (float(at), float(amount)) for at, amount in enumerate(free) if not at or free[at - 1] != amount
        ]
        curves = [Curve("free", pieces), Curve("needed", [(0.0, float(short.needs))])]
        title = f"free {short.resource} by node, the largest piece first, and what the pod needs"
        yield Curves(title, "nodes", len(free), curves, resource=short.resource)


def _domains(report: Explanation) -> Iterator[Bars]:
    """How many pods each domain of a spread constraint has, with the most that the constraint allows."""
    for behind in report.background:
        if behind.asked != "Filter" or not {"pods", "fits", "skew"} <= set(behind.columns):
            continue
        bars = [
            Bar(
                str(row[behind.columns[0]]),
                int(row["pods"] or 0),
                f"{'fits' if row['fits'] else 'no'}: one more makes skew {row['skew']}",
                Tone.YES if row["fits"] else Tone.NO,
            )
            for row in behind.rows[:_MOST_DOMAINS]
        ]
        left = len(behind.rows) - len(bars)
        yield Bars(f"{behind.title}; {plural(left, 'more domain')} not shown" if left else behind.title, bars)


def _verdicts(report: Explanation) -> Colouring:
    """Where the pod goes, could go and cannot."""
    kinds = [("goes here", True), ("feasible", True), ("refused", False), ("not looked at", False)]

    def kind(node: NodeReport) -> int:
        if node.feasible:
            return 0 if node.name == report.selected_node else 1
        return 2 if node.examined else 3

    return Colouring("verdict", kinds, {node.name: kind(node) for node in report.nodes})


def _first_reasons(report: Explanation) -> Colouring:
    """What kube-scheduler reports of the nodes that it refuses, that of most nodes first."""
    reasons = {node.name: ", ".join(node.status.reasons) for node in report.nodes if node.status is not None}
    kinds = [reason for reason, _ in Counter(reasons.values()).most_common()]
    places = {reason: at for at, reason in enumerate(kinds)}
    return Colouring(
        "first reason",
        [(reason or "no reason", False) for reason in kinds],
        {name: places[reason] for name, reason in reasons.items()},
    )


def _groups(report: Explanation) -> Iterator[NodeGroup]:
    """The nodes, each in one group: chosen, feasible, then by reasons, that of most nodes first."""
    left = {node.name: node for node in report.nodes}
    feasible = [node for node in report.nodes if node.feasible]
    chosen = [node for node in feasible if node.name == report.selected_node]
    others = [node for node in feasible if node.name != report.selected_node]
    for label, nodes in (("goes here", chosen), ("feasible", others)):
        if nodes:
            yield NodeGroup(label, True, [(node.name, _points(node)) for node in nodes])
    for node in feasible:
        del left[node.name]
    for reason in report.reasons:
        nodes = [left.pop(name) for name in reason.nodes if name in left]
        if nodes:
            yield NodeGroup(reason.text, False, [(node.name, _failures(node)) for node in nodes])
    if left:
        yield NodeGroup("not looked at", False, [(name, "") for name in left])


def _points(node: NodeReport) -> str:
    return f"{node.total} points" if node.total is not None else ""


def _failures(node: NodeReport) -> str:
    return "; ".join(
        text
        for failure in node.all_failures
        for text in ([detail.text for detail in failure.details] or failure.reasons)
    )
