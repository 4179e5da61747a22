"""What is said beside the report: on stderr, a line with a label, its text safe for a terminal."""

from __future__ import annotations

import sys
import textwrap


def say(text: str, label: str = "") -> None:
    """Write a message; lines after the first are set in below its text.

    Args:
        text: what to say; it may quote inputs.
        label: `error`, `warning`, `hint` or `note`; empty: nothing stands before the text.
    """
    from kschedctl.safe_text import safe_text

    head = f"{label}: " if label else ""
    margin = " " * len(head)
    body = textwrap.indent(safe_text(text, lines=True), margin).removeprefix(margin)
    print(f"{head}{body}", file=sys.stderr)
