"""Pieces of GitHub-flavoured Markdown; whatever they are given is plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

Align = Literal["left", "right"]

_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|])")
_MENTION: Final = re.compile(r"([@#])(?=\w)")
"""What calls a person, or refers to an issue; a comment between keeps it from doing so."""
_NEWLINES: Final = re.compile(r"\s*[\r\n]+\s*")
_RULES: Final = {"left": "---", "right": "---:"}


def escaped(text: str) -> str:
    """The text on one line, with nothing in it that Markdown would take for a mark."""
    return _MENTION.sub(r"\1<!-- -->", _SPECIAL.sub(r"\\\1", _NEWLINES.sub(" ", text)))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: Sequence[Align] = (),
    strong: int | None = None,
) -> str:
    """A table.

    Args:
        columns: their titles.
        rows: their cells.
        align: where the cells of each column stand; empty: all to the left.
        strong: the row whose first cell stands out.
    """
    rules = [_RULES[side] for side in align or ["left"] * len(columns)]
    cells = [[escaped(cell) for cell in row] for row in rows]
    if strong is not None:
        cells[strong][0] = f"**{cells[strong][0]}**"
    lines = [map(escaped, columns), rules, *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def notes(rows: Sequence[tuple[str, str]]) -> str:
    """A list of labels and what belongs to them; a row without a label goes on with the one before."""
    return "\n".join(
        f"- **{label}**: {escaped(text)}" if label else f"  {escaped(text)}" for label, text in rows
    )


def small(text: str) -> str:
    """What stands below everything else."""
    return f"_{escaped(text)}_"
