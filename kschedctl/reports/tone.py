"""Whether an answer is good news."""

from __future__ import annotations

from enum import Enum


class Tone(Enum):
    """Whether an answer is good news."""

    YES = "yes"
    NO = "no"
    MIXED = "mixed"
    PLAIN = "plain"
    """No answer: a title, or a sum."""
