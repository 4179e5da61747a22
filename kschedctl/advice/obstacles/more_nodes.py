"""One more node, or several: like one that is there, in the place in which the volumes of the pod are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from msgspec.structs import replace

from kschedctl.advice.measure import Addition, Measure
from kschedctl.advice.situation import Ints, Mask, Situation
from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceSlice
from kschedctl.objects.storage import CsiNode
from kschedctl.objects.well_known import HOSTNAME, TOPOLOGY_LABELS
from kschedctl.plugins.node_affinity import required_node_mask
from kschedctl.volumes.claims import claim_uses
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.topology import affinity_terms
from kschedctl.whatif.world.new_nodes import add_nodes
from kschedctl.whatif.world.world import World

_MOST_SHAPES: Final = 3
_STORAGE: Final = ("VolumeBinding", "VolumeZone")


def new_nodes(situation: Situation) -> Iterator[Measure]:
    """One more node of each shape that is large enough, the smallest first of those that the volumes reach."""
    place = _place_of_volumes(situation)
    elsewhere = _refused_for_volumes(situation)
    for row in _shapes(situation, np.arange(situation.cluster.nodes.count))[:_MOST_SHAPES]:
        like = situation.cluster.nodes.objects[row]
        if elsewhere[row] and place:
            yield _added(situation, _moved(like, place), like, 1, f" with {_labels_text(place)}")
        else:
            yield _added(situation, like, like, 1)


def more_nodes(situation: Situation, rows: Ints, count: int, within: str) -> Measure | None:
    """So many more nodes of the smallest shape among some that is large enough.

    Args:
        situation: the pod.
        rows: int64 (n,).
        count: how many.
        within: where they are, for the text.
    """
    shapes = _shapes(situation, rows)
    if not shapes:
        return None
    like = situation.cluster.nodes.objects[shapes[0]]
    return _added(situation, like, like, count, within)


def _added(situation: Situation, shape: Node, like: Node, count: int, more: str = "") -> Measure:
    objects = _with_company(situation, shape, like, count)
    text = f"one more node like {like.name}" if count == 1 else f"{count} more nodes like {like.name}"
    return Measure("new-node", text + more, (Addition(objects),), size=count, topic="shape")


def _shapes(situation: Situation, rows: Ints) -> list[int]:
    """A node of each shape that has room for the pod, as rows: those first that its volumes reach, then by size."""
    cluster = situation.cluster
    possible = required_node_mask(situation.spec, cluster) & cluster.present.mask
    for name, need in situation.needs.items():
        possible &= situation.total(name) >= need
    elsewhere, unlike = _refused_for_volumes(situation), situation.refusals.get("NodeAffinity", possible)
    shapes: dict[tuple[object, ...], int] = {}
    for row in rows[possible[rows]].tolist():
        node = cluster.nodes.objects[row]
        lasting = tuple(t for t in node.spec.taints if not t.key.startswith("node.kubernetes.io/"))
        amounts = tuple(sorted(node.status.allocatable.items(), key=str))
        shapes.setdefault((amounts, lasting, unlike[row], elsewhere[row]), row)
    size, names = situation.total("cpu"), cluster.nodes.names
    return sorted(shapes.values(), key=lambda row: (bool(elsewhere[row]), int(size[row]), names[row]))


def _refused_for_volumes(situation: Situation) -> Mask:
    """The nodes that the volumes of the pod do not reach, bool (N,)."""
    found = np.zeros(situation.cluster.nodes.count, bool)
    for plugin in _STORAGE:
        if plugin in situation.refusals:
            found |= situation.refusals[plugin]
    return found


def _place_of_volumes(situation: Situation) -> Mapping[str, str]:
    """Labels of a node that the bound volumes of the pod reach; none where no new node can have them all."""
    catalog = ClusterStorage.of(situation.cluster).catalog
    found: dict[str, str] = {}
    for use in claim_uses(situation.pod):
        claim = catalog.claims.get(use.key)
        volume = catalog.volumes.get(claim.spec.volume_name) if claim is not None else None
        affinity = volume.spec.node_affinity if volume is not None else None
        terms = affinity_terms(affinity.required) if affinity is not None else ()
        for requirement in terms[0] if terms else ():
            if requirement.operator != "In" or requirement.key == HOSTNAME:
                return {}
            if found.setdefault(requirement.key, requirement.values[0]) not in requirement.values:
                return {}
    return found


def _moved(node: Node, place: Mapping[str, str]) -> Node:
    """A node in another place: zone and region follow the label by which a driver calls them."""
    old = node.metadata.labels
    renamed = {old[key]: value for key, value in place.items() if key in old}
    labels = {
        key: renamed.get(value, value) if key in TOPOLOGY_LABELS else value for key, value in old.items()
    }
    return replace(node, metadata=replace(node.metadata, labels=labels | dict(place)))


def _labels_text(labels: Mapping[str, str]) -> str:
    return " and ".join(f"{key}={value}" for key, value in labels.items())


def _with_company(
    situation: Situation, shape: Node, like: Node, count: int
) -> tuple[Node | Pod | CsiNode | ResourceSlice, ...]:
    """New nodes of a shape with the daemons, drivers and devices that come with the one that they are like."""
    cluster = situation.cluster
    row = cluster.nodes.row_of[like.name]
    there = [cluster.pods.records[p].pod.source for p in cluster.usage.pods[row]]
    nodes = list(cluster.nodes.objects)
    beside = [*cluster.objects.all(DaemonSet).values(), *cluster.objects.all(ResourceSlice).values()]
    csi_node = cluster.objects.find(CsiNode, like.name)
    world = World([*nodes, *filter(None, there), *beside, *filter(None, [csi_node])])
    known = {id(obj) for obj in world.objects}
    add_nodes(world, shape, count, like)
    made = [obj for obj in world.objects if id(obj) not in known]
    return (*made, *(created.pod for created in world.created))  # type: ignore[arg-type]
