"""Measures that are about no single obstacle: another node, a higher priority, another profile, an open gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from kschedctl.advice.json_patch import add, add_within, remove
from kschedctl.advice.measure import Addition, Measure, Measures, ObjectPatch, PodPatch, Reference
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceSlice
from kschedctl.objects.storage import CsiNode
from kschedctl.plugins.node_affinity import required_node_mask
from kschedctl.whatif.world.new_nodes import add_nodes
from kschedctl.whatif.world.world import World

_HOSTNAME: Final = "kubernetes.io/hostname"
_MOST_SHAPES = 3
_MOST_CLASSES = 4


def new_nodes(situation: Situation) -> Iterator[Measure]:
    """One more node of each shape that is large enough, the smallest first."""
    for like in _shapes(situation, np.arange(situation.cluster.nodes.count))[:_MOST_SHAPES]:
        yield _added(situation, like, 1)


def more_nodes(situation: Situation, rows: Ints, count: int, within: str) -> Measure | None:
    """So many more nodes of the smallest shape among some that is large enough.

    Args:
        situation: the pod.
        rows: int64 (n,).
        count: how many.
        within: where they are, for the text.
    """
    shapes = _shapes(situation, rows)
    return _added(situation, shapes[0], count, within) if shapes else None


def _added(situation: Situation, like: Node, count: int, within: str = "") -> Measure:
    objects = _with_company(situation, like, count)
    text = f"one more node like {like.name}" if count == 1 else f"{count} more nodes like {like.name}"
    return Measure("new-node", text + within, (Addition(objects),), size=count, topic="shape")


def _shapes(situation: Situation, rows: Ints) -> list[Node]:
    """A node of each shape that is large enough for the pod, the smallest first."""
    cluster = situation.cluster
    possible = required_node_mask(situation.spec, cluster) & cluster.present.mask
    for name, need in situation.needs.items():
        possible &= situation.total(name) >= need
    shapes: dict[tuple[object, ...], int] = {}
    for row in rows[possible[rows]].tolist():
        node = cluster.nodes.objects[row]
        lasting = tuple(t for t in node.spec.taints if not t.key.startswith("node.kubernetes.io/"))
        shape = (
            tuple(sorted(node.status.allocatable.items(), key=str)),
            lasting,
            situation.refusals.get("NodeAffinity", possible)[row],
        )
        shapes.setdefault(shape, row)
    size = situation.total("cpu")
    order = sorted(shapes.values(), key=lambda row: (int(size[row]), cluster.nodes.names[row]))
    return [cluster.nodes.objects[row] for row in order]


def _with_company(
    situation: Situation, like: Node, count: int
) -> tuple[Node | Pod | CsiNode | ResourceSlice, ...]:
    """Copies of a node with the daemons, drivers and devices that come with them."""
    cluster = situation.cluster
    row = cluster.nodes.row_of[like.name]
    there = [cluster.pods.records[p].pod.source for p in cluster.usage.pods[row]]
    nodes = list(cluster.nodes.objects)
    beside = [*cluster.objects.all(DaemonSet).values(), *cluster.objects.all(ResourceSlice).values()]
    csi_node = cluster.objects.find(CsiNode, like.name)
    world = World([*nodes, *filter(None, there), *beside, *filter(None, [csi_node])])
    known = {id(obj) for obj in world.objects}
    add_nodes(world, like, count, like)
    made = [obj for obj in world.objects if id(obj) not in known]
    return (*made, *(created.pod for created in world.created))  # type: ignore[arg-type]


def priorities(situation: Situation) -> Iterator[Measure]:
    """The priority classes above that of the pod, the lowest first."""
    if situation.record.pod.preemption_policy == "Never":
        floor = situation.record.priority - 1
    else:
        floor = situation.record.priority
    classes = situation.cluster.objects.all(PriorityClass).values()
    higher = [c for c in classes if c.value > floor and c.preemption_policy != "Never"]
    for found in sorted(higher, key=lambda c: (c.value, c.name))[:_MOST_CLASSES]:
        operations = [add_within(situation.document, found.name, "spec", "priorityClassName")]
        operations += [
            remove("spec", key)
            for key in ("priority", "preemptionPolicy")
            if key in situation.document["spec"]
        ]
        text = f"priority class {found.name} ({found.value})"
        yield Measure("priority", text, (PodPatch(tuple(operations)),), topic="class")


def profiles(situation: Situation) -> Iterator[Measure]:
    """Another profile of the same scheduler."""
    for name in situation.session.scheduler.frameworks:
        if name != situation.record.pod.spec.scheduler_name:
            operation = add_within(situation.document, name, "spec", "schedulerName")
            yield Measure("profile", f"schedulerName {name}", (PodPatch((operation,)),))


def gates(situation: Situation) -> Iterator[Measure]:
    """The gates of the pod opened."""
    listed = situation.spec.scheduling_gates
    if listed:
        text = f"scheduling gate {' and '.join(gate.name for gate in listed)} removed"
        yield Measure(
            "gate", text, (PodPatch((remove("spec", "schedulingGates"),)),), note="whoever set it removes it"
        )


def winning(document: Any, node: Node, rivals: Sequence[Node]) -> Iterator[Measures]:
    """What might let a feasible node win against others that score higher."""
    wished = ("spec", "affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "-")
    hostname = node.metadata.labels.get(_HOSTNAME)
    if hostname is not None:
        term = {"matchExpressions": [{"key": _HOSTNAME, "operator": "In", "values": [hostname]}]}
        operation = add_within(document, {"weight": 100, "preference": term}, *wished)
        text = f"preferred node affinity for {node.name} (weight 100)"
        yield (Measure("affinity-relax", text, (PodPatch((operation,)),)),)
    if rivals:
        yield tuple(
            Measure(
                "cordon",
                f"{rival.name} cordoned",
                (ObjectPatch(Reference("Node", "", rival.name), (add(True, "spec", "unschedulable"),)),),
                command=f"kubectl cordon {rival.name}",
            )
            for rival in rivals
        )
