"""Why not: each reason with its nodes, beside it where names are short, below it where they are long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from kschedctl.reports import sentences
from kschedctl.reports.explanation import Explanation, ReasonGroup
from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import GAP, fitted, plain_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_REASONS: Final = 12
_INDENT: Final = 2
_LEAST_NAMES: Final = 12
_ALL: Final = "all"


def reason_table(report: Explanation, look: Look) -> RenderableType:
    """The reasons of a report, the one with most nodes first."""
    groups = report.reasons[:_MOST_REASONS]
    longest = max(len(node) for group in groups for node in group.nodes)
    table = _below(groups, report, look) if longest > look.width // 3 else _beside(groups, report, look)
    left = len(report.reasons) - len(groups)
    more = [Text(f"{sentences.plural(left, 'more reason')}, see -o wide", "dim")] if left else []
    return Group(table, *more)


def _title(report: Explanation) -> str:
    return "why not the others" if report.scheduled else "why not"


def _beside(groups: list[ReasonGroup], report: Explanation, look: Look) -> RenderableType:
    """The reasons get the room that short lists of nodes leave."""
    count = max(len(str(len(group.nodes))) for group in groups)
    room = look.width - _INDENT - count - 2 * GAP
    longest = max(len(" ".join(group.nodes)) for group in groups)
    names = max(min(longest, max(room // 3, _LEAST_NAMES)), len("nodes"))
    reason = min(max(len(_title(report)), *(len(group.text) for group in groups)), room - names)
    table = plain_table()
    table.add_column(_title(report), width=reason, overflow="fold")
    table.add_column("", justify="right", width=count, no_wrap=True)
    table.add_column("nodes", no_wrap=True)
    for group in groups:
        table.add_row(Text(group.text), str(len(group.nodes)), _nodes(group, report, room - reason))
    return table


def _below(groups: list[ReasonGroup], report: Explanation, look: Look) -> RenderableType:
    """A line with the reason and the number of nodes, and one with their names."""
    lines = [Text(_title(report), "dim")]
    for group in groups:
        lines.append(Text(f"{group.text}: {sentences.plural(len(group.nodes), 'node')}"))
        lines.append(Text(f"    {_nodes(group, report, look.width - _INDENT - 4)}"))
    return Group(*lines)


def _nodes(group: ReasonGroup, report: Explanation, width: int) -> str:
    everywhere = len(group.nodes) == report.cluster.nodes
    return _ALL if everywhere and len(" ".join(group.nodes)) > width else fitted(group.nodes, width)
