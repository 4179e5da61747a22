"""Why not: each reason with its nodes, beside it where names are short, below it where they are long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from kschedctl.objects.phrases import plural
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import fitted, left_out
from kschedctl.reports.render.why_table import why_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_REASONS: Final = 12
_INDENT: Final = 6


def reason_table(report: Explanation, look: Look) -> RenderableType:
    """The reasons of a report, the one with most nodes first."""
    title = "why not the others" if report.scheduled else "why not"
    longest = max(len(node) for group in report.reasons for node in group.nodes)
    if longest > look.width // 3:
        return _below(title, report, look)
    return why_table(title, report.reasons, look, total=report.cluster.nodes)


def _below(title: str, report: Explanation, look: Look) -> RenderableType:
    """A line with the reason and the number of nodes, and one with their names."""
    lines = [Text(title, "dim")]
    for group in report.reasons[:_MOST_REASONS]:
        count, room = len(group.nodes), look.width - _INDENT
        everywhere = count == report.cluster.nodes and len(" ".join(group.nodes)) > room
        lines.append(Text(f"{group.text}: {plural(count, 'node')}"))
        lines.append(Text(f"    {'all' if everywhere else fitted(group.nodes, room)}"))
    return Group(*lines, *left_out(len(report.reasons) - _MOST_REASONS, "reason"))
