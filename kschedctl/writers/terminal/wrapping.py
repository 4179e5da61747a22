"""Text in lines of a width, broken between words; a word that is too long, at its separators."""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"\S+\s*")
_SEPARATORS: Final = r"\-._/:,;=("
_PIECE: Final = re.compile(f"[^{_SEPARATORS}]*[{_SEPARATORS}]+|[^{_SEPARATORS}]+")


def pieces(word: str) -> list[str]:
    """A word in pieces that end with a separator: `node-`, `role.`, `kubernetes.`, `io/`."""
    return _PIECE.findall(word)


def wrapped(text: str, width: int) -> list[str]:
    """The lines, at least one; a word that is too long begins a line."""
    lines = [""]
    for word in _WORD.findall(text):
        if len(word.rstrip()) <= width:
            _add(lines, word, width)
            continue
        if lines[-1]:
            lines.append("")
        for piece in pieces(word):
            for start in range(0, len(piece), max(width, 1)):
                _add(lines, piece[start : start + max(width, 1)], width)
    return [line.rstrip() for line in lines]


def _add(lines: list[str], part: str, width: int) -> None:
    """Put it at the end of the last line, or where it has no room there into a new one."""
    if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
        lines.append("")
    lines[-1] += part
