"""Lines in columns: text whose widths are known is put beside text, which for thousands of rows has to be quick."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text

from kschedctl.writers.terminal.wrapping import wrapped

GAP: Final = 2
"""Spaces between columns."""


class Lane(Struct, frozen=True):
    """A column as it is drawn.

    Attributes:
        title: what stands above it.
        width: the most that it may take; lines that are longer are broken.
        texts: its cells.
        right: whether they stand to the right.
        styles: the styles of its cells; empty: none has one.
        indents: by how much its cells are set in; empty: not at all.
        least: the width that it takes in any case.
    """

    title: str
    width: int
    texts: Sequence[str]
    right: bool = False
    styles: Sequence[str] = ()
    indents: Sequence[int] = ()
    least: int = 0


def in_columns(lanes: Sequence[Lane], styles: Sequence[str] = ()) -> Text:
    """The lanes side by side, two spaces apart, below their titles.

    Args:
        lanes: the columns, with as many cells each.
        styles: the styles of whole rows; empty: none has one.
    """
    titles = [wrapped(lane.title, lane.width) for lane in lanes]
    cells = [_cells(lane) for lane in lanes]
    widths = [
        max(lane.least, *map(cell_len, [*title, *(line for cell in column for line in cell)]))
        for lane, title, column in zip(lanes, titles, cells, strict=True)
    ]
    drawn = Text(no_wrap=True, overflow="ignore")
    heads = Text(style="dim")
    _add(heads, lanes, widths, titles, None)
    drawn.append_text(heads)
    for at, row in enumerate(zip(*cells, strict=True)):
        drawn.append("\n")
        style = styles[at] if styles else ""
        if not style:
            _add(drawn, lanes, widths, row, at)
            continue
        whole = Text(style=style)
        _add(whole, lanes, widths, row, at)
        drawn.append_text(whole)
    return drawn


def _cells(lane: Lane) -> list[list[str]]:
    """The lines of each cell."""
    if not lane.indents:
        return [wrapped(text, lane.width) for text in lane.texts]
    return [
        [" " * indent + line for line in wrapped(text, lane.width - indent)]
        for indent, text in zip(lane.indents, lane.texts, strict=True)
    ]


def _add(
    drawn: Text, lanes: Sequence[Lane], widths: Sequence[int], row: Sequence[Sequence[str]], at: int | None
) -> None:
    """Append a row of cells, which may have several lines each."""
    styles = [lane.styles[at] if lane.styles and at is not None else "" for lane in lanes]
    for number, line in enumerate(zip_longest(*row, fillvalue="")):
        if number:
            drawn.append("\n")
        padded = [
            _padded(text, width, right=lane.right)
            for lane, width, text in zip(lanes, widths, line, strict=True)
        ]
        if not any(styles):
            drawn.append((" " * GAP).join(padded))
            continue
        for column, (text, style) in enumerate(zip(padded, styles, strict=True)):
            drawn.append(" " * GAP if column else "").append(text, style)


def _padded(text: str, width: int, *, right: bool) -> str:
    spaces = " " * (width - cell_len(text))
    return spaces + text if right else text + spaces
