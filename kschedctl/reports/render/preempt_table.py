"""-o table and -o wide of a preemption: the verdict, the victims, the nodes, and what follows."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from kschedctl.reports.caveats.made_up import practical_outcome
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head, without_told_caveats
from kschedctl.reports.preempt import sentences
from kschedctl.reports.preempt.grids import Grid, candidates, victims
from kschedctl.reports.preempt.model import Preemption
from kschedctl.reports.render.text import GAP, blank, indented, left_out, pairs, plain_table, print_text
from kschedctl.reports.render.why_table import why_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARKS = {"Scheduled": ("✓", "bold green"), "Preempts": ("!", "bold yellow"), "Gated": ("!", "bold yellow")}
_NO = ("✗", "bold red")
_LINES = 12
_LEAST_REMARK = 12
_WIDE = 160


def table_pieces(answers: Iterable[Preemption], look: Look) -> Iterator[str]:
    """The answers for people, one below the other."""
    return _pieces(answers, look, _LINES)


def wide_pieces(answers: Iterable[Preemption], look: Look) -> Iterator[str]:
    """The same with nothing left out, for wide screens."""
    return _pieces(answers, replace(look, width=max(look.width, _WIDE)), None)


def _pieces(answers: Iterable[Preemption], look: Look, most: int | None) -> Iterator[str]:
    above = ""
    caveats: set[str] = set()
    for answer in answers:
        parts: list[RenderableType] = [blank()] if above else []
        mark, style = _MARKS.get(practical_outcome(answer), _NO)
        parts.append(Text.assemble((mark, style), " ", (sentences.verdict(answer), "bold")))
        if not look.quiet:
            if (line := head(answer, look.now)) != above:
                parts.append(indented(Text(line, "dim")))
                above = line
            parts += _body(without_told_caveats(answer, caveats), look, most)
        yield f"{print_text(parts, look)}\n"


def _body(answer: Preemption, look: Look, most: int | None) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if lines := answer.problems or [answer.message] * bool(answer.message):
        parts += [blank(), *(indented(Text(line)) for line in lines)]
    if answer.victims:
        parts += [blank(), indented(_drawn(victims(answer, most), look))]
    if answer.candidates:
        parts += [blank(), indented(_drawn(candidates(answer, most, complete=most is None), look))]
    if answer.no_candidates:
        title = "no other candidates" if answer.candidates else "why not"
        parts += [blank(), indented(why_table(title, answer.no_candidates, look, wide=most is None))]
    rows = [*_aftermath(answer, most), *sentences.notes(answer)]
    return [*parts, blank(), pairs(rows)] if rows else parts


def _drawn(grid: Grid, look: Look) -> RenderableType:
    """A table, of which only the last column is folded; a list where even so names would have to be broken."""
    widths = [max(map(len, cells)) for cells in zip(grid.titles, *grid.rows, strict=True)]
    needed = sum(widths[:-1]) + len(widths) * GAP + min(widths[-1], _LEAST_REMARK)
    drawn = _table(grid, widths) if needed <= look.width - GAP else _list(grid)
    return Group(drawn, *left_out(grid.left_out, grid.titles[0]))


def _table(grid: Grid, widths: Sequence[int]) -> RenderableType:
    table = plain_table()
    for at, column in enumerate(grid.columns):
        table.add_column(
            column.title,
            justify="right" if column.number else "left",
            overflow="fold",
            width=widths[at] if at < len(widths) - 1 else None,
        )
    for at, row in enumerate(grid.rows):
        table.add_row(*(Text(cell) for cell in row), style="bold" if at in grid.chosen else None)
    return table


def _list(grid: Grid) -> RenderableType:
    """Names on lines of their own, and below each what belongs to it."""
    lines: list[RenderableType] = [Text(grid.titles[0], "dim")]
    for at, row in enumerate(grid.rows):
        lines.append(Text(row[0], "bold" if at in grid.chosen else ""))
        cells = zip(grid.columns[1:], row[1:], strict=True)
        facts = (cell if column.plain else f"{column.title} {cell}" for column, cell in cells if cell)
        lines.append(Padding(Text(", ".join(facts)), (0, 0, 0, 4)))
    return Group(*lines)


def _aftermath(answer: Preemption, most: int | None) -> list[tuple[str, str]]:
    after = answer.aftermath
    if after is None or not after.victims:
        return []
    lines = sentences.tree(after.victims) if most else sentences.tree(after.victims, sys.maxsize)
    if len(lines) == 1:
        rest = "; nothing else moves" if after.victims[0].fate == "Moves" else ""
        return [("then", lines[0] + rest)]
    shown = lines[:most]
    rows = [("then", sentences.summary(after)), *(("", line) for line in shown)]
    return [*rows, *(("", more.plain) for more in left_out(len(lines) - len(shown), "line"))]
