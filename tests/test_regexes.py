"""No regular expression of ours takes more than time in proportion to a text, whatever the text is."""

import importlib
import pkgutil
import re
import time
from pathlib import Path

import pytest

import commands
import kschedctl

ROOT = Path(__file__).parents[1]
LENGTH = 20_000
SECONDS = 1.0
"""A hundred times what the slowest good one takes."""
PIECES = [
    "a",
    "0",
    "-",
    "a-",
    "a.",
    "/",
    "1 ",
    "aA",
    "(",
    "a:",
    " ",
    ",",
    "\n",
    "a\n",
    " \n",
    "{{",
    "\\",
    '"',
    "[",
    "e1",
    "x=",
]


def found():
    """`(module, name)` -> pattern, of each that a module holds."""
    for root in (kschedctl, commands):
        for part in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if part.name.endswith("__main__") or part.name.startswith("kschedctl.commands"):
                continue
            for name, value in vars(importlib.import_module(part.name)).items():
                if isinstance(value, re.Pattern):
                    yield part.name, name, value


def searched(module, name):
    """Whether the pattern is looked for at every place of a text."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text() if "." in module else ""
    return re.search(rf"{name}\.(search|sub|split|finditer|findall)\(", text) is not None


PATTERNS = [one for one in found() if (ROOT / f"{one[0].replace('.', '/')}.py").exists()]


@pytest.mark.parametrize(
    ("module", "name", "pattern"), PATTERNS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_it_takes_time_in_proportion(module, name, pattern):
    methods = [
        pattern.fullmatch,
        pattern.match,
        *([lambda text: pattern.sub("", text)] if searched(module, name) else []),
    ]
    if isinstance(pattern.pattern, bytes):
        methods[2:] = [pattern.search] if len(methods) > 2 else []
    for piece in PIECES:
        for end in ("!", ""):
            text = piece * (LENGTH // len(piece)) + end
            hostile = text.encode() if isinstance(pattern.pattern, bytes) else text
            for method in methods:
                start = time.process_time()
                method(hostile)
                assert time.process_time() - start < SECONDS, (piece, end)
