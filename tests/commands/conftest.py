"""Runs the program in this process, as a user would."""

import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from commands import main

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    """What a run left."""

    code: int
    out: str
    err: str


@pytest.fixture
def in_the_root(monkeypatch):
    """Paths of fixtures are told as they are given: relate them to the root, wherever pytest was started."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def run(capsys, monkeypatch):
    """A function that runs the program with arguments, and with bytes on stdin."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("KSCHEDCTL_CLUSTER", raising=False)

    def run_with(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as exit_:
            main.run(arguments)
        read = capsys.readouterr()
        return Done(int(exit_.value.code or 0), read.out, read.err)

    return run_with
