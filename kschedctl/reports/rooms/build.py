"""From the use of a cluster to the room of its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kschedctl.cluster.state import ClusterState
from kschedctl.objects.node import Node
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.whatif.world.largest_pods import largest_pods
from kschedctl.whatif.world.utilization import POOL_KEYS, RACK_KEYS, ZONE_KEYS, Utilization, why_closed

_LARGEST: Final = 3


def rooms_now(cluster: ClusterState) -> list[NodeRoom]:
    """The room of every node where nothing is changed."""
    return _rooms(None, Utilization.of(cluster), largest_pods(cluster, _LARGEST))


def rooms_of(before: Utilization, after: Utilization, cluster: ClusterState) -> list[NodeRoom]:
    """The room of every node before and after, those that are gone last.

    Args:
        before: as loaded.
        after: at the end.
        cluster: the cluster at the end.
    """
    return _rooms(before, after, largest_pods(cluster, _LARGEST))


def _rooms(before: Utilization | None, after: Utilization, largest: Sequence[list[str]]) -> list[NodeRoom]:
    was = {} if before is None else dict(zip((n.name for n in before.nodes), _uses(before), strict=True))
    rooms = [
        _room(node, has, was.pop(node.name, (None, None))[1], used, pods)
        for node, (has, used), pods in zip(after.nodes, _uses(after), largest, strict=True)
    ]
    gone = [node for node in (() if before is None else before.nodes) if node.name in was]
    return rooms + [_room(node, was[node.name][0], was[node.name][1], None, []) for node in gone]


def _uses(use: Utilization) -> list[tuple[dict[str, int], dict[str, int]]]:
    """What each node has and what is requested of it, by resource that it has."""
    found = []
    for has, used in zip(use.allocatable.tolist(), use.requested.tolist(), strict=True):
        there = [i for i, amount in enumerate(has) if amount]
        names = [use.resources[i] for i in there]
        found.append(
            (
                dict(zip(names, (has[i] for i in there), strict=True)),
                dict(zip(names, (used[i] for i in there), strict=True)),
            )
        )
    return found


def _room(
    node: Node,
    has: Mapping[str, int],
    before: dict[str, int] | None,
    after: dict[str, int] | None,
    largest: list[str],
) -> NodeRoom:
    zone, pool, rack = (node.metadata.first_label(keys) for keys in (ZONE_KEYS, POOL_KEYS, RACK_KEYS))
    closed = why_closed(node)
    return NodeRoom(
        name=node.name,
        zone=zone,
        pool=pool,
        rack=rack,
        closed=None if closed is None else closed.value,
        allocatable=dict(has),
        before=before,
        after=after,
        largest=largest,
    )
