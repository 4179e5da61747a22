"""Reasons on a terminal: each with its nodes, beside it where names are short, below it where they are long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.text import Text

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import Concerned, Reasons, Why
from kschedctl.reports.medium import Medium
from kschedctl.safe_text import safe_text
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.columns import GAP, Lane, in_columns
from kschedctl.writers.terminal.flowing import Flowing
from kschedctl.writers.terminal.long_names import fitted, node_cells
from kschedctl.writers.terminal.table import left_out

_MOST: Final = 12
_MOST_OF_GROUP: Final = 4
_MOST_GROUPS: Final = 20
_INDENT: Final = 2
_LEAST_NAMES: Final = 12
_NODES: Final = "nodes"
_ALL: Final = "all"


def reasons_part(reasons: Reasons, look: Look, medium: Medium) -> RenderableType:
    """Reasons in the width of a look, the most telling ones or all of them."""
    wide = medium is Medium.WIDE
    if reasons.total is not None and _longest(reasons) > look.width // 3:
        return _below(reasons, reasons.groups[0].reasons, reasons.total, look)
    shown = reasons.groups if wide else reasons.groups[:_MOST_GROUPS]
    below = [_group_rows(group, wide=wide) for group in shown]
    widths = _Widths.of([row for rows in below for row in rows], look)
    rows: list[_Row] = []
    for group, its_rows in zip(shown, below, strict=True):
        if group.who:
            fits = wide or len(group.who) <= widths.reason
            rows.append(_Row(safe_text(group.who if fits else group.who_short), "bold"))
        rows += its_rows
    table = widths.table(reasons.title, rows, look, wide=wide, total=reasons.total)
    left = len(reasons.groups) - len(shown)
    return Group(table, *([Text(left_out(left, "group"), "dim")] if left else []))


def _longest(reasons: Reasons) -> int:
    return max(
        (len(node) for group in reasons.groups for why in group.reasons for node in why.nodes), default=0
    )


def _below(reasons: Reasons, whys: Sequence[Why], total: int, look: Look) -> RenderableType:
    """A line with the reason and the number of nodes, and one with their names."""
    lines: list[RenderableType] = [Text(safe_text(reasons.title), "dim")]
    room = look.width - 2 * GAP
    for why in whys[:_MOST]:
        count = len(why.nodes)
        everywhere = count == total and len(" ".join(why.nodes)) > room
        lines.append(Flowing(f"{safe_text(why.text)}: {plural(count, 'node')}"))
        lines.append(Text(f"    {_ALL if everywhere else fitted(list(map(safe_text, why.nodes)), room)}"))
    if left := len(whys) - _MOST:
        lines += [Text(left_out(left, "reason"), "dim")] if left > 0 else []
    return Group(*lines)


class _Row(Struct, frozen=True):
    """A line: a reason with its nodes, or other text."""

    text: str
    style: str = ""
    indent: int = 0
    nodes: Sequence[str] = ()


def _group_rows(group: Concerned, *, wide: bool) -> list[_Row]:
    indent, most = (_INDENT, _MOST_OF_GROUP) if group.who else (0, _MOST)
    shown = group.reasons if wide else group.reasons[:most]
    rows = [_Row(safe_text(why.text), "", indent, list(map(safe_text, why.nodes))) for why in shown]
    if left := len(group.reasons) - len(shown):
        rows.append(_Row(left_out(left, "reason"), "dim", indent))
    return rows or [_Row(safe_text(group.message), indent=indent)]


class _Widths(Struct, frozen=True):
    """How the width is shared.

    Attributes:
        reason: the most that reasons may have; they get what short lists of nodes leave, and so much that no
            word is broken, as long as a name of a node still fits.
        count: what numbers of nodes have.
        room: what reasons and nodes have together.
    """

    reason: int
    count: int
    room: int

    @classmethod
    def of(cls, rows: Sequence[_Row], look: Look) -> _Widths:
        count = max(len(str(len(row.nodes))) for row in rows)
        room = look.width - count - 2 * GAP
        longest = max(len(" ".join(row.nodes)) for row in rows)
        names = max(min(longest, max(room // 3, _LEAST_NAMES)), len(_NODES))
        word = max((row.indent + len(word) for row in rows for word in row.text.split()), default=0)
        return cls(max(room - names, min(word, room - _LEAST_NAMES)), count, room)

    def table(
        self, title: str, rows: Sequence[_Row], look: Look, *, wide: bool, total: int | None
    ) -> RenderableType:
        """The rows in their columns."""
        width = min(max(len(title), *(row.indent + len(row.text) for row in rows)), self.reason)
        room = self.room - width
        cells = node_cells([[(name, "") for name in row.nodes] for row in rows], room, look, wide=wide)
        counts = [str(len(row.nodes)) if row.nodes else "" for row in rows]
        names = [
            _ALL if len(row.nodes) == total and len(" ".join(row.nodes)) > room else cell
            for row, cell in zip(rows, cells, strict=True)
        ]
        return in_columns(
            [
                Lane(
                    safe_text(title),
                    width,
                    [row.text for row in rows],
                    styles=[row.style for row in rows],
                    indents=[row.indent for row in rows],
                    least=width,
                ),
                Lane("", self.count, counts, right=True),
                Lane(_NODES, room, names),
            ]
        )
