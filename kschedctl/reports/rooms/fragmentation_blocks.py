"""Of what use free room is, as blocks of a document; where there is little room, only what pending pods cannot use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from kschedctl.objects.units import amount_text
from kschedctl.reports.document import Block, FactList, Only
from kschedctl.reports.medium import FULL, UNLIMITED
from kschedctl.reports.rooms.fragmentation import Fragmentation, GroupRoom, SizeRoom
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.whatif.world.utilization import PODS

_ALL: Final = "all nodes"


def fragmentation_blocks(found: Fragmentation | None) -> Iterator[Block]:
    """What pending pods cannot use; in full what is allocated by shape, what is stranded, and what would still fit."""
    if found is None:
        return
    if found.useless:
        yield FactList.of(("of no use", _useless(name, amount)) for name, amount in found.useless.items())
    shapes = sorted((group for group in found.groups if group.by == "shape"), key=lambda one: -one.nodes)
    if shapes:
        yield Only(FULL, partial(_shapes, shapes))
    if any({*group.stranded, *group.stranded_before} - {PODS} for group in found.groups):
        yield Only(FULL, partial(_stranded, found.groups))
    if found.sizes:
        yield Only(FULL, partial(_sizes, found.sizes))


def _useless(name: str, amount: int) -> str:
    verb = "is" if amount == 1 else "are"
    free = f"{amount_text(name, amount)} {name} {verb} free"
    return f"{free} on nodes on which no pending pod that asks for some has room"


def _told(groups: Sequence[GroupRoom]) -> list[str]:
    """Resources of which pods use some."""
    names = dict.fromkeys(name for group in groups for name in group.allocatable)
    return [
        name for name in names if any(group.after.get(name) or group.before.get(name) for group in groups)
    ]


def _shapes(groups: Sequence[GroupRoom]) -> Table:
    names = _told(groups)
    columns = [
        Column("shape", CellKind.NAME_CUT),
        Column("nodes", CellKind.NUMBER),
        *(Column(name, CellKind.NAME) for name in names),
    ]

    def row(group: GroupRoom) -> Row:
        was = [_percent(group.before, group.allocatable_before, name) for name in names]
        now = [_percent(group.after, group.allocatable, name) for name in names]
        changes = [f"{before} > {after}" for before, after in zip(was, now, strict=True)]
        return Row([group.name, group.nodes, *changes])

    return Table(columns, [row(group) for group in groups], noun="shape", limits=UNLIMITED)


def _stranded(groups: Sequence[GroupRoom]) -> Table:
    names = [
        name
        for name in dict.fromkeys(name for group in groups for name in group.allocatable)
        if name != PODS and any(name in group.stranded or name in group.stranded_before for group in groups)
    ]
    columns = [Column("stranded", CellKind.NAME_CUT), *(Column(name, CellKind.NAME) for name in names)]
    rows = [
        Row(
            [
                _ALL if group.by == "cluster" else f"{group.by} {group.name}",
                *(
                    f"{_percent(group.stranded_before, group.allocatable_before, name)} > "
                    f"{_percent(group.stranded, group.allocatable, name)}"
                    for name in names
                ),
            ]
        )
        for group in groups
        if {*group.stranded, *group.stranded_before} - {PODS}
    ]
    note = "(free where 95 % of cpu, memory or pods are used)"
    return Table(columns, rows, noun="group", limits=UNLIMITED, notes=[note])


def _sizes(sizes: Sequence[SizeRoom]) -> Table:
    waiting = any(size.pending for size in sizes)
    columns = [
        Column("pod size", CellKind.NAME_CUT),
        Column("running", CellKind.NUMBER),
        *([Column("pending", CellKind.NUMBER, alarming=True)] if waiting else []),
        Column("fitted", CellKind.NUMBER, long="fitted before"),
        Column("fit", CellKind.NUMBER, long="would still fit"),
        Column("nodes", CellKind.NUMBER, long="on nodes"),
        Column("in one piece", CellKind.NUMBER),
    ]

    def row(size: SizeRoom) -> Row:
        what = ", ".join(f"{amount_text(name, amount)} {name}" for name, amount in size.requests.items())
        counts = [size.running, *([size.pending] if waiting else [])]
        return Row([what, *counts, size.before, size.after, size.nodes, size.in_one_piece])

    note = "(by resources alone, each size for itself; in one piece: were all that is free on one node)"
    return Table(columns, [row(size) for size in sizes], noun="size", limits=UNLIMITED, notes=[note])


def _percent(part: Mapping[str, int], whole: Mapping[str, int], name: str) -> str:
    return f"{part.get(name, 0) / whole[name] * 100:.0f} %" if whole.get(name) else "-"
