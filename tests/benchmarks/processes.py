"""Whole processes: how long they take and how much memory they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Run:
    """A process that has ended: seconds, those of the processor, peak resident megabytes, and what it printed."""

    seconds: float
    processor: float
    megabytes: float
    output: str


def run(*arguments: str, expected: Sequence[int] = (0, 1)) -> Run:
    """Run Python with these arguments to its end; see `execute`."""
    return execute(sys.executable, *arguments, expected=expected)


def execute(*command: str, expected: Sequence[int] = (0, 1)) -> Run:
    """Run a command to its end.

    Raises:
        RuntimeError: its exit code is none of the expected ones.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode not in expected:
            raise RuntimeError(
                f"{' '.join(command)}: exit {process.returncode}: {err.read()[-2000:].decode()}"
            )
        per_megabyte = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return Run(
            seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / per_megabyte, out.read().decode()
        )


def kschedctl(*arguments: str) -> Run:
    """Run a command of kschedctl."""
    return run("-m", "kschedctl", *arguments)


def engine(*arguments: str) -> dict[str, Any]:
    """Run a loop of `engine.py` in a process of its own; what it measured, and the memory it took."""
    done = run("-m", "tests.benchmarks.engine", *arguments)
    measured: dict[str, Any] = json.loads(done.output)
    return measured | {"megabytes": done.megabytes}


def median_run(runs: Sequence[Run]) -> Run:
    """Medians of seconds and megabytes."""
    return Run(
        median(r.seconds for r in runs),
        median(r.processor for r in runs),
        median(r.megabytes for r in runs),
        runs[-1].output,
    )
