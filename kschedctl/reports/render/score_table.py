"""The points of the best nodes, a column a plugin."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from kschedctl.reports.explanation import Explanation, NodeReport
from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import GAP, plain_table
from kschedctl.reports.sentences import ranking

_SHORT = {
    "TaintToleration": "Taint",
    "NodeAffinity": "NodeAffinity",
    "NodeResourcesFit": "Fit",
    "NodeResourcesBalancedAllocation": "Balanced",
    "PodTopologySpread": "Spread",
    "InterPodAffinity": "Affinity",
    "ImageLocality": "Image",
    "VolumeBinding": "Volume",
    "DynamicResources": "Devices",
}
_BEST = 5


def score_table(report: Explanation, look: Look, *, most: int | None = _BEST) -> Table:
    """The best nodes with what each plugin gives them, times its weight.

    Where the columns are too many for the width, those that are the same for all shown nodes go first.
    """
    best = ranking(report)[:most]
    plugins = _chosen(best, look.width - 2)
    table = plain_table()
    table.add_column("node", overflow="fold")
    table.add_column("total", justify="right", no_wrap=True)
    for plugin in plugins:
        table.add_column(_title(plugin, best[0]), justify="right", no_wrap=True)
    for node in best:
        chosen = node.name == report.selected_node
        name = Text(f"{node.name} *" if chosen else node.name, "bold" if chosen else "")
        table.add_row(name, str(node.total), *(str(node.scores[plugin].weighted) for plugin in plugins))
    return table


def _title(plugin: str, node: NodeReport) -> str:
    weight = node.scores[plugin].weight
    short = _SHORT.get(plugin, plugin)
    return short if weight == 1 else f"{short} x{weight}"


def _chosen(best: list[NodeReport], width: int) -> list[str]:
    """The plugins that have room: dropped are first those with nothing but zeros, then those that are equal."""
    plugins = list(best[0].scores)
    used = max(len(n.name) for n in best) + 2 + GAP + 5
    for dull in (_all_zero, _all_equal):
        if used + sum(len(_title(p, best[0])) + GAP for p in plugins) <= width:
            break
        plugins = [p for p in plugins if not dull(p, best)]
    return plugins


def _all_zero(plugin: str, best: list[NodeReport]) -> bool:
    return not any(node.scores[plugin].weighted for node in best)


def _all_equal(plugin: str, best: list[NodeReport]) -> bool:
    return len({node.scores[plugin].weighted for node in best}) == 1
