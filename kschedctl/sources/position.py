"""Where documents are: lines are found when first asked for, by reading the text once more."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from kschedctl.errors import Place
from kschedctl.sources.content import Input, paused_gc
from kschedctl.sources.json import JsonText, count_lines
from kschedctl.sources.json_lines import json_lines
from kschedctl.sources.lines import FieldPath, Lines, path_text

if TYPE_CHECKING:
    from kschedctl.sources.yaml_builder import YamlDocument


class Position(Struct):
    """Where a document is: it tells the place of each of its fields."""

    file: str
    number: int | None
    """Number of the document, counted from 1; None where the file has only one."""
    line_of: Callable[[FieldPath], int | None]
    template: str | None = None
    """The template of a chart that the document was rendered from, where a comment says so."""

    def place(self, path: FieldPath = (), *, find_line: bool = True) -> Place:
        """Return the place of a field, or of the document itself."""
        line = self.line_of(path) if find_line else None
        return Place(self.file, self.number, line, path_text(path) or None, self.template)

    def place_of_object(self, path: FieldPath) -> Place:
        """Return the place of an object or of a field of it, which is told by its line alone."""
        return Place(self.file, self.number, self.line_of(path), template=self.template)

    def at_line(self, line: int) -> Place:
        """Return the place of a line of the file."""
        return Place(self.file, self.number, line, template=self.template)


class LazyYamlLines:
    """The lines of a YAML document, found when first asked for."""

    def __init__(self, document: YamlDocument) -> None:
        self._text = document.text
        self._first_line = document.first_line
        self._number = document.number
        self._start = document.line

    def __call__(self, path: FieldPath) -> int:
        """Return the line of a field."""
        return self._lines.at(path) if path else self._start

    @cached_property
    def _lines(self) -> Lines:
        from kschedctl.sources.yaml_lines import yaml_lines

        with paused_gc():
            return yaml_lines(self._text, self._first_line, self._number)


class LazyJsonLines:
    """The lines of a JSON document, found when first asked for.

    The text is held until `release`; after that it is read once more, if it is still the same.
    """

    def __init__(self, source: Input, text: JsonText) -> None:
        self._source = source
        self._bounds = (text.start, text.end)
        self._held: JsonText | None = text
        self._last_item: tuple[int, Lines] | None = None  # the problems of an item come together

    def __call__(self, path: FieldPath) -> int | None:
        """Return the line of a field, or None if the input has changed meanwhile."""
        match path:
            case ():
                return self._first_line
            case ("items", int(index)) if index < len(self._item_lines):
                return self._item_lines[index]
            case ("items", int(index), *rest) if index < len(self._item_lines):
                return self._item(index).at(rest)
            case _:
                return self._lines.at(path) if self._lines else None

    def release(self) -> None:
        """Let go of the text: a large file must not stay in memory for the lines that nobody asks for."""
        self._held = None

    def _text(self) -> JsonText | None:
        if self._held is not None:
            return self._held
        content = self._source.read_again()
        return None if content is None else JsonText(content, *self._bounds)

    @cached_property
    def _first_line(self) -> int | None:
        text = self._text()
        return text.first_line if text else None

    @cached_property
    def _item_lines(self) -> list[int]:
        text = self._text()
        if text is None:
            return []
        line, position = 1, 0
        lines = []
        for begin, _ in self._item_spans:
            line += count_lines(text.buffer, position, begin)
            lines.append(line)
            position = begin
        return lines

    @cached_property
    def _item_spans(self) -> list[tuple[int, int]]:
        text = self._text()
        with paused_gc():
            return text.item_spans() if text else []

    @cached_property
    def _lines(self) -> Lines | None:
        text = self._text()
        return json_lines(bytes(text.view), text.first_line) if text else None

    def _item(self, index: int) -> Lines:
        if self._last_item is None or self._last_item[0] != index:
            text = self._text()
            begin, end = self._item_spans[index]
            item = bytes(text.buffer[begin:end]) if text else b"{}"
            self._last_item = (index, json_lines(item, self._item_lines[index]))
        return self._last_item[1]
