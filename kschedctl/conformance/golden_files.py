"""Files of golden cases: those that are shipped, and those that somebody names."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from kschedctl.conformance.scenario import GoldenCase, parse_cases, read_cases
from kschedctl.errors import InputError, Place, UsageError
from kschedctl.sources.content import STDIN

SHIPPED: Final = Path(__file__).parent / "golden"
"""The golden cases that come with the program."""

_SUFFIXES: Final = (".jsonl.gz", ".jsonl")
_GZIP_MAGIC: Final = b"\x1f\x8b"


class GoldenFile(Struct, frozen=True):
    """A file of golden cases, or the standard input.

    Attributes:
        category: what the cases are about: the name without suffix, with the folders below the one that was named.
        path: None for the standard input.
    """

    category: str
    path: Path | None

    def cases(self, stdin: BinaryIO | None = None) -> Iterator[GoldenCase]:
        """The cases, one after another.

        Raises:
            InputError: the file cannot be read, or a line is no golden case.
            UsageError: there is no standard input.
        """
        if self.path is not None:
            return read_cases(self.path)
        if stdin is None:
            raise UsageError(f"there is no standard input to read {STDIN} from")
        return _from_stream(stdin)


def golden_files(paths: Sequence[str]) -> list[GoldenFile]:
    """The files behind paths: files, directories (searched through, in order of name) and `-`; none: the shipped ones.

    Raises:
        InputError: a path does not exist, or a directory holds no golden cases.
    """
    return [file for path in (paths or (str(SHIPPED),)) for file in _expand(path)]


def _expand(path: str) -> list[GoldenFile]:
    if path == STDIN:
        return [GoldenFile("stdin", None)]
    root = Path(path)
    if not os.path.exists(root):
        raise InputError("there is no such file or directory", place=Place(file=path))
    if not os.path.isdir(root):
        return [GoldenFile(_stem(root.name), root)]
    try:
        next(root.iterdir(), None)  # searching through skips what may not be read
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", place=Place(file=path)) from error
    found = sorted(file for suffix in _SUFFIXES for file in root.rglob(f"*{suffix}"))
    if not found:
        raise InputError(f"holds no golden cases (*{', *'.join(_SUFFIXES)})", place=Place(file=path))
    return [GoldenFile(_stem(file.relative_to(root).as_posix()), file) for file in found]


def _stem(name: str) -> str:
    return next((name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix)), name)


def _from_stream(stream: BinaryIO) -> Iterator[GoldenCase]:
    try:
        yield from parse_cases(_unpacked(stream), "stdin")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError("the gzip data is cut off or damaged", place=Place(file="stdin")) from error


def _unpacked(stream: BinaryIO) -> BinaryIO:
    """The stream, unzipped if need be; it is read while it comes."""
    buffered = io.BufferedReader(stream)  # type: ignore[type-var]
    if buffered.peek(2)[:2] == _GZIP_MAGIC:
        return gzip.open(buffered)  # type: ignore[return-value]
    return buffered
