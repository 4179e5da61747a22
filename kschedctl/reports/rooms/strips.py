"""How full the nodes are by resource, before and after; what is free in pieces, and what nobody can use."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.phrases import plural
from kschedctl.objects.units import amount_texts
from kschedctl.reports.figures import Strip, Strips
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.reports.rooms.resources import told_resources
from kschedctl.reports.rooms.stranded import stranded


def room_strips(rooms: Sequence[NodeRoom]) -> list[Strips]:
    """A picture of the nodes that take pods; none where they are not known."""
    found = [_strip(resource, rooms) for resource in told_resources(rooms)]
    strips = [strip for strip in found if strip.after]
    return [Strips("how full the nodes are, the fullest first", strips)] if strips else []


def _strip(resource: str, rooms: Sequence[NodeRoom]) -> Strip:
    after = [share for room in rooms if room.is_open and (share := room.share(resource)) is not None]
    before = [share for room in rooms if (share := room.share_before(resource)) is not None]
    return Strip(
        resource, sorted(before, reverse=True), sorted(after, reverse=True), room_sentence(resource, rooms)
    )


def room_sentence(resource: str, rooms: Sequence[NodeRoom]) -> str:
    """How much is free on the nodes that take pods, in what pieces, and how much of it nobody can use."""
    there = [room for room in rooms if room.is_open and resource in room.allocatable]
    free = [room.free(resource) for room in there]
    lost, on = stranded(resource, rooms)
    texts = amount_texts(resource, (sum(free), max(free, default=0), lost))
    text = f"{texts[0]} free on {plural(len(there), 'node')}"
    if len(there) > 1 and any(free):
        text += f", at most {texts[1]} on one of them"
    if lost:
        text += f"; {texts[2]} of it stranded on {plural(on, 'node')} where something else is used up"
    return text
