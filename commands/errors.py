"""The one place where exceptions become text on stderr and an exit code."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Final

import typer

from kschedctl.errors import InputErrors, KschedError, PluginError

from .messages import say


class ExitCode(IntEnum):
    """What the process says; the same in every output format."""

    YES = 0
    NO = 1
    FAILED = 2
    INTERRUPTED = 130


_MOST_PROBLEMS = 50
_NEEDED_BY_FEW: Final = {
    "jsonschema": "reading a scenario, a catalogue or a grid",
    "kubernetes": "reading a live cluster",
    "networkx": "writing a graph",
}
"""Library -> what it is for; nothing else imports it."""


def guarded(command: Callable[[], Any], arguments: Sequence[str]) -> int:
    """Run a command that returns its exit code; an exception is told on stderr.

    Args:
        command: what to run.
        arguments: the command line, in which `--debug` asks for tracebacks.
    """
    try:
        return int(command() or 0)
    except KschedError as error:
        if isinstance(error, PluginError) and "--debug" in arguments:
            traceback.print_exc()
        _tell(error)
    except typer.Abort:
        return _interrupted()
    except typer.TyperException as error:
        _tell_usage(error)
    except KeyboardInterrupt:
        return _interrupted()
    except ModuleNotFoundError as error:
        if not _tell_missing(error):
            _tell_internal(error, debug="--debug" in arguments)
    except Exception as error:
        _tell_internal(error, debug="--debug" in arguments)
    return ExitCode.FAILED


def _tell(error: KschedError) -> None:
    problems: Sequence[KschedError] = error.problems if isinstance(error, InputErrors) else (error,)
    for problem in problems[:_MOST_PROBLEMS]:
        say(str(problem), "error")
        if problem.hint:
            say(problem.hint, "hint")
    if (left := len(problems) - _MOST_PROBLEMS) > 0:
        say(f"{left} more problems in the input", "error")


def _tell_usage(error: typer.TyperException) -> None:
    similar = getattr(error, "possibilities", None)
    text = error.message if similar else " ".join(error.format_message().split())
    say(text[:1].lower() + text[1:].removesuffix("."), "error")
    if similar:
        say(f"did you mean {' or '.join(similar)}?", "hint")
    context = getattr(error, "ctx", None)
    if context is not None:
        say(f"see {context.command_path} --help", "hint")


def _tell_missing(error: ModuleNotFoundError) -> bool:
    """Whether it is a library that only some questions need, which is told."""
    library = (error.name or "").partition(".")[0]
    if library not in _NEEDED_BY_FEW:
        return False
    say(f"{_NEEDED_BY_FEW[library]} needs the library {library}, which is not installed", "error")
    say(f"pip install {library}", "hint")
    return True


def _tell_internal(error: Exception, *, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    say(f"internal error: {type(error).__name__}: {error}", "error")
    rest = "please file it" if debug else "please file it with the output of --debug"
    say(f"this is a mistake in kschedctl, not in your input; {rest}", "hint")


def _interrupted() -> int:
    say("interrupted")
    return ExitCode.INTERRUPTED
