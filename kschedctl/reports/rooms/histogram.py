"""How much is free on how many nodes, as a table with bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kschedctl.objects.units import amount_text
from kschedctl.reports.document import Block, Only
from kschedctl.reports.medium import UNLIMITED, Medium
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.reports.table import CellKind, Column, Row, Share, Table

_MAIN: Final = ("cpu", "memory")
_UNITS: Final = {"cpu": 1000, "memory": 2**30}
_BINS: Final = 5
_WIDE: Final = frozenset({Medium.WIDE})


def room_blocks(rooms: Sequence[NodeRoom]) -> Iterator[Block]:
    """The nodes that take pods, by what is free on them; where there is room for it."""
    there = [room for room in rooms if room.is_open]
    if len(there) > 1:
        yield Only(_WIDE, lambda: _table(there))


def _table(rooms: Sequence[NodeRoom]) -> Table:
    columns = [
        Column("free", CellKind.NAME, merged=True),
        Column("on a node", CellKind.NAME),
        Column("nodes", CellKind.SHARE),
    ]
    rows = []
    for resource in _MAIN:
        for label, count in histogram(resource, [room.free(resource) for room in rooms]):
            rows.append(Row([resource, label, Share(count / len(rooms), str(count))]))
    return Table(columns, rows, limits=UNLIMITED)


def histogram(resource: str, free: Sequence[int]) -> list[tuple[str, int]]:
    """How many amounts are nothing, and how many in each bin, of which one is twice as large as the one before.

    Bins from the first to the last in which anything is, the least first.
    """
    top = _UNITS.get(resource, 1)
    most = max(free, default=0)
    while top < most:
        top *= 2
    while top > 1 and top % 2 == 0 and top // 2 >= most > 0:
        top //= 2
    edges = [top // 2**step for step in range(_BINS - 1, -1, -1)]
    edges = sorted({edge for edge in edges if edge > 0})
    found = [("none", sum(amount == 0 for amount in free))]
    low = 0
    for edge in edges:
        to = amount_text(resource, edge)
        label = f"{amount_text(resource, low)} to {to}" if low else f"up to {to}"
        found.append((label, sum(low < amount <= edge for amount in free)))
        low = edge
    there = [at for at, (_, count) in enumerate(found) if count]
    return found[there[0] : there[-1] + 1] if there else []
