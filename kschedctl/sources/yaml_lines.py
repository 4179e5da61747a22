"""Lines of the fields of a YAML document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from kschedctl.sources.lines import Lines
from kschedctl.sources.yaml import events
from kschedctl.sources.yaml_builder import event_key


def yaml_lines(text: bytes, first_line: int = 1, number: int = 0) -> Lines:
    """Return the lines of the `number`-th document in a YAML text that has been read without problems."""
    stream = events(text)
    for _ in range(number + 1):
        next(event for event in stream if isinstance(event, DocumentStartEvent))
    return _YamlLines(stream, first_line).node(next(stream), None)


class _YamlLines:
    """Reads the lines of one document from its events; the nesting has been limited before."""

    def __init__(self, stream: Iterable[Any], first_line: int) -> None:
        self._stream = iter(stream)
        self._first_line = first_line
        self._anchors: dict[str | None, Lines] = {}

    def node(self, event: Any, key_line: int | None) -> Lines:
        """Read the node that starts with this event."""
        line = self._line(event) if key_line is None else key_line
        if isinstance(event, AliasEvent):
            return Lines(line, self._anchors[event.anchor].children)
        node = Lines(line)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if isinstance(event, MappingStartEvent):
            self._entries(node)
        elif isinstance(event, SequenceStartEvent):
            self._items(node)
        return node

    def _entries(self, node: Lines) -> None:
        while not isinstance(event := next(self._stream), MappingEndEvent):
            value = self.node(next(self._stream), self._line(event))
            if event.anchor is not None:
                self._anchors.setdefault(event.anchor, Lines(self._line(event)))
            if isinstance(event, AliasEvent):
                continue  # a key by reference: its entry has the line of its mapping
            if event.implicit[0] and event.value == "<<":
                _merge(node, value)
            else:
                node.put(event_key(event), value)

    def _items(self, node: Lines) -> None:
        while not isinstance(event := next(self._stream), SequenceEndEvent):
            node.put(None, self.node(event, None))

    def _line(self, event: Any) -> int:
        return self._first_line + int(event.start_mark.line)


def _merge(node: Lines, value: Lines) -> None:
    children = value.children
    sources = reversed(children.values()) if 0 in children else (value,)  # a list of mappings, or one
    for source in sources:
        node.children.update(source.children)
