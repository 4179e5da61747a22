"""Heat maps on a terminal: values with their shades; where there is no room for values the shades alone, in bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import HeatCell, HeatMap
from kschedctl.reports.medium import Medium
from kschedctl.reports.tone import Tone
from kschedctl.safe_text import safe_text
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.columns import GAP
from kschedctl.writers.terminal.long_names import short_names

_SHADES: Final = " ░▒▓█"
_ASCII_SHADES: Final = " .:+#"
_STYLES: Final = MappingProxyType({Tone.YES: "green", Tone.NO: "red", Tone.MIXED: "yellow", Tone.PLAIN: ""})
_LONGEST: Final = 24
_LEAST_COLUMNS: Final = 4
"""Where fewer columns with values have room beside each other, shades alone are shown."""


def heat_map_part(found: HeatMap, look: Look, medium: Medium) -> RenderableType:
    """A heat map in the width of a look."""
    rows = found.shown(medium)
    names = _names([found.rows[at] for at in rows], look)
    margin = max(map(len, [*names, safe_text(found.row_title)]), default=0) + GAP
    columns = _names(found.columns, look)
    texts = [cell.text for row in found.cells for cell in row if cell]
    width = max(map(len, [*columns, *texts]), default=1) + GAP  # the shade, and the space after it
    room = max((look.width - margin) // (width + 1), 1)
    values = room >= min(len(columns), _LEAST_COLUMNS)
    lines = [Text(f"{safe_text(found.title)}; across: {safe_text(found.column_title)}", "dim")]
    if values:
        for start in range(0, len(columns), room):
            part = range(start, min(start + room, len(columns)))
            heading = "".join(f"{columns[at]:>{width}} " for at in part)
            lines.append(Text(f"{safe_text(found.row_title):<{margin}}{heading}".rstrip(), "dim"))
            for at, name in zip(rows, names, strict=True):
                lines.append(
                    Text.assemble(
                        f"{name:<{margin}}", *(_with_value(found.cells[at][c], width, look) for c in part)
                    )
                )
    else:
        lines += _shades(found, rows, names, margin, look)
    if left := len(found.rows) - len(rows):
        lines.append(Text(f"{plural(left, 'cooler row')} left out, see -o wide", "dim"))
    return Group(*lines, *(Text(safe_text(note), "dim") for note in found.notes))


def _names(names: Sequence[str], look: Look) -> list[str]:
    safe = [safe_text(name) for name in names]
    short = short_names(set(safe), _LONGEST, look)
    return [short[name] for name in safe]


def _shades(
    found: HeatMap, rows: Sequence[int], names: Sequence[str], margin: int, look: Look
) -> Iterator[Text]:
    """A character a cell; the columns are counted off above."""
    room = max(look.width - margin, 1)
    for start in range(0, len(found.columns), room):
        part = range(start, min(start + room, len(found.columns)))
        first, last = safe_text(found.columns[part[0]]), safe_text(found.columns[part[-1]])
        yield Text(f"{safe_text(found.row_title):<{margin}}{first} to {last}", "dim")
        for at, name in zip(rows, names, strict=True):
            marks = [_shade(found.cells[at][c], look) for c in part]
            yield Text.assemble(f"{name:<{margin}}", *marks)


def _with_value(cell: HeatCell | None, width: int, look: Look) -> tuple[str, str]:
    if cell is None:
        return " " * (width + 1), ""
    mark, style = _shade(cell, look)
    return f"{mark} {safe_text(cell.text):>{width - GAP}} ".rjust(width + 1), style


def _shade(cell: HeatCell | None, look: Look) -> tuple[str, str]:
    if cell is None:
        return " ", ""
    shades = _SHADES if look.unicode else _ASCII_SHADES
    number = 0 if cell.heat <= 0 else 1 + min(int(cell.heat * (len(shades) - 1)), len(shades) - 2)
    mark = shades[number]
    if mark == " " and cell.tone is not Tone.YES:
        mark = "!"
    return mark, _STYLES[cell.tone]
