"""The bytes of an input: a file, a stream or what a directory holds, unpacked if they are gzipped."""

from __future__ import annotations

import codecs
import gc
import gzip
import io
import mmap
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from msgspec import Struct

from kschedctl.errors import InputError, Place, UsageError

Buffer = bytes | bytearray | mmap.mmap

STDIN = "-"
"""The path that stands for the standard input."""

EVERYTHING_BELOW = "/**"
"""After a directory: with those below it."""

MAX_UNPACKED_BYTES = 4 * 2**30
"""Largest size of a gzip file once unpacked, and of what comes from a pipe: several times the largest cluster."""

SMALL_UNPACKED_BYTES = 64 * 2**20
MAX_GZIP_RATIO = 100
"""What unpacks to more than the small size may be so many times as large as it was packed; clusters are 10 to 30."""

_MANIFEST_NAME = re.compile(r".+\.(?:json|yaml|yml)(?:\.gz)?")
_GZIP_MAGIC = b"\x1f\x8b"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF8_BOM = codecs.BOM_UTF8
_HEAD_BYTES = 4096
_CHUNK_BYTES = 2**20


class Input:
    """One input by its name. It can be read again, which is how positions are found late."""

    def __init__(self, name: str, stream: BinaryIO | None = None) -> None:
        self.name = name
        self._from_stream = None if stream is None else self._all_of(stream)
        self._signature: tuple[int, int] | None = None

    @classmethod
    def of(cls, path: str, stdin: BinaryIO | None) -> Input:
        """Return the input that a path names; `-` is the given stream.

        Raises:
            UsageError: `-` is asked for, and there is no stream.
        """
        if path != STDIN:
            return cls(path)
        if stdin is None:
            raise UsageError("there is no standard input to read - from")
        return cls("stdin", stdin)

    def read(self, limit: int = MAX_UNPACKED_BYTES) -> Buffer:
        """Return the content; a plain file is mapped, not copied.

        Raises:
            InputError: the input cannot be read, or its gzip stream is damaged or too large.
        """
        content = self._raw()
        if content[:2] == _GZIP_MAGIC:
            content = self._unpacked(content, min(limit, most_unpacked(len(content))))
        return self._transcoded(content) if content[:2] in _UTF16_MARKS else content

    def read_again(self) -> Buffer | None:
        """Return the content once more, or None if it is not what it was."""
        again = Input(self.name)
        again._from_stream = self._from_stream
        try:
            content = again.read()
        except InputError:
            return None
        return content if again._signature == self._signature else None

    def error(self, message: str, *, hint: str | None = None) -> InputError:
        """Return an error about the whole input."""
        return InputError(message, place=Place(file=self.name), hint=hint)

    def _raw(self) -> Buffer:
        if self._from_stream is not None:
            return self._from_stream
        try:
            with open(self.name, "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):  # a pipe can be read once only, so what came is kept
                    self._from_stream = self._all_of(file)
                    return self._from_stream
                self._signature = (status.st_size, status.st_mtime_ns)
                if not status.st_size:
                    return b""
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except IsADirectoryError:
            hint = f"Name a file in it, or {os.path.join(self.name, '*.yaml')}."
            raise self.error("is a directory; a file is expected here", hint=hint) from None
        except ValueError:
            raise self.error("is no name of a file: it holds a character that none can hold") from None
        except OSError as error:
            hint = "A URL is not read; pipe what it gives: curl -sL URL | kschedctl ... -f -"
            raise self.error(_reason(error), hint=hint if "://" in self.name else None) from None

    def _all_of(self, stream: BinaryIO) -> bytes:
        content = stream.read(MAX_UNPACKED_BYTES + 1)
        if len(content) > MAX_UNPACKED_BYTES:
            raise self.error(
                f"sends more than {MAX_UNPACKED_BYTES // 2**20} MiB", hint="A file may be larger."
            )
        return content

    def _unpacked(self, raw: Buffer, limit: int) -> bytearray:
        content = bytearray()
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
                while chunk := packed.read(_CHUNK_BYTES):
                    content += chunk
                    if len(content) > limit:
                        raise self.error(
                            f"unpacks to more than {limit // 2**20} MiB",
                            hint="If it is known to be good, unpack it first (gunzip): plain files have no limit.",
                        )
        except EOFError:
            raise self.error("the gzip data is cut off") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self.error(f"the gzip data is damaged: {error}") from None
        return content

    def _transcoded(self, content: Buffer) -> bytes:
        """UTF-8 of what PowerShell redirects into a file."""
        try:
            return bytes(content).decode("utf-16").encode()
        except UnicodeDecodeError as error:
            raise self.error(f"starts like UTF-16 text and is none: {error.reason}") from None


def most_unpacked(packed: int) -> int:
    """Return how many bytes a gzip file of a size may unpack to."""
    return min(max(SMALL_UNPACKED_BYTES, MAX_GZIP_RATIO * packed), MAX_UNPACKED_BYTES)


class Expanded(Struct, frozen=True):
    """What a path names.

    Attributes:
        files: itself, or the manifests of a directory in the order in which kubectl reads them.
        left_out: directories in it that hold manifests and are not searched.
    """

    files: list[str]
    left_out: list[str]

    def checked(self, path: str, where: str) -> Expanded:
        """The same.

        Raises:
            InputError: there is no file.
        """
        if self.files:
            return self
        below = f"directories below it are not searched: write {path}{EVERYTHING_BELOW}, or -R for manifests"
        hint = below if self.left_out else None
        raise InputError(f"{where} no *.yaml, *.yml or *.json file", place=Place(file=path), hint=hint)


def expand(path: str) -> Expanded:
    """Return the files that a path names: itself, or the manifests of a directory, sorted by name.

    As with `kubectl apply -f DIR`, a directory is not searched below its first level; `DIR/**` is, as with `-R`.

    Raises:
        InputError: the directory holds no manifest or cannot be read.
        UsageError: the path is empty, as an unset variable is.
    """
    if not path:
        raise UsageError("a path is empty")
    directory = path.removesuffix(EVERYTHING_BELOW)
    if path == STDIN or not os.path.isdir(directory):
        return Expanded([path], [])
    try:
        if directory != path:
            return Expanded(_manifests_below(directory), []).checked(
                path, "the directory and those below it hold"
            )
        files = [name for name in sorted(os.listdir(path)) if _is_manifest(os.path.join(path, name))]
        inside = [name for name in sorted(os.listdir(path)) if _holds_manifests(os.path.join(path, name))]
    except OSError as error:
        raise InputError(_reason(error), place=Place(file=path)) from None
    found = Expanded(
        [os.path.join(path, name) for name in files], [os.path.join(path, name) for name in inside]
    )
    return found.checked(path, "the directory holds")


def _is_manifest(path: str) -> bool:
    """Whether a file has the name of one; a pipe or a device would block, or never end."""
    return _MANIFEST_NAME.fullmatch(os.path.basename(path)) is not None and os.path.isfile(path)


def _manifests_below(directory: str) -> list[str]:
    """All manifests in a directory and below it, each directory in the order of its names, links not followed."""
    found = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(directory, onerror=_fail)
        for name in names
        if _is_manifest(os.path.join(folder, name))
    ]
    return sorted(found, key=lambda path: path.split(os.sep))


