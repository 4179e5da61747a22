"""Try hostile inputs for long: `python -m tests.fuzz --hours 2`, or one again: `--only typed --number 17`."""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from commands import program

from .campaign import Tally, campaign, generators
from .seeds import ROOT

_A_TIME = 200
_TOLD = 10_000
_MOST_MEMORY = 3 * 2**30


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and return 1 where something was found."""
    asked = _parsed(arguments)
    os.environ.setdefault("COLUMNS", "80")
    gc.set_threshold(5_000_000)
    until = time.monotonic() + asked.hours * 3600
    names = asked.only or list(generators())
    inputs: Counter[str] = Counter()
    codes: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    slowest, number, start = 0.0, asked.first, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kschedctl-fuzz-") as folder:
        os.chdir(folder)
        while time.monotonic() < until:
            numbers = range(number, number + (1 if asked.number is not None else _A_TIME))
            tally = campaign(
                names, [asked.number] if asked.number is not None else numbers, Path(folder), until
            )
            _tell(tally, kinds)
            inputs += tally.inputs
            codes += tally.codes
            slowest = max(slowest, tally.slowest)
            number += _A_TIME
            if number % _TOLD == 0:
                print(f"{inputs.total():,} inputs, {kinds.total()} violations", flush=True)
            if asked.number is not None:
                break
    took = time.monotonic() - start
    print(f"{inputs.total():,} inputs in {took:.0f} s, slowest run {slowest:.2f} s, exit codes {dict(codes)}")
    print(", ".join(f"{name} {count:,}" for name, count in inputs.items()), f"; next --first {number}")
    for what, count in kinds.most_common():
        print(f"{count:6} x {what}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{kinds.total()} violations of {len(kinds)} kinds; peak memory {peak} MB")
    return 1 if kinds else 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--hours", type=float, default=0.05, help="how long")
    parser.add_argument("--first", type=int, default=1_000_000, help="number of the first input")
    parser.add_argument("--number", type=int, help="this input alone")
    parser.add_argument("--only", nargs="+", choices=list(generators()), help="these generators alone")
    return parser.parse_args(arguments)


def _tell(tally: Tally, kinds: Counter[str]) -> None:
    """Say each finding when it is there, with its arguments if it is the first of its kind."""
    for found in tally.findings:
        told = "" if kinds[found.what] else f"  {' '.join(found.arguments)}"
        print(f"--only {found.generator} --number {found.number}: {found.what}{told}", flush=True)
        kinds[found.what] += 1


if __name__ == "__main__":
    program.root = cache(program.root)  # the verbs are made of their options once, not for every input
    sys.path.append(str(ROOT / "tests"))  # where the server of the client's tests is
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    raise SystemExit(main())
