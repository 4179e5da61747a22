"""JSON documents: where each one starts and ends, and what their errors mean.

Large Lists are never made into dicts: the envelope is decoded to raw items, each item straight to its type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from kschedctl.sources.content import Buffer, not_utf8, text_start

_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
_POSITION = re.compile(r"^(?:JSON is malformed: )?(.*?)(?: \(byte (\d+)\))?$")
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
_SPACE = re.compile(rb"\s*")
_ITEMS = re.compile(rb'"items"\s*:\s*\[')
_GAP = re.compile(rb"[\s,]*")


class Head(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """What an object says it is."""

    api_version: str = ""
    kind: str = ""


class Envelope(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A List with its items still in JSON; other objects have none."""

    api_version: str = ""
    kind: str = ""
    items: list[msgspec.Raw] | None = None


class JsonText(Struct, frozen=True):
    """One JSON document in a buffer."""

    buffer: Buffer
    start: int
    end: int

    @property
    def view(self) -> memoryview:
        """The text, not copied."""
        return memoryview(self.buffer)[self.start : self.end]

    @property
    def first_line(self) -> int:
        """Line of the buffer on which the document starts, counted from 1."""
        return 1 + count_lines(self.buffer, 0, self.start)

    def item_spans(self) -> list[tuple[int, int]]:
        """Return where each item of a List starts and ends in the buffer.

        The raw items are in order and have only a comma and space between them.
        """
        items = msgspec.json.decode(self.view, type=Envelope).items or []
        opening = _ITEMS.search(self.buffer, self.start, self.end)
        position = opening.end() if opening else self.start
        spans = []
        for item in items:
            gap = _GAP.match(self.buffer, position)
            begin = gap.end() if gap else position
            position = begin + memoryview(item).nbytes
            spans.append((begin, position))
        return spans


class JsonProblem(Exception):
    """A text is no JSON."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def is_json(content: Buffer) -> bool:
    """Whether a text starts like JSON (it may still be YAML in flow style)."""
    return _START.match(content) is not None


def read_json(content: Buffer) -> Iterator[tuple[JsonText, Envelope | None]]:
    """Yield the JSON documents that stand one after the other in a buffer.

    Each comes with its envelope, None where the document does not have the shape of one.

    Raises:
        JsonProblem: at the first place that is no JSON.
    """
    start = _skip_space(content, text_start(content))
    while start < len(content):
        try:
            end, envelope = _first_document(memoryview(content)[start:])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise syntax_problem(error, content, start) from None
        yield JsonText(content, start, start + end), envelope
        start = _skip_space(content, start + end)


def _first_document(view: memoryview) -> tuple[int, Envelope | None]:
    """Decode the first document of a text and return where it ends; one scan if it is the only one."""
    end = len(view)
    try:
        return end, msgspec.json.decode(view, type=Envelope)
    except msgspec.ValidationError:
        pass
    except msgspec.DecodeError as error:
        if _TRAILING.search(str(error)) is None:
            raise
    try:
        msgspec.json.decode(view, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        trailing = _TRAILING.search(str(error))
        if trailing is None:
            raise
        end = int(trailing[1]) - 1  # the first of them has been consumed
    try:
        return end, msgspec.json.decode(view[:end], type=Envelope)
    except msgspec.ValidationError:
        return end, None


def syntax_problem(error: Exception, content: Buffer, start: int = 0) -> JsonProblem:
    """Put a decoder's error about `content[start:]` into words, with its line."""
    # msgspec 0.23 says the same by an error of its own, without the place.
    if isinstance(error, UnicodeDecodeError) or "Invalid UTF-8" in str(error):
        offset, message = not_utf8(content) or (start, f"not UTF-8 text: {error}")
        return JsonProblem(1 + count_lines(content, 0, offset), message)
    if isinstance(error, RecursionError):
        return JsonProblem(1 + count_lines(content, 0, start), "nested too deeply")
    if "truncated" in str(error):
        return JsonProblem(1 + count_lines(content, 0, len(content)), "the JSON is cut off")
    match = _POSITION.match(str(error))
    reason, position = match.groups() if match else (str(error), None)
    return JsonProblem(1 + count_lines(content, 0, start + int(position or 0)), f"not JSON: {reason}")


def count_lines(buffer: Buffer, start: int, end: int) -> int:
    """Return the number of line ends in a part of a buffer."""
    step = 2**24
    return sum(buffer[i : min(i + step, end)].count(b"\n") for i in range(start, end, step))


def _skip_space(content: Buffer, start: int) -> int:
    match = _SPACE.match(content, start)
    return match.end() if match else start
