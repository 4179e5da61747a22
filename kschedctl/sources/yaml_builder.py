"""JSON-like data from the events of PyYAML's C parser, as Go makes it.

PyYAML's own constructors take three times as long and read YAML 1.1 as Python does. Positions are not kept: they
are found again (`yaml_lines`) when an error has to name one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from kschedctl.sources.yaml_scalars import STRING_TAG, JsonScalar, Memo, key_text, resolve, resolve_tagged

MAX_DEPTH = 256
"""Deepest nesting that is read; real manifests stay below a hundred."""

MAX_ALIASED_NODES = 1_000_000
"""Most nodes that the aliases of a document may stand for together."""

TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
"""What is said of a document with absurd nesting."""


_RENDERED = re.compile(rb"(?:[ \t]*+(?:#(?! Source: )[^\n]*+)?\r?\n)*+# Source: ([^\r\n]+)")
"""What Helm writes above the first line of what it renders."""


class YamlProblem(Struct, frozen=True):
    """Something wrong with the text of a document, as opposed to what it says."""

    line: int
    """Line of the file, counted from 1."""
    message: str


class YamlDocument(Struct):
    """One document of a YAML text."""

    text: bytes
    """The part of the file that holds the document."""
    first_line: int
    """Line of the file at which `text` starts, counted from 1."""
    line: int
    """Line of the file at which the content starts."""
    number: int = 0
    """Which of the documents in `text` it is, counted from 0."""
    data: Any = None
    problems: list[YamlProblem] = field(default_factory=list)
    """Empty for a good document; otherwise `data` must not be used."""

    @property
    def template(self) -> str | None:
        """The template that Helm rendered it from, as the comment above it says; None: there is no such comment."""
        match = _RENDERED.match(self.text)
        return None if match is None else match[1].decode(errors="replace")


class _MergeKey(str):
    """The plain key `<<`; a quoted one is an ordinary key."""

    __slots__ = ()


_MERGE = _MergeKey("<<")


class Refused(Exception):
    """The document cannot be read any further."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class Memos:
    """What is known of the scalars of one text."""

    def __init__(self) -> None:
        self.values: Memo[JsonScalar] = Memo(_finite)
        self.keys: Memo[str] = Memo(key_text)
        self.keys[_MERGE] = _MERGE


