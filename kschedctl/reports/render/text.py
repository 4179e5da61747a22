"""Text for terminals: the pieces of which tables for people are made. The only place that imports rich."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kschedctl.objects.phrases import plural
from kschedctl.reports.formats import Look

GAP = 2
"""Spaces between columns."""

_NUMBER = re.compile(r"-?\d+")
_ASCII_MARKS = {"✓": "+", "✗": "x", "…": "..."}


def print_text(parts: Iterable[RenderableType], look: Look) -> str:
    """The parts one below the other, as text of the given look, without spaces at the ends of lines.

    A line with a word longer than the width, such as a path, is left to the terminal to wrap: it stays
    whole where it is copied or searched.
    """
    out = StringIO()
    console = Console(
        file=out,
        width=look.width,
        force_terminal=look.color,
        no_color=not look.color,
        color_system="standard" if look.color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        console.print(part, soft_wrap=_has_long_word(part, look.width))
    text = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    return text if look.unicode else to_ascii(text)


def _has_long_word(part: RenderableType, width: int) -> bool:
    return isinstance(part, Text) and any(len(word) > width for word in part.plain.split())


def to_ascii(text: str) -> str:
    """The text with marks that every terminal can show."""
    return "".join(_ASCII_MARKS.get(char, char) for char in text)


def pairs(rows: Sequence[tuple[str, str]]) -> RenderableType:
    """Labels and what belongs to them, long text going on below itself."""
    grid = Table.grid(padding=(0, GAP))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(label, Text(text))
    return indented(grid)


def indented(part: RenderableType) -> RenderableType:
    """The part, two columns to the right."""
    return Padding(part, (0, 0, 0, 2))


def plain_table() -> Table:
    """A table without lines, columns two spaces apart."""
    return Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim", show_edge=False)


def table_or_lines(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    line: Callable[[Sequence[str]], str],
    look: Look,
) -> RenderableType:
    """A table where it fits into the width, else some lines for each row, so that no name is broken."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    if 2 + sum(widths) + GAP * (len(titles) - 1) > look.width:
        return indented(Text("\n".join(map(line, rows))))
    table = plain_table()
    for i, title in enumerate(titles):
        numbers = bool(rows) and all(_NUMBER.fullmatch(row[i]) for row in rows)
        table.add_column(title, justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*row)
    return indented(table)


def blank() -> Text:
    """An empty line."""
    return Text("")


def left_out(count: int, noun: str) -> list[Text]:
    """`3 more nodes, see -o wide`; nothing where none is left out."""
    return [Text(f"{plural(count, f'more {noun}')}, see -o wide", "dim")] if count > 0 else []


def fitted(names: Sequence[str], width: int) -> str:
    """As many names as fit, and how many are left out: `n1 n2 n3 +41`."""
    line = " ".join(names)
    if len(line) <= width:
        return line
    taken, used = 0, 0
    for name in names:
        rest = len(names) - taken - 1
        tail = len(f" +{rest}") if rest else 0
        if used + len(name) + tail > width and taken:
            break
        used += len(name) + 1
        taken += 1
    left = len(names) - taken
    return " ".join(names[:taken]) + (f" +{left}" if left else "")
