"""An explanation in pictures: every node by what speaks against it, and what the points of the best are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kschedctl.framework.registry import Registry
from kschedctl.reports.document import Figure, NodeGrid, NodeGroup, StackedBars
from kschedctl.reports.explain.model import Explanation, NodeReport
from kschedctl.reports.sentences import ranking

_BEST: Final = 12


def figures(report: Explanation, registry: Registry) -> list[Figure]:
    """The pictures of a report; none of a pod that no node was looked at for."""
    found: list[Figure] = []
    if report.nodes:
        found.append(
            NodeGrid("nodes, each by the reason that most nodes share with it", list(_groups(report)))
        )
    if report.scored:
        best = ranking(report)[:_BEST]
        plugins = list(best[0].scores)
        bars = [(node.name, [node.scores[plugin].weighted for plugin in plugins]) for node in best]
        found.append(
            StackedBars("points by plugin", [registry.score_title(plugin) for plugin in plugins], bars)
        )
    return found


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
