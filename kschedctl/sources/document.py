"""The documents of an input: recognised, read, and as generic data for those who want every field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from kschedctl.errors import InputError, InputErrors, KschedError, Place
from kschedctl.sources.content import Buffer, Input, is_binary, paused_gc
from kschedctl.sources.json import Envelope, JsonProblem, JsonText, is_json, read_json, syntax_problem
from kschedctl.sources.json_lines import json_lines
from kschedctl.sources.position import LazyJsonLines, LazyYamlLines, Position

EMPTY = "it is empty or has nothing but comments"
"""What is said of an input without a document."""

_TEMPLATE = re.compile(
    rb"\{\{-?\s*(?:\.(?:Values|Release|Chart|Capabilities)|(?:if|else|end|with|range|define|include|template|toYaml))\b"
)
_UNRENDERED = "This is a template of a chart; render it first: helm template CHART > rendered.yaml"
_MAX_FLOW_YAML_BYTES = 16 * 2**20
"""Broken JSON up to this size is tried as YAML in flow style, as kubectl does."""


class Document(Struct):
    """One document of an input."""

    data: Any
    """What it says, as JSON-like data with all fields. It may share parts: do not change it."""
    position: Position

    def place(self, *path: str | int) -> Place:
        """Return the place of a field: `place("profiles", 0, "schedulerName")`."""
        return self.position.place(path)


class JsonPart(Struct):
    """One JSON document that has been scanned but not decoded."""

    text: JsonText
    envelope: Envelope | None
    position: Position
    lines: LazyJsonLines


class Parsed(Struct):
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
    if is_binary(content):
        raise source.error("this is a binary file, neither YAML nor JSON")
    parsed = _parse(source, content)
    if parsed.problems and _TEMPLATE.search(content):
        parsed.problems[-1].hint = _UNRENDERED
    return parsed


def _parse(source: Input, content: Buffer) -> Parsed:
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
        number = i if len(found) > 1 else None
        position = Position(source.name, number, LazyYamlLines(document), document.template)
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
    return documents_of(Input.of(path, stdin))


def documents_of(source: Input) -> list[Document]:
    """The same of an input that somebody has looked at already.

    Raises:
        InputError: it cannot be read, or has one problem.
        InputErrors: it has several problems.
    """
    with paused_gc():
        parsed = parse(source)
        decoded = [_generic(part, parsed.problems) for part in parsed.json]
        documents = [document for document in decoded if document is not None] + parsed.yaml
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
    message = f"expected one document, found {len(documents)}" if documents else EMPTY
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


def _generic(part: JsonPart, problems: list[KschedError]) -> Document | None:
    """Decode a JSON document to generic data; a key that is given twice is a problem, as in YAML."""
    try:
        data = msgspec.json.decode(part.text.view)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        found = syntax_problem(error, part.text.buffer, part.text.start)
        problems.append(InputError(found.message, place=part.position.at_line(found.line)))
        return None
    duplicates: list[tuple[int, str]] = []
    json_lines(bytes(part.text.view), part.text.first_line, duplicates)
    for line, key in duplicates:
        message = f'the key "{key}" is given twice in one mapping'
        problems.append(InputError(message, place=part.position.at_line(line)))
    return Document(data, part.position)
