"""The lines of fields; `json_lines` and `yaml_lines` find them, only when an error has to name one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

FieldPath = tuple[str | int, ...]
"""Keys and list positions from the top of a document down to a field."""

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_-]*")


def path_text(path: Iterable[str | int]) -> str:
    """Return a path as people write it: `spec.containers[0].image`, `metadata.labels[example.com/team]`."""
    text = ""
    for step in path:
        if isinstance(step, int) or not _PLAIN_KEY.fullmatch(step):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


class Lines(Struct):
    """The line of a value (of its key, if it has one) and of everything in it."""

    line: int
    children: dict[str | int, Lines] = field(default_factory=dict)

    def at(self, path: Sequence[str | int]) -> int:
        """Return the line of a field, or of its innermost container that is there."""
        node = self
        for step in path:
            child = node.children.get(step)
            if child is None:
                break
            node = child
        return node.line

    def put(self, key: str | int | None, child: Lines) -> None:
        """Add the child of a mapping, or of a list where the key is None."""
        self.children[len(self.children) if key is None else key] = child
