"""What README shows is what the program prints; `--regenerate` writes the outputs anew."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n\$ (?P<command>kschedctl .*)\n(?P<output>(?:.*\n)*?)```$", re.MULTILINE)
LEFT_OUT = "..."
"""A line that stands for the rest of an output."""


def printed(command):
    environment = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    arguments = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, timeout=120, check=False)
    assert done.stderr == b"", done.stderr.decode()
    return done.stdout.decode()


def shown(match):
    """The block with the output of today, cut where the old one was cut."""
    output, old = printed(match["command"]), match["output"].splitlines()
    if old and old[-1] == LEFT_OUT:
        output = "\n".join([*output.splitlines()[: len(old) - 1], LEFT_OUT, ""])
    return f"```console\n$ {match['command']}\n{output}```"


def test_outputs_are_real(golden):
    path = ROOT / "README.md"
    text = path.read_text()
    assert len(BLOCK.findall(text)) >= 4
    golden(path, BLOCK.sub(shown, text))
