"""-o table and -o wide of a preemption: the verdict, the victims, the nodes, and what follows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from kschedctl.reports import preempt_sentences as sentences
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.preempt import Preemption
from kschedctl.reports.preempt_grids import Grid, candidates, victims
from kschedctl.reports.render.text import GAP, blank, fitted, indented, pairs, plain_table, print_text
from kschedctl.reports.sentences import plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARKS = {"Scheduled": ("✓", "bold green"), "Preempts": ("!", "bold yellow"), "Gated": ("!", "bold yellow")}
_NO = ("✗", "bold red")
_LINES = 12
_LEAST_REMARK = 12
_WIDE = 160


def table_text(answers: Sequence[Preemption], look: Look) -> str:
    """The answers for people, one below the other."""
    return _text(answers, look, _LINES)


def wide_text(answers: Sequence[Preemption], look: Look) -> str:
    """The same with nothing left out, for wide screens."""
    return _text(answers, replace(look, width=max(look.width, _WIDE)), None)


def _text(answers: Sequence[Preemption], look: Look, most: int | None) -> str:
    parts: list[RenderableType] = []
    above = ""
    for answer in answers:
        if parts and not look.quiet:
            parts.append(blank())
        mark, style = _MARKS.get(answer.outcome, _NO)
        parts.append(Text.assemble((mark, style), " ", (sentences.verdict(answer), "bold")))
        if look.quiet:
            continue
        if (line := head(answer, look.now)) != above:
            parts.append(indented(Text(line, "dim")))
            above = line
        parts += _body(answer, look, most)
    return print_text(parts, look)


def _body(answer: Preemption, look: Look, most: int | None) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if lines := answer.problems or [answer.message] * bool(answer.message):
        parts += [blank(), *(indented(Text(line)) for line in lines)]
    if answer.victims:
        parts += [blank(), indented(_drawn(victims(answer, most), look))]
    if answer.candidates:
        parts += [blank(), indented(_drawn(candidates(answer, most, complete=most is None), look))]
    if answer.no_candidates:
        parts += [blank(), indented(_no_candidates(answer, look, most))]
    rows = [*_aftermath(answer, most), *sentences.notes(answer)]
    if answer.outcome != "Preempts" and answer.outcome != "Scheduled" and answer.event:
        rows.append(("event", answer.event))
    return [*parts, blank(), pairs(rows)] if rows else parts


def _drawn(grid: Grid, look: Look) -> RenderableType:
    """A table, of which only the last column is folded; a list where even so names would have to be broken."""
    widths = [max(map(len, cells)) for cells in zip(grid.titles, *grid.rows, strict=True)]
    needed = sum(widths[:-1]) + len(widths) * GAP + min(widths[-1], _LEAST_REMARK)
    drawn = _table(grid, widths) if needed <= look.width - GAP else _list(grid)
    more = [Text(f"+{grid.left_out} more, see -o wide", "dim")] if grid.left_out else []
    return Group(drawn, *more)


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


def _no_candidates(answer: Preemption, look: Look, most: int | None) -> RenderableType:
    """The reasons get the room that short lists of nodes leave."""
    groups = answer.no_candidates[:most]
    title = "no other candidates" if answer.candidates else "why not"
    count = max(len(str(len(group.nodes))) for group in groups)
    room = look.width - 3 * GAP - count
    longest = max(len(" ".join(group.nodes)) for group in groups)
    least = max(len(node) for group in groups for node in group.nodes) + len(" +999")
    names = min(max(min(longest, max(room // 4, least)), len("nodes")), room // 2)
    reason = min(max(len(title), *(len(group.text) for group in groups)), room - names)
    table = plain_table()
    table.add_column(title, width=reason, overflow="fold")
    table.add_column("", justify="right", width=count, no_wrap=True)
    table.add_column("nodes", overflow="fold")
    for group in groups:
        nodes = " ".join(group.nodes) if most is None else fitted(group.nodes, room - reason)
        table.add_row(Text(group.text), str(len(group.nodes)), Text(nodes))
    left = len(answer.no_candidates) - len(groups)
    more = [Text(f"{plural(left, 'more reason')}, see -o wide", "dim")] if left else []
    return Group(table, *more)


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
    if len(shown) < len(lines):
        rows.append(("", f"{len(lines) - len(shown)} lines more, see -o wide"))
    return rows
