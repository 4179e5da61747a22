"""Of what use free room is: what is allocated and stranded by group of nodes, and how many pods of each size fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec.structs import replace

from kschedctl.cluster.state import ClusterState
from kschedctl.objects.units import amount_text
from kschedctl.reports.model import ReportObject, doc
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.reports.rooms.stranded import stranded
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.world.pod_sizes import PodSize, common_sizes, sizes_of
from kschedctl.whatif.world.utilization import PODS

_MOST_SIZES: Final = 8
_MOST_PENDING: Final = 5
_ONE: Final[Mapping[str, int]] = {PODS: 1}


class SizeRoom(ReportObject, frozen=True, kw_only=True):
    """How many pods of a size would still fit, by resources alone."""

    requests: Annotated[dict[str, int], doc("What one asks for; cpu in milli, memory in bytes.")]
    running: Annotated[int, doc("Pods of the size that run at the end; daemons and static pods left out.")]
    pending: Annotated[int, doc("Pods of the size that stay pending.")]
    before: Annotated[int, doc("How many fitted, as loaded.")]
    after: Annotated[int, doc("How many would still fit at the end.")]
    nodes: Annotated[int, doc("On so many nodes.")]
    in_one_piece: Annotated[int, doc("How many would fit at the end, were all that is free on one node.")]


class GroupRoom(ReportObject, frozen=True, kw_only=True):
    """Nodes that take pods, and what is allocated and stranded on them; cpu in milli, memory in bytes."""

    by: Annotated[
        Literal["cluster", "zone", "pool", "shape"], doc("What they have in common; cluster: all of them.")
    ]
    name: Annotated[str, doc("Zone, node pool, or what a node of the shape offers.")]
    nodes: Annotated[int, doc("How many, at the end.")]
    allocatable: Annotated[dict[str, int], doc("What they offer at the end.")]
    allocatable_before: Annotated[dict[str, int], doc("What they offered as loaded.")]
    before: Annotated[dict[str, int], doc("What was requested of them as loaded.")]
    after: Annotated[dict[str, int], doc("What is requested of them at the end.")]
    stranded_before: Annotated[
        dict[str, int], doc("What was free where 95 % of cpu, memory or pods were used, as loaded.")
    ]
    stranded: Annotated[
        dict[str, int], doc("What is free where 95 % of cpu, memory or pods are used, at the end.")
    ]


class Fragmentation(ReportObject, frozen=True, kw_only=True):
    """Of what use free room is."""

    sizes: Annotated[
        list[SizeRoom], doc("The sizes of pods that are pending, and the most common ones that run.")
    ]
    groups: Annotated[list[GroupRoom], doc("All nodes, then by zone, by pool and by shape.")]
    useless: Annotated[
        dict[str, int],
        doc(
            "Resource, other than cpu and memory, that pending pods ask for -> what is free of it on nodes on which "
            "none of these has room."
        ),
    ]


def fragmentation_of(
    rooms: Sequence[NodeRoom], cluster: ClusterState, tasks: Iterable[Task] = ()
) -> Fragmentation:
    """What there is to tell of free room.

    Args:
        rooms: every node before and after.
        cluster: the cluster at the end.
        tasks: pods that were to be scheduled.
    """
    waiting = sizes_of((t.record for t in tasks if t.pending and t.record is not None), _MOST_PENDING)
    common = common_sizes(cluster, _MOST_SIZES)
    running = {_key(size.requests): size.pods for size in common}
    pending = {_key(size.requests): size.pods for size in waiting}
    sizes = [*waiting, *(size for size in common if _key(size.requests) not in pending)]
    there = [room for room in rooms if room.is_open]
    was = {room.name: replace(room, after=room.before) for room in rooms if room.before is not None}
    before = [room for room in was.values() if room.is_open]
    return Fragmentation(
        sizes=[
            _size(
                size.requests,
                before,
                there,
                running.get(_key(size.requests), 0),
                pending.get(_key(size.requests), 0),
            )
            for size in sizes
        ],
        groups=[
            _group(by, name, members, was)
            for by, of in _KINDS.items()
            for name, members in _grouped(rooms, of)
            if by == "cluster" or len({of(room) for room in rooms}) > 1
        ],
        useless=_useless(there, waiting),
    )


def shape_of(room: NodeRoom) -> str:
    """What a node offers, in words: `4 cpu, 16Gi memory, 2 nvidia.com/gpu`."""
    told = [
        f"{amount_text(name, amount)} {name}"
        for name, amount in room.allocatable.items()
        if name in ("cpu", "memory") or "/" in name
    ]
    return ", ".join(told)


_By = Literal["cluster", "zone", "pool", "shape"]
_KINDS: Final[Mapping[_By, Callable[[NodeRoom], str | None]]] = {
    "cluster": lambda room: "",
    "zone": lambda room: room.zone,
    "pool": lambda room: room.pool,
    "shape": shape_of,
}


def _key(requests: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(requests.items()))


def _grouped(
    rooms: Sequence[NodeRoom], of: Callable[[NodeRoom], str | None]
) -> list[tuple[str, list[NodeRoom]]]:
    groups: dict[str, list[NodeRoom]] = {}
    for room in rooms:
        name = of(room)
        if name is not None:
            groups.setdefault(name, []).append(room)
    return sorted(groups.items())


def _group(by: _By, name: str, rooms: Sequence[NodeRoom], before: Mapping[str, NodeRoom]) -> GroupRoom:
    there = [room for room in rooms if room.is_open]
    was = [old for room in rooms if (old := before.get(room.name)) is not None and old.is_open]
    names = dict.fromkeys(resource for room in rooms for resource in room.allocatable)
    return GroupRoom(
        by=by,
        name=name,
        nodes=len(there),
        allocatable=_sums(room.allocatable for room in there),
        allocatable_before=_sums(room.allocatable for room in was),
        before=_sums(room.after or {} for room in was),
        after=_sums(room.after or {} for room in there),
        stranded_before={one: amount for one in names if (amount := stranded(one, was)[0])},
        stranded={one: amount for one in names if (amount := stranded(one, there)[0])},
    )


def _sums(amounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in amounts:
        for name, amount in one.items():
            total[name] = total.get(name, 0) + amount
    return total


def _size(
    requests: Mapping[str, int],
    before: Sequence[NodeRoom],
    there: Sequence[NodeRoom],
    running: int,
    pending: int,
) -> SizeRoom:
    fits = [_most(requests, room) for room in there]
    asked = {**requests, **_ONE}
    heap = {name: sum(room.free(name) for room in there) for name in asked}
    return SizeRoom(
        requests=dict(requests),
        running=running,
        pending=pending,
        before=sum(_most(requests, room) for room in before),
        after=sum(fits),
        nodes=sum(count > 0 for count in fits),
        in_one_piece=min(heap[name] // amount for name, amount in asked.items()),
    )


def _most(requests: Mapping[str, int], room: NodeRoom) -> int:
    return min(room.free(PODS), *(room.free(name) // amount for name, amount in requests.items()))


def _useless(rooms: Sequence[NodeRoom], pending: Sequence[PodSize]) -> dict[str, int]:
    found = {}
    names = dict.fromkeys(name for size in pending for name in size.requests if name not in ("cpu", "memory"))
    for name in names:
        asking = [size.requests for size in pending if name in size.requests]
        lost = sum(room.free(name) for room in rooms if not any(_most(requests, room) for requests in asking))
        if lost:
            found[name] = lost
    return found


UseOfRoom: TypeAlias = Annotated[
    Fragmentation | None, doc("Of what use free room is; null with -q, and in reports of older versions.")
]
