"""Files that appear as a whole or not at all."""

from __future__ import annotations

import gzip
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from kschedctl.errors import InputError, Place

_GZIP_LEVEL = 6
_LINES_A_WRITE = 2000


class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> int:
        """Write the bytes."""


@contextmanager
def replacing(path: str, *, private: bool = False) -> Iterator[Sink]:
    """A file that takes the place of `path` when the block ends well; gzipped if the name ends in `.gz`.

    The same content gives the same bytes. What is no plain file, such as a pipe or a device, is written itself;
    a symbolic link stays one. A file that takes the place of another one can be read by the same people.

    Args:
        path: where.
        private: whether a new file can be read by its owner alone.

    Raises:
        InputError: the file cannot be written.
    """
    if "\0" in path:
        raise InputError("cannot be written: no name of a file", place=Place(path))
    target = Path(os.path.realpath(path))
    try:
        if _is_special(Path(path)):
            with open(path, "wb") as special, _packed(special, path) as sink:
                yield sink
            return
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        try:
            with _new_file(temporary, target, private=private) as file:
                with _packed(file, path) as sink:
                    yield sink
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", place=Place(path)) from None


def _new_file(path: Path, target: Path, *, private: bool) -> BinaryIO:
    """A file that at no time more people can read than in the end."""
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mode = None
    descriptor = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private or mode is not None else 0o666
    )
    if mode is not None and not private:
        os.fchmod(descriptor, mode)
    return os.fdopen(descriptor, "wb")


def _is_special(path: Path) -> bool:
    """Whether it is no plain file; `/dev/stdout` may be one, and must stay the one that the shell has opened."""
    return path.exists() and (not path.is_file() or path.is_relative_to("/dev"))


@contextmanager
def _packed(file: BinaryIO, path: str) -> Iterator[Sink]:
    """The file, or what gzips into it."""
    if not path.endswith(".gz"):
        yield file
        return
    with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as packed:
        yield packed


def write_lines(stream: Sink, items: Iterable[bytes]) -> None:
    """Write JSON values as the inside of a list, one a line."""
    separator = b"\n"
    lines: list[bytes] = []
    for item in items:
        lines.append(item)
        if len(lines) == _LINES_A_WRITE:
            stream.write(separator + b",\n".join(lines))
            lines.clear()
            separator = b",\n"
    if lines:
        stream.write(separator + b",\n".join(lines))
