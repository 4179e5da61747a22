"""What is said beside the report: on stderr, a line with a label, its text safe for a terminal."""

from __future__ import annotations

import sys


def say(text: str, label: str = "") -> None:
    """Write a message of one line.

    A line break is one of an input, and is shown: CI systems obey lines that begin as theirs do, set in or not.

    Args:
        text: what to say; it may quote inputs.
        label: `error`, `warning`, `hint` or `note`; empty: nothing stands before the text.
    """
    from kschedctl.safe_text import safe_text

    print(f"{label}: {safe_text(text)}" if label else safe_text(text), file=sys.stderr)
