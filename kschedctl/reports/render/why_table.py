"""Why not: each reason with the nodes that it is true of, in columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.padding import Padding
from rich.text import Text

from kschedctl.reports.document import Why
from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import GAP, left_out, plain_table
from kschedctl.writers.terminal.long_names import node_cells

if TYPE_CHECKING:
    from rich.table import Table

_MOST: Final = 12
_MOST_OF_SECTION: Final = 4
_INDENT: Final = 2
_LEAST_NAMES: Final = 12
_NODES: Final = "nodes"
_ALL: Final = "all"


class WhySection(Struct, frozen=True):
    """Reasons below a title of their own.

    Attributes:
        title: from the width that it has (None: any) to whom the reasons are about.
        reasons: the reasons.
        message: what is said where there are none.
    """

    title: Callable[[int | None], str]
    reasons: Sequence[Why]
    message: str


def why_table(
    title: str, reasons: Sequence[Why], look: Look, *, wide: bool = False, total: int | None = None
) -> Table:
    """Reasons, the most telling ones or all of them.

    Args:
        title: what stands above them.
        reasons: at least one.
        look: the width, in which the table is set in by two columns.
        wide: every reason with every node.
        total: the number of nodes of which a reason may be said to be true of all; None: none is said to be.
    """
    rows = _rows(reasons, None if wide else _MOST)
    return _Widths.of(rows, look).table(title, rows, look, wide=wide, total=total)


def sectioned_why_table(title: str, sections: Sequence[WhySection], look: Look, *, wide: bool) -> Table:
    """Reasons in several sections; see `why_table`."""
    below = [
        _rows(section.reasons, None if wide else _MOST_OF_SECTION, _INDENT)
        or [_Row(section.message, indent=_INDENT)]
        for section in sections
    ]
    widths = _Widths.of([row for rows in below for row in rows], look)
    rows: list[_Row] = []
    for section, its_rows in zip(sections, below, strict=True):
        rows += [_Row(section.title(None if wide else widths.reason), "bold"), *its_rows]
    return widths.table(title, rows, look, wide=wide)


class _Row(Struct, frozen=True):
    """A line: a reason with its nodes, or other text."""

    text: str
    style: str = ""
    indent: int = 0
    nodes: Sequence[str] = ()


def _rows(reasons: Sequence[Why], most: int | None, indent: int = 0) -> list[_Row]:
    shown = reasons[:most]
    rows = [_Row(reason.text, indent=indent, nodes=reason.nodes) for reason in shown]
    return rows + [
        _Row(more.plain, str(more.style), indent) for more in left_out(len(reasons) - len(shown), "reason")
    ]


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
        room = look.width - _INDENT - count - 2 * GAP
        longest = max(len(" ".join(row.nodes)) for row in rows)
        names = max(min(longest, max(room // 3, _LEAST_NAMES)), len(_NODES))
        word = max(row.indent + len(word) for row in rows for word in row.text.split())
        return cls(max(room - names, min(word, room - _LEAST_NAMES)), count, room)

    def table(
        self, title: str, rows: Sequence[_Row], look: Look, *, wide: bool, total: int | None = None
    ) -> Table:
        """The rows in their columns."""
        width = min(max(len(title), *(row.indent + len(row.text) for row in rows)), self.reason)
        room = self.room - width
        cells = node_cells([[(name, "") for name in row.nodes] for row in rows], room, look, wide=wide)
        table = plain_table()
        table.add_column(title, width=width, overflow="fold")
        table.add_column("", justify="right", width=self.count, no_wrap=True)
        table.add_column(_NODES, overflow="fold")
        for row, cell in zip(rows, cells, strict=True):
            text = Padding(Text(row.text, row.style), (0, 0, 0, row.indent))
            count = len(row.nodes)
            everywhere = count == total and len(" ".join(row.nodes)) > room
            table.add_row(text, str(count) if count else "", _ALL if everywhere else cell)
        return table
