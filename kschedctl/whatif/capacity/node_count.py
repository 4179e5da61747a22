"""The search for the fewest nodes that a target needs, where each try means to fill a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from kschedctl.workloads.limits import SUPPORTED_NODES

_LEAP: Final = 16
"""So many times the nodes tried last are tried next at most: the first ones may gain less than those after them."""


class NodeCountResult(Struct, frozen=True):
    """What a search came to.

    Attributes:
        nodes: with so many the target fits, and with one less it does not; None where no number was found.
        tried: the largest number that was tried, where none was found the last one.
    """

    nodes: int | None
    tried: int


def fewest_nodes(
    sets_with: Callable[[int], int], target: int, now: int = 0, shapes: int = 1
) -> NodeCountResult:
    """Search by what the nodes tried so far have gained each, and by halves where that does not hold.

    Equal nodes in a cluster without other limits take equally many, so that few tries are enough.

    Args:
        sets_with: how many sets fit with a number of nodes; counting may end at the target.
        target: so many are to fit.
        now: so many fit without any.
        shapes: after 8 nodes of each of so many shapes, further ones that gain nothing end the search.
    """
    low, gained, high = 0, now, 1
    while (sets := sets_with(high)) < target:
        if high >= SUPPORTED_NODES or (sets <= gained and high > 8 * shapes):
            return NodeCountResult(None, high)
        low, gained = high, sets
        ahead = _estimate(low, gained, target, now) if gained > now else 2 * low
        high = min(ahead, _LEAP * low, SUPPORTED_NODES)
    most, halve = high, False
    while high - low > 1:
        by_gain = _estimate(low, gained, target, now) if gained > now else high
        middle = (low + high) // 2 if halve else min(by_gain, high - 1)
        halve = not halve
        sets = sets_with(middle)
        if sets >= target:
            high = middle
        else:
            low, gained = middle, sets
    return NodeCountResult(high, most)


def _estimate(nodes: int, sets: int, target: int, now: int) -> int:
    """How many nodes reach the target if each gains what the ones so far have gained; more than so far."""
    return max(nodes + 1, -(-nodes * (target - now) // (sets - now)))
