"""Room that is free, and of no use: something else of its node is used up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.reports.rooms.model import NodeRoom

_MATTERS: Final = ("cpu", "memory", "pods")
"""What every pod needs some of."""
_USED_UP: Final = 0.95


def stranded(resource: str, rooms: Sequence[NodeRoom]) -> tuple[int, int]:
    """How much of a resource is stranded on nodes that take pods, and on how many of them."""
    amounts = [room.free(resource) for room in rooms if room.is_open and _used_up(room, resource)]
    return sum(amounts), sum(amount > 0 for amount in amounts)


def _used_up(room: NodeRoom, resource: str) -> bool:
    """Whether a node has hardly any left of what pods need besides."""
    others = (room.share(name) for name in _MATTERS if name != resource)
    return any(share is not None and share >= _USED_UP for share in others)
