"""How far suggestions are searched for."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Limits(Struct, frozen=True):
    """Where the search ends.

    Attributes:
        enough: so many suggestions, and no candidate is left that would be cheaper than the last of them.
        trials: so many changes are tried.
    """

    enough: int = 3
    trials: int = 40


BRIEF: Final = Limits()
FULL: Final = Limits(enough=10, trials=160)

_AT_ONCE: Final = 20_000


def brief_for(pods: int, nodes: int) -> Limits | None:
    """How far to search where nobody asked for suggestions: not at all for many pods of a large cluster."""
    return BRIEF if pods == 1 or pods * nodes <= _AT_ONCE else None
