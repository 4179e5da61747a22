"""The points of the best nodes, a column a plugin."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from kschedctl.framework.registry import Registry
from kschedctl.objects.phrases import plural
from kschedctl.plugins.registry import IN_TREE
from kschedctl.reports.explain.model import Explanation, NodeReport
from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import GAP, plain_table
from kschedctl.reports.sentences import ranking, telling_plugins

_BEST = 5
_INDENT = 2
_LEAST_NAME = 16


def score_table(report: Explanation, look: Look, *, most: int | None = _BEST) -> RenderableType:
    """The best nodes with what each plugin gives them, times its weight.

    Where the columns are too many for the width, those that are the same for all shown nodes go first.
    """
    ranked = ranking(report)
    best = ranked[:most]
    plugins = list(best[0].scores) if most is None else telling_plugins(best)
    registry = look.registry or IN_TREE
    titles = {plugin: _title(plugin, best[0], registry) for plugin in plugins}
    plugins = _with_room(plugins, best, titles, look.width - _INDENT)
    table = plain_table()
    table.add_column("node", overflow="fold", min_width=min(_LEAST_NAME, max(len(n.name) for n in best)))
    table.add_column("total", justify="right", no_wrap=True)
    for plugin in plugins:
        table.add_column(titles[plugin], justify="right", no_wrap=True)
    for node in best:
        chosen = node.name == report.selected_node
        name = Text(f"{node.name} *" if chosen else node.name, "bold" if chosen else "")
        table.add_row(name, str(node.total), *(str(node.scores[plugin].weighted) for plugin in plugins))
    dropped = {p: s.weighted for p, s in best[0].scores.items() if p not in plugins and s.weighted}
    told = ", ".join(f"{plugin} {points}" for plugin, points in dropped.items())
    below = [f"the same for all: {told}"] if told else []
    if left := len(ranked) - len(best):
        below.append(f"{plural(left, 'more node')}, see -o wide")
    return Group(table, *(Text(line, "dim") for line in below))


def _title(plugin: str, node: NodeReport, registry: Registry) -> str:
    weight = node.scores[plugin].weight
    short = registry.score_title(plugin)
    return short if weight == 1 else f"{short} x{weight}"


def _with_room(plugins: list[str], best: list[NodeReport], titles: dict[str, str], width: int) -> list[str]:
    """The plugins that have room: dropped are first those with nothing but zeros, then those that are equal."""
    used = max(len(n.name) for n in best) + 2 + GAP + 5
    for dull in (_all_zero, _all_equal):
        if used + sum(len(titles[p]) + GAP for p in plugins) <= width:
            break
        plugins = [p for p in plugins if not dull(p, best)]
    return plugins


def _all_zero(plugin: str, best: list[NodeReport]) -> bool:
    return not any(node.scores[plugin].weighted for node in best)


def _all_equal(plugin: str, best: list[NodeReport]) -> bool:
    return len({node.scores[plugin].weighted for node in best}) == 1
