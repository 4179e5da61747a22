"""The program: verbs by name, each imported only when it is asked for."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType
from typing import Final

import typer

from kschedctl import __version__

from .errors import ExitCode, guarded
from .lazy_group import LazyGroup
from .streams import settle_streams
from .verb import HELP, PROGRAM

VERBS: Final = {
    "explain": "Where would a pod go and why; if nowhere, why not, node by node.",
    "preempt": "Whom would a pod evict, on which node and why there, and what becomes of them.",
    "simulate": "What happens to many pods after changes: releases, drains, lost zones, more replicas.",
    "drain": "Can these nodes go: where everything on them goes, in which waves, what holds it up.",
    "capacity": "How many more of a pod fit, what limits each node, how many nodes are missing.",
    "compare": "Which pods land elsewhere with another scheduler, cluster or change, and why.",
    "plan": "Which nodes to buy for all that is to run, and the least that it can cost.",
    "sweep": "Many scenarios at once: nodes and zones lost, nodes added, weights, versions, releases.",
    "snapshot": "Clusters as files: take one from a live cluster, inspect, compare, convert, redact.",
    "gate": "For CI: scenario files with expectations; JUnit, SARIF, annotations.",
    "config": "The configuration kube-scheduler would run with: view, validate, translate.",
    "conformance": "How far our decisions agree with golden decisions of kube-scheduler.",
    "view": "Write a saved report in another format: a page, a table, Markdown.",
    "completion": "Print the completion script of a shell.",
}
"""Verb -> the line about it in `--help`. Its module is `commands.<verb>`, which holds `app`."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kschedctl {__version__}")
        raise typer.Exit


def _main(
    _: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """The decision kube-scheduler would take, offline and explained.

    Exit codes: 0 the answer is yes, 1 it is no, 2 there is no answer (usage, bad input), 130 interrupted.
    """


def root() -> LazyGroup:
    """The command with all verbs below it."""
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings=HELP,
    )
    app.callback(cls=LazyGroup)(_main)
    group = typer.main.get_group(app)
    assert isinstance(group, LazyGroup)
    group.verbs = VERBS
    return group


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the program and end the process with its exit code.

    Args:
        arguments: instead of those of the process; then the process is somebody else's, and left as it is.
    """
    settle_streams()
    if arguments is None:
        _settle_the_process()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "_KSCHEDCTL_COMPLETE" in os.environ:
        import_module(f"{__package__}.completion").register_shells()
    name = program_name(sys.argv[0])

    def command() -> int | None:
        code: int | None = root().main(given, prog_name=name, standalone_mode=False)
        if code == ExitCode.INTERRUPTED:  # typer has caught it
            raise KeyboardInterrupt
        sys.stdout.flush()
        return code

    sys.exit(guarded(command, given))


def _settle_the_process() -> None:
    """Spare a short process what only a long one gains from."""
    # NumPy starts a thread per core for linear algebra, of which there is none here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Importing and reading make many objects that stay: looking for garbage among them finds none. To place 100,000
    # pods makes more than five million, a look at which takes most of a second.
    gc.set_threshold(20_000_000)
    # So does looking at the end, where everything goes anyway: a tenth of a short run.
    atexit.register(gc.freeze)
    # Ended from outside, a process must leave no half-written file behind: what is begun is undone as it unwinds.
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def program_name(path: str) -> str:
    """What the user typed: `kubectl whatif` where kubectl runs it as a plugin."""
    name = os.path.basename(path).removesuffix(".exe")
    return "kubectl whatif" if name.startswith("kubectl-") else PROGRAM
