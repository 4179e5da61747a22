"""The documents of a YAML text, cut and read as kubectl does, with what is wrong in each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml import MarkedYAMLError, YAMLError
from yaml.events import DocumentStartEvent, Event
from yaml.reader import ReaderError

from kschedctl.sources.content import not_utf8
from kschedctl.sources.yaml_builder import TOO_DEEP, Memos, Refused, YamlBuilder, YamlDocument, YamlProblem

_SEPARATOR = re.compile(rb"^---[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)
# Nothing is tried twice (`*+`): what the engine keeps to come back to would be many bytes a line.
_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t]*+(?:#[^\n]*+)?\r?(?:\n|\Z))*+")
_DIRECTIVE = re.compile(rb"^%", re.MULTILINE)
_TAB_INDENT = re.compile(rb"[ ]*\t")


def read_yaml(text: bytes) -> Iterator[YamlDocument]:
    """Yield the documents of a text; blank ones and those that are only comments are left out.

    A document that cannot be read does not hide the ones after it: like kubectl, this cuts the text at the
    `---` lines first.
    """
    memo = Memos()
    for part, first_line in _parts(text):
        yield from _read_part(part, first_line, memo)


def events(text: bytes) -> Iterator[Event]:
    """Yield the parse events of a YAML text."""
    parser = _parser(text)
    while (event := parser.get_event()) is not None:
        yield event


def _parser(text: bytes) -> Any:
    """The event parser: libyaml's, unless PyYAML was built without it."""
    return yaml.CSafeLoader(text) if yaml.__with_libyaml__ else yaml.SafeLoader(text)


def _parts(text: bytes) -> Iterator[tuple[bytes, int]]:
    """Cut at the separators that kubectl knows; yield each part that is not blank, with its first line."""
    if _DIRECTIVE.search(text, 0, 4096):  # a directive belongs to the document after the next separator
        yield text, 1
        return
    start, line = 0, 1
    for match in _SEPARATOR.finditer(text):
        part = text[start : match.start()]
        if not _BLANK.fullmatch(part):
            yield part, line
        line += part.count(b"\n") + 1
        start = match.end()
    part = text[start:]
    if not _BLANK.fullmatch(part):
        yield part, line


def _read_part(part: bytes, first_line: int, memo: Memos) -> Iterator[YamlDocument]:
    """Read the documents of a part: one, unless it is cut by `...` or by `--- text`."""
    try:
        parser = _parser(part)
        number = -1
        while (event := parser.get_event()) is not None:
            if event.__class__ is not DocumentStartEvent:
                continue
            number += 1
            line = first_line + parser.peek_event().start_mark.line
            document = YamlDocument(part, first_line, line, number)
            try:
                document.data = YamlBuilder(parser.get_event, memo, document).build()
            except Refused as refused:
                document.problems.append(YamlProblem(refused.line, refused.message))
                yield document
                return
            if document.data is not None or document.problems:
                yield document
    except YAMLError as error:
        yield YamlDocument(part, first_line, first_line, problems=[_syntax_problem(error, part, first_line)])


def _syntax_problem(error: YAMLError, part: bytes, first_line: int) -> YamlProblem:
    """Put what the parser says into one line, with a better word where tabs are the cause."""
    if isinstance(error, ReaderError):
        offset, message = not_utf8(part) or (int(error.position), f"not YAML: {error.reason}")
        return YamlProblem(first_line + part.count(b"\n", 0, offset), message)
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return YamlProblem(first_line, f"not YAML: {error}")
    offset = error.problem_mark.line
    if _TAB_INDENT.match(part, _start_of_line(part, offset)):
        return YamlProblem(first_line + offset, "a tab indents this line; YAML allows spaces only")
    if "nesting depth" in str(error.problem):
        return YamlProblem(first_line + offset, TOO_DEEP)
    context = f"{error.context}: " if error.context else ""
    opened = error.context_mark.line if error.context_mark is not None else offset
    started = (
        f" (it starts on line {first_line + opened})" if opened < offset and "block" not in context else ""
    )
    return YamlProblem(first_line + offset, f"not YAML: {context}{error.problem}{started}")


def _start_of_line(text: bytes, line: int) -> int:
    """The offset of a line, counted from 0; the end where there are not so many."""
    position = 0
    for _ in range(line):
        end = text.find(b"\n", position)
        if end < 0:
            return len(text)
        position = end + 1
    return position
