"""Exceptions become text on stderr and an exit code, in one place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from commands.errors import guarded
from kschedctl.errors import InputError, InputErrors, Place

ROOT = Path(__file__).parents[2]


def raising(error):
    def command():
        raise error

    return command


PLACE = Place("pod.yaml", 2, 14, "spec.nodeName")


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        pytest.param(
            InputError("wrong", place=PLACE, hint="write it right"),
            2,
            "error: pod.yaml, document 2, line 14: spec.nodeName: wrong\nhint: write it right\n",
            id="place and hint",
        ),
        pytest.param(
            InputErrors([InputError("one"), InputError("two\nlines")]),
            2,
            "error: one\nerror: two\\u{a}lines\n",
            id="several, and a line break that an input has brought",
        ),
        pytest.param(
            InputErrors([InputError(str(i)) for i in range(60)]),
            2,
            "".join(f"error: {i}\n" for i in range(50)) + "error: 10 more problems in the input\n",
            id="very many",
        ),
        pytest.param(KeyboardInterrupt(), 130, "interrupted\n", id="ctrl-c"),
        pytest.param(typer.Abort(), 130, "interrupted\n", id="abort"),
        pytest.param(
            ZeroDivisionError("division by zero"),
            2,
            "error: internal error: ZeroDivisionError: division by zero\n"
            "hint: this is a mistake in kschedctl, not in your input; please file it with the output of --debug\n",
            id="our mistake",
        ),
    ],
)
def test_errors_are_told_on_stderr(capsys, error, code, text):
    assert guarded(raising(error), []) == code
    read = capsys.readouterr()
    assert (read.out, read.err) == ("", text)


def test_the_traceback_is_there_when_asked_for(capsys):
    assert guarded(raising(ZeroDivisionError("x")), ["explain", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("result", [None, 0, 1, 2])
def test_what_a_command_returns_is_the_exit_code(result):
    assert guarded(lambda: result, []) == (result or 0)


TIE = [
    *(sys.executable, "-m", "kschedctl", "explain", "fixtures/explain-tie/pod.yaml"),
    *("-c", "fixtures/explain-tie/cluster.yaml"),
]


@pytest.mark.parametrize("output", ["table", "markdown", "json"])
def test_a_terminal_without_unicode_is_no_error(output):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*TIE, "-o", output], capture_output=True, cwd=ROOT, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
