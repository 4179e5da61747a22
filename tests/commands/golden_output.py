"""Golden output: what a command prints, kept in a file beside the test."""

import os
from pathlib import Path

GOLDEN = Path(__file__).with_name("golden")


def check(name: str, text: str) -> None:
    """Compare a text with the golden file of a name; KSCHEDCTL_WRITE_GOLDEN=1 writes it instead."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("KSCHEDCTL_WRITE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()
