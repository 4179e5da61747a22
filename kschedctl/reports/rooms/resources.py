"""Of which resources the room of nodes is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.reports.rooms.model import NodeRoom

_ALWAYS: Final = ("cpu", "memory")
_MOST: Final = 6


def told_resources(rooms: Sequence[NodeRoom]) -> list[str]:
    """Cpu and memory, and what else somebody requests of a node, the number of pods last."""
    names = dict.fromkeys(name for room in rooms for name in room.allocatable)
    asked = {name for room in rooms for name, amount in (room.after or {}).items() if amount}
    found = [name for name in names if name in _ALWAYS or (name in asked and name != "pods")]
    return [*found[:_MOST], *(["pods"] if "pods" in names else [])]
