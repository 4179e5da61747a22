"""The program in this process under watch: what it may do whatever it is given."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType

import yaml

from commands import main

SECONDS = 20.0
"""What a run over an input of some kilobytes may take; the slowest takes a tenth of it."""
BYTES = 4_000_000
"""What a run over such an input may print."""


class OutOfTimeError(BaseException):
    """The run does not end; no handler of the program may keep it."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a run left."""

    code: int
    out: str
    err: str
    seconds: float


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError where a block takes longer; in the main thread only."""

    def give_up(signal_: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(arguments: Sequence[str], stdin: bytes = b"") -> Done:
    """Run the program with arguments."""
    out, err, own = _text(), _text(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    code: object = None
    start = time.perf_counter()
    try:
        with limited(SECONDS), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main.run(arguments)
    except SystemExit as end:
        code = end.code
    except OutOfTimeError:
        code = 124
    finally:
        sys.stdin = own
    number = code if isinstance(code, int) else 0 if code is None else -1
    return Done(number, _content(out), _content(err), time.perf_counter() - start)


def _text() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "backslashreplace")


def violations(done: Done, output: str) -> list[str]:
    """What a run did that no run may do.

    Args:
        done: what it left.
        output: the format that was asked for.
    """
    found = []
    if done.code == 124:
        found.append(f"does not end within {SECONDS:g} s")
    elif done.code not in (0, 1, 2):
        found.append(f"exit code {done.code}")
    if "internal error" in done.err or "Traceback" in done.err:
        found.append(
            next(line for line in done.err.splitlines() if "internal error" in line or "Traceback" in line)
        )
    if done.code == 2 and not done.err and not done.out:
        found.append("exit code 2 without a word")
    if len(done.out) + len(done.err) > BYTES:
        found.append(f"prints {len(done.out) + len(done.err)} bytes")
    if raw := sorted({hex(ord(c)) for c in done.out + done.err if unsafe(c)}):
        found.append(f"prints {', '.join(raw)} as they are")
    if done.out and (problem := _unparsed(done.out, output)):
        found.append(problem)
    return found


def unsafe(character: str) -> bool:
    """Whether a terminal or a reader could be misled by a character."""
    code = ord(character)
    return (code < 32 and character != "\n") or 127 <= code < 160 or code in _MISLEADING


_MISLEADING = frozenset(
    (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x061C, 0xFEFF)
)


def _unparsed(text: str, output: str) -> str:
    try:
        if output == "json":
            json.loads(text)
        elif output == "yaml":
            list(yaml.safe_load_all(text))
    except (ValueError, yaml.YAMLError) as error:
        return f"stdout is no {output}: {str(error)[:100]}"
    return ""
