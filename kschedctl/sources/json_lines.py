"""Lines of the fields of a JSON text."""

from __future__ import annotations

import json
import re
from typing import Any

from kschedctl.sources.lines import Lines

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|\n+', re.DOTALL)

_LINE_END = ord("\n")


def json_lines(text: bytes, first_line: int = 1, duplicates: list[tuple[int, str]] | None = None) -> Lines:
    """Return the lines of a valid JSON text whose first character stands on `first_line`.

    Keys that an object gives twice are added to `duplicates`, with their lines.
    """
    root = Lines(first_line)
    if duplicates is None and b"\n" not in text:
        return root  # compact JSON: everything is on the one line
    stack: list[tuple[Lines, bool]] = []  # container, and whether it is an object
    key: Any = None
    line = key_line = first_line

    def place() -> Lines:
        node = Lines(key_line if key is not None else line)
        if stack:
            stack[-1][0].put(key, node)
            return node
        root.line = line
        return root

    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] == _LINE_END:
            line += len(token)
        elif token in b"{[":
            node = place()
            stack.append((node, token == b"{"))
            key = None
        elif token in b"}]":
            stack.pop()
            key = None
        elif token in b",:":
            key = key if token == b":" else None
        elif stack and stack[-1][1] and key is None:
            key, key_line = _key(token), line
            if duplicates is not None and key in stack[-1][0].children:
                duplicates.append((line, key))
        else:
            place()
    return root


def _key(token: bytes) -> str:
    """The text of a key; one that is damaged, in a part that nobody reads, stands for itself."""
    if b"\\" not in token:
        return token[1:-1].decode(errors="replace")
    try:
        return str(json.loads(token))
    except ValueError:
        return token.decode(errors="replace")
