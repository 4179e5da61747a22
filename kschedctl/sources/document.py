"""Documents: generic data that knows the line of each of its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from kschedctl.errors import InputError, InputErrors, KschedError, Place
from kschedctl.sources.content import Buffer, Input, is_binary, paused_gc
from kschedctl.sources.json import Envelope, JsonProblem, JsonText, count_lines, is_json, read_json
from kschedctl.sources.json_lines import json_lines
from kschedctl.sources.lines import FieldPath, Lines, path_text

if TYPE_CHECKING:
    from kschedctl.sources.yaml import YamlDocument

_MAX_FLOW_YAML_BYTES = 16 * 2**20
"""Broken JSON up to this size is tried as YAML in flow style, as kubectl does."""


@dataclass(slots=True)
class Position:
    """Where a document is: it tells the place of each of its fields."""

    file: str
    number: int | None
    """Number of the document, counted from 1; None where the file has only one."""
    line_of: Callable[[FieldPath], int | None]

    def place(self, path: FieldPath = ()) -> Place:
        """Return the place of a field, or of the document itself."""
        return Place(self.file, self.number, self.line_of(path), path_text(path) or None)

    def place_of_object(self, path: FieldPath) -> Place:
        """Return the place of an object, which is told by its line alone."""
        return Place(self.file, self.number, self.line_of(path))

    def at_line(self, line: int) -> Place:
        """Return the place of a line of the file."""
        return Place(self.file, self.number, line)


@dataclass(slots=True)
class Document:
    """One document of an input."""

    data: Any
    """What it says, as JSON-like data with all fields. It may share parts: do not change it."""
    position: Position

    def place(self, *path: str | int) -> Place:
        """Return the place of a field: `place("profiles", 0, "schedulerName")`."""
        return self.position.place(path)


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


@dataclass(slots=True)
class JsonPart:
    """One JSON document that has been scanned but not decoded."""

    text: JsonText
    envelope: Envelope | None
    position: Position
    lines: LazyJsonLines


@dataclass(slots=True)
class Parsed:
    """The documents of an input: either JSON, to be decoded by whoever knows the types, or YAML."""

    json: list[JsonPart]
    yaml: list[Document]
    problems: list[KschedError]


def parse(source: Input) -> Parsed:
    """Read an input and find its documents; JSON or YAML is recognised by content.

    Raises:
        InputError: the input cannot be read or is no text.
    """
    content = source.read()
    if not len(content):
        raise source.error("the file is empty")
    if is_binary(content):
        raise source.error("this is a binary file, neither YAML nor JSON")
    if not is_json(content):
        return _parse_yaml(source, content)
    parts: list[tuple[JsonText, Envelope | None]] = []
    try:
        parts.extend(read_json(content))
        problems: list[KschedError] = []
    except JsonProblem as problem:
        if len(content) <= _MAX_FLOW_YAML_BYTES and _is_yaml(parsed := _parse_yaml(source, content)):
            return parsed
        problems = [InputError(problem.message, place=Place(file=source.name, line=problem.line))]
    parsed = Parsed([], [], problems)
    single = len(parts) == 1 and not problems
    for i, (text, envelope) in enumerate(parts, start=1):
        lines = LazyJsonLines(source, text)
        position = Position(source.name, None if single else i, lines)
        parsed.json.append(JsonPart(text, envelope, position, lines))
    return parsed


def _parse_yaml(source: Input, content: Buffer) -> Parsed:
    from kschedctl.sources.yaml import read_yaml

    parsed = Parsed([], [], [])
    found = list(read_yaml(bytes(content)))
    for i, document in enumerate(found, start=1):
        position = Position(source.name, i if len(found) > 1 else None, LazyYamlLines(document))
        if document.problems:
            for problem in document.problems:
                parsed.problems.append(InputError(problem.message, place=position.at_line(problem.line)))
        else:
            parsed.yaml.append(Document(document.data, position))
    return parsed


def _is_yaml(parsed: Parsed) -> bool:
    return not parsed.problems and all(isinstance(document.data, Mapping) for document in parsed.yaml)


def load_documents(path: str, stdin: BinaryIO | None = None) -> list[Document]:
    """Read every document of a file as generic data, whatever it is about.

    Raises:
        InputError: the file cannot be read, or has one problem.
        InputErrors: it has several problems.
    """
    with paused_gc():
        parsed = parse(Input.of(path, stdin))
        documents = [_generic(part, parsed.problems) for part in parsed.json] + parsed.yaml
        for part in parsed.json:
            part.lines.release()
    raise_all(parsed.problems)
    return documents


def load_document(path: str, stdin: BinaryIO | None = None) -> Document:
    """Read a file that holds exactly one document, such as a configuration.

    Raises:
        InputError: it cannot be read, or has one problem; it is empty or holds more than one document.
        InputErrors: it has several problems.
    """
    documents = load_documents(path, stdin)
    if len(documents) == 1:
        return documents[0]
    message = f"expected one document, found {len(documents)}" if documents else "there is no document in it"
    raise InputError(message, place=Place(file=path))


def raise_all(problems: list[KschedError]) -> None:
    """Raise the problems together, if there are any.

    Raises:
        KschedError: the only problem itself.
        InputErrors: several problems.
    """
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise InputErrors(problems)


def _generic(part: JsonPart, problems: list[KschedError]) -> Document:
    """Decode a JSON document to generic data; a key that is given twice is a problem, as in YAML."""
    duplicates: list[tuple[int, str]] = []
    json_lines(bytes(part.text.view), part.text.first_line, duplicates)
    problems += [
        InputError(f'the key "{key}" is given twice in one mapping', place=part.position.at_line(line))
        for line, key in duplicates
    ]
    return Document(msgspec.json.decode(part.text.view), part.position)
