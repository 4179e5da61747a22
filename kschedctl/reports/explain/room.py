"""Whether there is room at all: more than any node has, no room now, or room in pieces that are too small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from kschedctl.objects.units import amount_text, amount_texts
from kschedctl.plugins.node_resources_fit import NodeResourcesFit
from kschedctl.reports.explain.model import NodeReport, Room, RoomVerdict
from kschedctl.reports.explain.reasons import refused_alike
from kschedctl.scheduling.decision import Decision

_FIT: Final = NodeResourcesFit.spec.name


def room_of(decision: Decision, nodes: Sequence[NodeReport]) -> list[Room]:
    """The room for each resource that is short, over the nodes that lack nothing else; over all where none does."""
    cluster = decision.cluster
    fitting = [n for found, names in refused_alike(nodes) if _only_short(found) for n in names]
    names = fitting or [node.name for node in nodes]
    rows = np.array([cluster.nodes.row_of[name] for name in names], np.int64)
    short = {
        d.subject: d.needs
        for failures, _ in refused_alike(nodes)
        for failure in failures
        if failure.plugin == _FIT
        for d in failure.details
        if d.needs is not None and d.subject != "pods"
    }
    if not short or not len(rows):
        return []
    needs = {name: amount for name, amount in decision.pod.pod_class.requests.items() if amount > 0}
    together = np.ones(len(rows), bool)
    for name, amount in needs.items():
        column = cluster.resources.column(name)
        together &= (cluster.nodes.allocatable[rows, column] if column is not None else 0) >= amount
    found = []
    for name, amount in sorted(short.items()):
        column = cluster.resources.column(name)
        if column is None:
            continue
        total = cluster.nodes.allocatable[rows, column]
        free = np.maximum(total - cluster.usage.requested[rows, column], 0)
        largest = int(free.argmax())
        found.append(
            Room(
                resource=name,
                needs=amount,
                nodes=len(rows),
                others=len(nodes) - len(rows),
                verdict=_verdict(amount, total, free, together),
                largest_node=int(total.max()),
                free_in_all=int(free.sum()),
                largest_free=int(free[largest]),
                largest_free_on=names[largest],
            )
        )
    return found


def _only_short(failures: Sequence[object]) -> bool:
    return len(failures) == 1 and getattr(failures[0], "plugin", "") == _FIT


def _verdict(needs: int, total: np.ndarray, free: np.ndarray, together: np.ndarray) -> RoomVerdict:
    if int(total.max()) < needs:
        return "LargerThanAnyNode"
    if not together.any():
        return "NotTogether"
    if int(free.max()) >= needs:
        return "FreeElsewhere"
    return "Fragmented" if int(free.sum()) >= needs else "Full"


def room_texts(rooms: Sequence[Room]) -> Iterator[str]:
    """A sentence for each resource."""
    if any(room.verdict == "NotTogether" for room in rooms):
        wanted = " and ".join(f"{amount_text(r.resource, r.needs)} {r.resource}" for r in rooms)
        yield f"no node has {wanted} together with all else that the pod asks for, even if it were empty"
        return
    for room in rooms:
        if (text := _text(room)) is not None:
            yield text


def _text(room: Room) -> str | None:
    name, nodes = room.resource, "the one node" if room.nodes == 1 else f"the {room.nodes} nodes"
    where = f"{nodes} that nothing else closes" if room.others else nodes
    needs, largest, whole, piece = amount_texts(
        name, (room.needs, room.largest_node, room.free_in_all, room.largest_free)
    )
    match room.verdict:
        case "LargerThanAnyNode":
            have = (
                f"none of {where} has more than {largest}"
                if room.largest_node
                else f"{where} {'has' if room.nodes == 1 else 'have'} none"
            )
            return f"{name}: {needs} wanted, {have}: no eviction helps"
        case "Fragmented":
            return (
                f"{name}: {whole} free in all on {where}, but in no piece of {needs}: the largest is "
                f"{piece} ({room.largest_free_on})"
            )
        case "Full":
            if room.nodes == 1:
                return None
            return f"{name}: {f'only {whole} free in all' if room.free_in_all else 'none free'} on {where}"
    return None
