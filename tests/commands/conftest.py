"""Runs the program in this process, as a user would."""

import io
import sys
from dataclasses import dataclass

import pytest

from commands import main


@dataclass(frozen=True)
class Done:
    """What a run left."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """A function that runs the program with arguments, and with bytes on stdin."""
    monkeypatch.setenv("COLUMNS", "80")

    def run_with(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as exit_:
            main.run(arguments)
        read = capsys.readouterr()
        return Done(int(exit_.value.code or 0), read.out, read.err)

    return run_with
