"""The program in this process under watch: what it may do whatever it is given."""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType

import yaml

from commands import main
from kschedctl.safe_text import safe_text

_YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNSAFE_SHOWN = re.compile(r"\\u\{[0-9a-f]+\}")

SECONDS = 20.0
"""Processor time that a run over an input of some kilobytes may take; the slowest takes a tenth of it."""
_WAITING = 300.0
"""How long a run may take by the clock: one that waits for something that never comes uses no processor."""
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
    """Raise OutOfTimeError where a block takes longer on a processor; in the main thread only."""

    def give_up(signal_: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = {number: signal.signal(number, give_up) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _WAITING)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def run(arguments: Sequence[str], stdin: bytes = b"") -> Done:
    """Run the program with arguments."""
    out, err, own = _text(), _text(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    code: object = None
    start = time.process_time()
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
    return Done(number, _content(out), _content(err), time.process_time() - start)


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
    # What is written to a file is data of its own, not for a terminal.
    if output != "-" and (raw := safe_text(done.out + done.err, lines=True)) != done.out + done.err:
        found.append(f"prints {_UNSAFE_SHOWN.findall(raw)[0]} as it is")
    if done.out and (problem := _unparsed(done.out, output)):
        found.append(problem)
    return found


def _unparsed(text: str, output: str) -> str:
    try:
        if output == "json":
            json.loads(text)
        elif output == "yaml":
            list(yaml.load_all(text, _YAML_LOADER))
    except (ValueError, yaml.YAMLError) as error:
        return f"stdout is no {output}: {str(error)[:100]}"
    return ""
