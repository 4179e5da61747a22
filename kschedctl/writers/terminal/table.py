"""Tables on a terminal: how the width is shared, what is left out, and what is done where there is no room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from kschedctl.objects.phrases import plural
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import Cell, CellKind, Column, NodeNames, Row, Share, Table
from kschedctl.safe_text import safe_text
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.columns import GAP, Lane, in_columns
from kschedctl.writers.terminal.long_names import fitted, node_cells, short_names
from kschedctl.writers.terminal.wrapping import pieces

_BAR: Final = 10
_LEAST: Final = 12
_WEIGHTS: Final = {CellKind.TEXT: 2, CellKind.NAME_CUT: 2, CellKind.NAMES: 1}
"""The kinds of columns that can do with less than they would like to have, and how much of the room they get."""


def table_part(table: Table, look: Look, medium: Medium) -> RenderableType:
    """A table in the width of a look; where names would have to be broken, some lines for each row."""
    rows = list(table.rows[: table.limits.get(medium)])
    columns, dropped = _shown(_filled(table.columns, rows), look.width, wide=medium is Medium.WIDE)
    widths = _widths(columns, look.width)
    if widths is None:
        drawn = _listed(columns, rows, look)
    else:
        drawn = _drawn(columns, widths, rows, look, wide=medium is Medium.WIDE)
    same = ", ".join(f"{one.column.name} {one.texts[0]}" for one in dropped if not one.zero)
    below = [*([f"the same for all: {same}"] if same else []), *table.notes]
    if left := len(table.rows) - len(rows):
        below.append(left_out(left, table.noun, medium))
    return Group(drawn, *(Text(safe_text(line), "dim") for line in below))


def left_out(count: int, noun: str, medium: Medium = Medium.TABLE) -> str:
    """`3 more nodes, see -o wide`."""
    return f"{plural(count, f'more {noun}')}, see -o {'json' if medium is Medium.WIDE else 'wide'}"


def bar(share: Share, look: Look) -> str:
    """The part in use as a bar of ten; anything in use shows, and only what is full looks full."""
    full, empty = ("▇", "▁") if look.unicode else ("#", ".")
    if share.part is None or not share.drawn:
        return ""
    filled = round(share.part * _BAR)
    if share.part > 0:
        filled = max(filled, 1)
    if share.part < 1:
        filled = min(filled, _BAR - 1)
    filled = min(max(filled, 0), _BAR)
    return full * filled + empty * (_BAR - filled)


class _Filled(Struct, frozen=True):
    """A column, its cells, and those as text."""

    column: Column
    cells: Sequence[Cell]
    texts: Sequence[str]

    @property
    def title(self) -> str:
        return safe_text(self.column.heading)

    @property
    def zero(self) -> bool:
        """Whether there is nothing in it."""
        return all(cell == 0 for cell in self.cells)

    @property
    def equal(self) -> bool:
        """Whether it tells no rows apart."""
        return len(set(self.texts)) == 1

    @property
    def pictured(self) -> bool:
        """Whether it has pictures."""
        return any(isinstance(cell, Share) and cell.drawn for cell in self.cells)

    @property
    def natural(self) -> int:
        """The width that it would like to have."""
        picture = _BAR + GAP if self.pictured else 0
        return max(len(self.title), picture + max(map(len, self.texts), default=0))

    def least(self, *, broken: bool) -> int:
        """The width that it must have: no word of a sentence is broken, or only at its separators."""
        if self.column.kind not in _WEIGHTS:
            return self.natural
        floor = _LEAST
        if self.column.kind is CellKind.TEXT:
            words = (word for text in (self.title, *self.texts) for word in text.split())
            floor = max(
                map(len, (piece for word in words for piece in pieces(word)) if broken else words), default=0
            )
        return min(self.natural, max(floor, _LEAST))


def _filled(columns: Sequence[Column], rows: Sequence[Row]) -> list[_Filled]:
    """The columns of some rows; in those that are merged, cells that are as above are empty."""
    filled: list[_Filled] = []
    for at, column in enumerate(columns):
        cells = [row.cells[at] for row in rows]
        texts = [safe_text(str(cell)) for cell in cells]
        if at == 0:
            texts = [f"{text} *" if row.chosen else text for row, text in zip(rows, texts, strict=True)]
        filled.append(_Filled(column, cells, texts))
    return [_merged(filled[: at + 1]) if one.column.merged else one for at, one in enumerate(filled)]


def _merged(columns: Sequence[_Filled]) -> _Filled:
    """The last of the columns without what is as above."""
    last, keys = columns[-1], list(zip(*(one.texts for one in columns), strict=True))
    repeated = [False, *(above == below for above, below in pairwise(keys))]
    texts = ["" if again else text for again, text in zip(repeated, last.texts, strict=True)]
    return _Filled(last.column, last.cells, texts)


def _shown(columns: Sequence[_Filled], width: int, *, wide: bool) -> tuple[list[_Filled], list[_Filled]]:
    """The columns to show, and those that are left out: zeros, and where there is no room what is equal."""
    shown, dropped = list(columns), list[_Filled]()
    rules: list[tuple[Callable[[_Filled], bool], bool]] = [
        (lambda one: one.zero, not wide),
        (lambda one: one.equal, False),
    ]
    for dull, always in rules:
        if always or _needed([one.natural for one in shown]) > width:
            dropped += [one for one in shown if one.column.optional and dull(one)]
            shown = [one for one in shown if not (one.column.optional and dull(one))]
    return shown, dropped


def _needed(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _widths(columns: Sequence[_Filled], width: int) -> list[int] | None:
    """The width of each column; None where names would have to be broken, or words but at their separators."""
    natural = [one.natural for one in columns]
    if _needed(natural) <= width:
        return natural
    weights = [_WEIGHTS.get(one.column.kind, 0) for one in columns]
    for broken in (False, True):
        floors = [one.least(broken=broken) for one in columns]
        if _needed(floors) <= width:
            return _shared(natural, floors, weights, width - GAP * (len(columns) - 1))
    return None


def _shared(natural: Sequence[int], floors: Sequence[int], weights: Sequence[int], room: int) -> list[int]:
    """To every column its floor, and what is left by weights, to none more than it would like to have."""
    widths = list(floors)
    while left := room - sum(widths):
        open_ = [at for at, weight in enumerate(weights) if weight and widths[at] < natural[at]]
        total = sum(weights[at] for at in open_)
        more = {at: min(left * weights[at] // total, natural[at] - widths[at]) for at in open_}
        if not any(more.values()):
            break
        for at, width in more.items():
            widths[at] += width
    return widths


def _drawn(
    columns: Sequence[_Filled], widths: Sequence[int], rows: Sequence[Row], look: Look, *, wide: bool
) -> RenderableType:
    """The rows in columns of these widths."""
    lanes: list[Lane] = []
    texts = _fitted(columns, widths, rows, look, wide=wide)
    for one, width, column in zip(columns, widths, texts, strict=True):
        title = one.title
        if one.pictured:
            bars = [
                bar(cell, look) if text and isinstance(cell, Share) else ""
                for cell, text in zip(one.cells, column, strict=True)
            ]
            lanes.append(Lane(title, max(_BAR, len(title)), bars))
            title = ""
        bad = ["red" if cell != 0 else "" for cell in one.cells] if one.column.alarming else []
        lanes.append(Lane(title, width, column, one.column.kind is CellKind.NUMBER, bad))
    return in_columns(lanes, ["bold" if row.chosen else "" for row in rows])


def _fitted(
    columns: Sequence[_Filled], widths: Sequence[int], rows: Sequence[Row], look: Look, *, wide: bool
) -> list[Sequence[str]]:
    """The texts of each column, names as its width has room for; the same node looks the same in all columns."""
    lists = [at for at, one in enumerate(columns) if one.column.kind is CellKind.NAMES]
    pooled = [_entries(cell) for at in lists for cell in columns[at].cells]
    room = min((widths[at] for at in lists), default=0)
    names = iter(node_cells(pooled, room, look, wide=wide))
    texts: list[Sequence[str]] = []
    for one, width in zip(columns, widths, strict=True):
        match one.column.kind:
            case CellKind.NAMES:
                texts.append([next(names) for _ in rows])
            case CellKind.NAME_CUT:
                texts.append(_cut(one.texts, width, look))
            case _:
                texts.append(one.texts)
    return texts


def _entries(cell: Cell) -> Sequence[tuple[str, str]]:
    return [(safe_text(name), suffix) for name, suffix in cell.entries] if isinstance(cell, NodeNames) else []


def _cut(texts: Sequence[str], width: int, look: Look) -> Sequence[str]:
    """Names within a width; the mark of the chosen one stays."""
    marks = [" *" if text.endswith(" *") else "" for text in texts]
    names = [text.removesuffix(" *") for text in texts]
    short = short_names(set(names), width - max(map(len, marks), default=0), look)
    return [short[name] + mark for name, mark in zip(names, marks, strict=True)]


def _listed(columns: Sequence[_Filled], rows: Sequence[Row], look: Look) -> RenderableType:
    """Rows in words; else names on lines of their own, and below each what belongs to it."""
    if rows and rows[0].told:
        return Group(*(Text(line) for row in rows for line in map(safe_text, row.told)))
    lines: list[RenderableType] = [Text(columns[0].title, "dim")]
    for at, row in enumerate(rows):
        lines.append(Text(columns[0].texts[at], "bold" if row.chosen else ""))
        facts = []
        for one in columns[1:]:
            names = isinstance(one.cells[at], NodeNames)
            text = fitted(one.texts[at].split(), look.width - 4 * GAP) if names else one.texts[at]
            if text:
                facts.append(text if one.column.plain else f"{one.title} {text}")
        if facts:
            lines.append(Padding(Text(", ".join(facts)), (0, 0, 0, 2 * GAP)))
    return Group(*lines)
