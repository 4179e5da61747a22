"""Text in lines of a width, broken between words; a word that is too long, at its separators."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
        whole = word.rstrip().rstrip(",;")
        whole = whole.rstrip(")") if "(" not in whole[1:] else whole
        if len(whole) <= width:  # a name stays whole, and what follows it goes on below
            _add(lines, whole, width)
            _add(lines, word[len(whole) :], width)
            continue
        for piece in pieces(word):
            for chunk in _chunks(piece, max(width, 1)):
                _add(lines, chunk, width)
    return [line.rstrip() for line in lines]


def _chunks(piece: str, width: int) -> Iterator[str]:
    """So many characters; no line begins with a colon, as what CI systems take for a command does."""
    while piece:
        end = width
        while end > 1 and piece[end : end + 1] == ":":
            end -= 1
        yield piece[:end]
        piece = piece[end:]


def _add(lines: list[str], part: str, width: int) -> None:
    """Put it at the end of the last line, or where it has no room there into a new one."""
    if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
        lines.append("")
    lines[-1] += part
