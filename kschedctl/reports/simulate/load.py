"""How full a cluster was and is, as blocks of a document: by resource, zone, pool and fullest node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from kschedctl.reports.document import Block, Only
from kschedctl.reports.medium import BRIEF, FULL, UNLIMITED, Medium
from kschedctl.reports.rooms.fragmentation_blocks import fragmentation_blocks
from kschedctl.reports.rooms.histogram import room_blocks
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.reports.simulate import sentences
from kschedctl.reports.simulate.model import Load, LoadChange, ResourceLoad, Simulation
from kschedctl.reports.table import CellKind, Column, NodeNames, Row, Share, Table

if TYPE_CHECKING:
    from kschedctl.reports.capacity.model import Capacity
    from kschedctl.reports.consolidation.model import Consolidation
    from kschedctl.reports.drain.model import Drain
    from kschedctl.reports.plan.model import NodePlan

_FULLEST: Final = 3
_WIDE: Final = frozenset({Medium.WIDE})
_PICTURED: Final = BRIEF | {Medium.HTML}
"""Media with little room, and those in which pictures show how full all nodes are."""
_ALWAYS_SHOWN: Final = ("cpu", "memory")


def load_blocks(report: Simulation | Drain | Capacity | NodePlan | Consolidation) -> Iterator[Block]:
    """How full the cluster was and is; a picture only where something changed."""
    used = [r for r in report.load if r.resource in _ALWAYS_SHOWN or (r.after and r.after.requested)]
    if not used:
        return
    told = sentences.not_counted(report.not_counted)
    yield _totals(used, [f"({told})"] if told else [])
    main = [r for r in used if r.resource in _ALWAYS_SHOWN]
    grouped = [r for r in used if r.resource in _ALWAYS_SHOWN or "/" in r.resource]  # devices and the like
    still = not any(map(_changed, used))
    closed = {node.name: node.after for node in report.not_counted if node.after}
    for media, shown in ((BRIEF, [] if still else grouped), (FULL, used)):
        for title, groups in (("zone", [r.zones for r in shown]), ("node pool", [r.pools for r in shown])):
            if len({name for group in groups for name in group}) > 1:
                yield Only(media, partial(_groups, title, [r.resource for r in shown], groups))
    yield from room_blocks(report.rooms)
    yield from fragmentation_blocks(report.fragmentation)
    for media, shown, most in ((_PICTURED, [] if still else main, _FULLEST), (_WIDE, used, None)):
        if any(r.fullest for r in shown):
            yield Only(
                media, partial(_fullest, shown, closed, {room.name: room for room in report.rooms}, most)
            )


def _changed(load: ResourceLoad) -> bool:
    before, after = load.before, load.after
    return before is None or after is None or before.share != after.share


def _totals(load: Sequence[ResourceLoad], notes: Sequence[str]) -> Table:
    columns = [
        Column("requested", CellKind.NAME),
        Column("before", CellKind.SHARE),
        Column("after", CellKind.SHARE),
        Column("", CellKind.NAME),
    ]
    rows = []
    for r in load:
        shares = [_share(one, drawn=_changed(r)) for one in (r.before, r.after)]
        rows.append(Row([r.resource, *shares, sentences.amounts(r.resource, r.after)]))
    return Table(columns, rows, limits=UNLIMITED, notes=notes)


def _groups(title: str, resources: Sequence[str], groups: Sequence[Mapping[str, LoadChange]]) -> Table:
    names = dict.fromkeys(name for group in groups for name in group)
    columns = [Column(title, CellKind.NAME_CUT), *(Column(resource, CellKind.NAME) for resource in resources)]
    rows = [Row([name, *(_change(group.get(name)) for group in groups)]) for name in names]
    return Table(columns, rows, limits=UNLIMITED)


def _change(change: LoadChange | None) -> str:
    before, after = (change.before, change.after) if change else (None, None)
    gone = after is None and before is not None
    return f"{sentences.percent(before)} > {'gone' if gone else sentences.percent(after)}"


def _fullest(
    load: Sequence[ResourceLoad], closed: Mapping[str, str], rooms: Mapping[str, NodeRoom], most: int | None
) -> Table:
    """The fullest nodes; a picture only of those that have become fuller, or less full."""
    columns = [
        Column("fullest", CellKind.NAME, merged=True),
        Column("", CellKind.SHARE),
        Column("node", CellKind.NAMES),
    ]
    rows = []
    for r in load:
        for node in r.fullest[:most]:
            room = rooms.get(node.node)
            changed = room is None or room.share_before(r.resource) != room.share(r.resource)
            share = _share(Load(requested=round(node.share * 1000), allocatable=1000), drawn=changed)
            suffix = f" ({closed[node.node]})" if node.node in closed else ""
            rows.append(Row([r.resource, share, NodeNames([(node.node, suffix)])]))
    return Table(columns, rows, limits=UNLIMITED)


def _share(load: Load | None, *, drawn: bool = True) -> Share:
    return Share(
        load.share if load is not None else None, sentences.percent(load), drawn and load is not None
    )
