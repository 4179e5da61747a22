"""Pieces of GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


def escaped(text: str) -> str:
    """The text with nothing in it that Markdown would take for a mark."""
    return _SPECIAL.sub(r"\\\1", text).replace("\n", " ")


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; its cells are escaped."""
    lines = [list(titles), ["---"] * len(titles), *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
