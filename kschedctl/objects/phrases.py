"""Phrases of every answer: how many of something there are, and names of which only the first are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_MOST_NAMES: Final = 5


def plural(count: int, noun: str) -> str:
    """`1 pod`, `2 pods`, `1,000,000 pods`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def names_text(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Some names, and how many more there are: `a, b and 3 more`."""
    return and_more(names[:most], len(names))


def and_more(some: Sequence[str], total: int) -> str:
    """The first of so many names, and how many more there are."""
    more = f" and {total - len(some)} more" if total > len(some) else ""
    return ", ".join(some) + more


def either(options: Sequence[str]) -> str:
    """What there is to choose from: `a`, `a or b`, `a, b or c`."""
    return " or ".join(part for part in (", ".join(options[:-1]), options[-1]) if part)


def missing_text(kind: str, name: str) -> str:
    """What to do about an object that the input lacks, and the cluster perhaps has."""
    return f"{kind} {name} is not in the input; add its manifest, or take the snapshot with that kind"