def _finite(text: str) -> JsonScalar:
    value = resolve(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{text} is no number in Kubernetes; put quotes around it to make it a string")
    return value


class _Merged(Struct):
    """The keys of a mapping that so far only a merge has given it."""

    container: dict[str, Any]
    """The mapping, kept so that its id stays its own."""
    keys: set[str] = field(default_factory=set)


class YamlBuilder:
    """Builds the data of one document from its events."""

    def __init__(self, get_event: Callable[[], Any], memo: Memos, document: YamlDocument) -> None:
        self._get_event = get_event
        self._memo = memo
        self._document = document
        self._anchors: dict[str, tuple[Any, int]] = {}  # value, and number of nodes in it
        self._open_anchors: set[str] = set()
        self._merged: dict[int, _Merged] = {}  # by the id of the mapping
        self._aliased_nodes = 0

    def build(self) -> Any:
        """Return the data of the document.

        One loop with its own stack, because a call per event would cost more than the parser. `key` is the
        pending key of the innermost mapping, None where a key is due, `_ITEM` in a sequence. What is rare is
        in methods.

        Raises:
            Refused: the document cannot be read.
            YAMLError: it is no YAML.
        """
        get_event, values, keys = self._get_event, self._memo.values, self._memo.keys
        container: Any = []
        key: Any = _ITEM
        anchor: str | None = None  # of the innermost container
        nodes = start = 0  # read so far, and before the innermost container
        stack: list[tuple[Any, Any, str | None, int]] = []
        event = None
        try:
            while True:
                event = get_event()
                kind = event.__class__
                nodes += 1
                if kind is ScalarEvent:
                    if key is None:
                        key = keys[event.value] if event.implicit[0] else _quoted_key(event)
                        if event.anchor is not None:
                            self._anchors[event.anchor] = (key, 1)
                        if key in container:
                            self._given_again(container, key, event)
                        continue
                    value = values[event.value] if event.implicit[0] else _quoted(event)
                    if event.anchor is not None:
                        self._anchors[event.anchor] = (value, 1)
                elif kind is MappingStartEvent or kind is SequenceStartEvent:
                    self._check_start(event, key, len(stack))
                    stack.append((container, key, anchor, start))
                    container, key = ({}, None) if kind is MappingStartEvent else ([], _ITEM)
                    anchor, start = event.anchor, nodes
                    continue
                elif kind is MappingEndEvent or kind is SequenceEndEvent:
                    value = container
                    if anchor is not None:
                        self._close_anchor(anchor, value, nodes - start)
                    container, key, anchor, start = stack.pop()
                elif kind is AliasEvent:
                    value, size = self._alias(event)
                    nodes += size - 1
                    if key is None:
                        key = _alias_key(value)
                        if key in container:
                            self._given_again(container, key, event)
                        continue
                else:  # the end of the document
                    return container[0]
                if key is _ITEM:
                    container.append(value)
                elif key is _MERGE:
                    self._merge(container, value)
                    key = None
                else:
                    container[key] = value
                    key = None
        except ValueError as error:
            raise Refused(self._line(event), str(error)) from None

    def _line(self, event: Any) -> int:
        return self._document.first_line + int(event.start_mark.line)

    def _given_again(self, container: dict[str, Any], key: str, event: Any) -> None:
        """Note a duplicate key, unless the earlier value came from a merge and is now overridden."""
        merged = self._merged.get(id(container))
        if merged is not None and key in merged.keys:
            merged.keys.discard(key)
        else:
            problem = YamlProblem(self._line(event), f'the key "{key}" is given twice in one mapping')
            self._document.problems.append(problem)

    def _check_start(self, event: Any, key: Any, depth: int) -> None:
        if key is None:
            raise ValueError("a mapping or a list cannot be a key")
        if depth >= MAX_DEPTH:
            raise ValueError(TOO_DEEP)
        if event.anchor is not None:
            self._open_anchors.add(event.anchor)

    def _close_anchor(self, anchor: str, value: Any, nodes: int) -> None:
        self._anchors[anchor] = (value, nodes)
        self._open_anchors.discard(anchor)

    def _alias(self, event: Any) -> tuple[Any, int]:
        """The value of an alias and its number of nodes, with all aliases in it written out."""
        if event.anchor in self._open_anchors:
            raise ValueError(f"the anchor &{event.anchor} contains itself")
        if event.anchor not in self._anchors:
            raise ValueError(f"*{event.anchor} refers to an anchor that is not defined before it")
        value, size = self._anchors[event.anchor]
        self._aliased_nodes += size
        if self._aliased_nodes > MAX_ALIASED_NODES:
            raise ValueError(f"its aliases stand for more than {MAX_ALIASED_NODES} values: an alias bomb")
        return value, size

    def _merge(self, container: dict[str, Any], value: Any) -> None:
        """Merge one mapping or a list of mappings, of which the earlier ones win.

        As in go-yaml v2 the merge takes place where it is written: it overrides keys before it and is
        overridden by keys after it.
        """
        sources = value if isinstance(value, list) else [value]
        merged = self._merged.setdefault(id(container), _Merged(container))
        for source in reversed(sources):
            if not isinstance(source, dict):
                raise ValueError("a merge key << takes a mapping or a list of mappings")
            container.update(source)
            merged.keys.update(source)


_ITEM: Any = object()
"""Stands for a key in a sequence."""


def event_key(event: Any) -> str:
    """Return the JSON key that a scalar event becomes."""
    return key_text(event.value) if event.implicit[0] else _quoted_key(event)


def _quoted(event: Any) -> JsonScalar:
    """The value of a scalar that is quoted or tagged."""
    if event.implicit[1]:
        return str(event.value)
    return resolve_tagged(event.value, event.tag)


def _quoted_key(event: Any) -> str:
    return str(event.value) if event.implicit[1] or event.tag == STRING_TAG else key_text(event.value)


def _alias_key(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, dict | list):
        raise ValueError("this alias does not stand for a text, so it cannot be a key")
    return key_text(str(value).lower())
