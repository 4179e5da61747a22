"""Standard streams that cannot surprise: readers that leave, full disks, streams that are closed."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from kschedctl.errors import KschedError

if TYPE_CHECKING:
    from typing_extensions import Buffer


def settle_streams() -> None:
    """Let stdout fail with one of our errors and stderr never; what is closed is there, and empty or unwritable.

    A stream that is something else already, such as that of a test, stays as it is.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    sys.stdout = _settled(sys.stdout, _Report, 1)
    sys.stderr = _settled(sys.stderr, _Message, 2)


class _Output(io.FileIO):
    """Goes nowhere once it has failed, since the interpreter flushes again at its end."""

    def write(self, data: Buffer, /) -> int:
        """Write; a reader that has left, such as `head`, is no error."""
        try:
            return super().write(data)
        except BrokenPipeError:
            self._give_up()
        except OSError as error:
            self._give_up()
            self.fail(error)
        return memoryview(data).nbytes

    def fail(self, error: OSError) -> None:
        """What to do where nothing can be written."""

    def _give_up(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())


class _Report(_Output):
    def fail(self, error: OSError) -> None:
        raise KschedError(f"the report cannot be written: {error.strerror}") from error


class _Message(_Output):
    """There is no other place to say that it fails."""


def _settled(stream: TextIO | None, kind: type[_Output], number: int) -> TextIO:
    if stream is None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), number)  # writing fails, as it does on a closed stream
        return io.TextIOWrapper(io.BufferedWriter(kind(number, "w", closefd=False)), encoding="utf-8")
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    if type(raw) is not io.FileIO:
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(kind(raw.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",  # names need not be ASCII, terminals may be
        line_buffering=number == 2 or raw.isatty(),
    )
