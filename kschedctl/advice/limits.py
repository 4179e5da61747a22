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

    def for_group(self, members: int, nodes: int, placements: int) -> int:
        """How many times the cycle of a group is run: the fewer the more it costs, where nobody asked not at all then.

        Args:
            members: how many wait.
            nodes: of the cluster.
            placements: domains that the group might have.
        """
        cost = members * (nodes + _PLACEMENT * placements)
        afforded = _WORK // cost
        if self is FULL:
            return min(2 * self.trials, max(_FEWEST, 8 * afforded))
        return 0 if afforded < _FEWEST // 2 else min(2 * self.trials, afforded)


BRIEF: Final = Limits()
FULL: Final = Limits(enough=10, trials=160)

_AT_ONCE: Final = 20_000
_PLACEMENT: Final = 200
"""To set out for a domain costs as much as so many nodes."""
_WORK: Final = 3_000_000
_FEWEST: Final = 8


def brief_for(pods: int, nodes: int) -> Limits | None:
    """How far to search where nobody asked for suggestions: not at all for many pods of a large cluster."""
    return BRIEF if pods == 1 or pods * nodes <= _AT_ONCE else None
