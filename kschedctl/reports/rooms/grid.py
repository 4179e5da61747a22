"""The room of nodes in a picture of them: how much is free, what they are parts of, who holds the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from kschedctl.objects.units import amount_texts
from kschedctl.reports.explain.reasons import natural_key
from kschedctl.reports.figures import Figure, NodeGrid, NodeGroup, Partition, Shading
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.reports.rooms.resources import told_resources
from kschedctl.reports.rooms.strips import room_strips


def room_grid(title: str, groups: Sequence[NodeGroup], by: str, rooms: Sequence[NodeRoom]) -> NodeGrid:
    """A picture of nodes in groups, with the room that is known of them."""
    told = {room.name: room_text(room) for room in rooms}
    return NodeGrid(
        title,
        [
            NodeGroup(
                group.label,
                group.good,
                [(name, _joined(text or group.label, told.get(name, ""))) for name, text in group.nodes],
            )
            for group in groups
        ],
        by,
        shadings=[_free(resource, rooms) for resource in told_resources(rooms)],
        partitions=list(_partitions(rooms)),
    )


def room_text(room: NodeRoom) -> str:
    """Where a node is, what is free on it, and who holds most of the rest."""
    facts = [what for what in (room.zone, room.pool, room.rack, room.closed) if what]
    if room.after is None:
        return ", ".join([*facts, "gone"])
    for resource in told_resources([room]):
        free, has = amount_texts(resource, (room.free(resource), room.allocatable[resource]))
        facts.append(f"{resource} {free} of {has} free")
    if room.largest:
        facts.append(f"largest {', '.join(room.largest)}")
    return ", ".join(facts)


def _joined(*texts: str) -> str:
    return "; ".join(text for text in texts if text)


def _free(resource: str, rooms: Sequence[NodeRoom]) -> Shading:
    shares = ((room.name, room.share(resource)) for room in rooms)
    return Shading(
        f"free {resource}",
        {name: min(max(0.0, 1 - share), 1.0) for name, share in shares if share is not None},
    )


def _partitions(rooms: Sequence[NodeRoom]) -> list[Partition]:
    """Zones, pools and racks, where there is more than one of them."""
    kinds: list[tuple[str, Callable[[NodeRoom], str | None]]] = [
        ("zone", lambda room: room.zone),
        ("pool", lambda room: room.pool),
        ("rack", lambda room: room.rack),
    ]
    found = []
    for label, of in kinds:
        named = [(room.name, of(room)) for room in rooms]
        known = {name: value for name, value in named if value is not None}
        if len(set(known.values())) > 1:
            found.append(Partition(label, known))
    return found


def room_figures(
    title: str,
    groups: Sequence[tuple[str, Mapping[str, str]]],
    rooms: Sequence[NodeRoom],
    bad: Collection[str] = (),
    *,
    rest: str = "as before",
    by: str = "what becomes of them",
) -> list[Figure]:
    """All nodes by what becomes of them, and how full they are; none where nothing is known of any.

    Args:
        title: of the first picture.
        groups: label -> nodes, each with what is to be known of it; all others are closed, gone, or the rest.
        rooms: the room of every node.
        bad: labels that are not what is wanted.
        rest: the label of nodes of which nothing else is to be said.
        by: what the labels tell.
    """
    left = {room.name: room for room in rooms}
    shown: list[NodeGroup] = []
    for label, nodes in groups:
        told = [(name, nodes[name]) for name in sorted(nodes, key=natural_key)]
        shown.append(NodeGroup(label, label not in bad, told))
        for name, _ in told:
            left.pop(name, None)
    others: dict[str, list[tuple[str, str]]] = {}
    for room in left.values():
        others.setdefault(room.closed or ("gone" if room.after is None else rest), []).append((room.name, ""))
    shown += [NodeGroup(label, label == rest, nodes) for label, nodes in sorted(others.items())]
    shown = [group for group in shown if group.nodes]
    return [*([room_grid(title, shown, by, rooms)] if shown else []), *room_strips(rooms)]
