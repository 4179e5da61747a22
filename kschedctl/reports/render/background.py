"""The facts behind a plugin's answers: a title, a small table, and what has to be known besides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kschedctl.reports.explain.background import BackgroundReport, cell_text
from kschedctl.reports.render.text import blank, indented, plain_table

if TYPE_CHECKING:
    from rich.console import RenderableType


def background_parts(
    found: Sequence[BackgroundReport], *, most_rows: int, most_notes: int | None = None
) -> list[RenderableType]:
    """Each with its title above; long tables and notes cut to so many lines."""
    parts: list[RenderableType] = []
    for one in found:
        parts += [blank(), indented(Text(one.title))]
        if one.rows:
            parts.append(indented(indented(_table(one, most_rows))))
        parts += [indented(indented(Text(note, "dim"))) for note in _shown(one.notes, most_notes)]
    return parts


def _shown(notes: Sequence[str], most: int | None) -> Sequence[str]:
    """As many notes as asked for, and how many are left out: never a single one, which has room there."""
    if most is None or len(notes) <= most + 1:
        return notes
    return [*notes[:most], f"{len(notes) - most} more notes, see -o wide"]


def _table(one: BackgroundReport, most: int) -> RenderableType:
    table = plain_table()
    for name in one.columns:
        number = isinstance(one.rows[0][name], (int, float)) and not isinstance(one.rows[0][name], bool)
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for row in one.rows[:most]:
        table.add_row(*(Text(cell_text(row[name])) for name in one.columns))
    if len(one.rows) > most:
        table.add_row(Text(f"+{len(one.rows) - most}", "dim"))
    return table