def _holds_manifests(directory: str) -> bool:
    """Whether there is a manifest in a directory or below it."""
    if os.path.islink(directory):
        return False
    walk = os.walk(directory)
    return any(_is_manifest(os.path.join(folder, name)) for folder, _, names in walk for name in names)


def _fail(error: OSError) -> None:
    raise error


def forget(content: Buffer, start: int, end: int) -> None:
    """Give the memory of a part of a mapped file back; whoever reads it again gets it from the file once more."""
    if not isinstance(content, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED"):
        return
    first, last = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE
    if first < last:
        content.madvise(mmap.MADV_DONTNEED, first, last - first)


def text_start(content: Buffer) -> int:
    """Return where the text begins: after a byte order mark, if there is one."""
    return len(_UTF8_BOM) if content[: len(_UTF8_BOM)] == _UTF8_BOM else 0


def is_binary(content: Buffer) -> bool:
    """Whether the content is no text at all."""
    return b"\0" in content[:_HEAD_BYTES]


def not_utf8(text: Buffer) -> tuple[int, str] | None:
    """Return the offset of the first byte that is no UTF-8 and a sentence about it, None if there is none."""
    try:
        bytes(text).decode()
    except UnicodeDecodeError as error:
        return error.start, f"not UTF-8 text: the byte 0x{error.object[error.start]:02x} has no meaning in it"
    return None


@contextmanager
def paused_gc() -> Iterator[None]:
    """Switch the garbage collector off for a while: a load makes many objects and no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _reason(error: OSError) -> str:
    match error:
        case FileNotFoundError():
            return "there is no such file or directory"
        case PermissionError():
            return "reading it is not permitted"
        case _:
            return f"cannot be read: {error.strerror or error}"
