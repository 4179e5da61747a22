"""Nodes that join a cluster, with the daemons, the CSI drivers and the devices that come with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceSlice
from kschedctl.objects.storage import CsiNode
from kschedctl.objects.well_known import HOSTNAME
from kschedctl.whatif.world.world import PodOrigin, World, successor
from kschedctl.workloads import expand, generated_names, key_of
from kschedctl.workloads.controllers import is_daemon, is_static
from kschedctl.workloads.daemon_set import pinned

_CONDITION_TAINTS: Final = "node.kubernetes.io/"


def add_nodes(world: World, shape: Node, count: int, like: Node | None = None) -> list[Node]:
    """Add copies of a node.

    Args:
        world: to be changed.
        shape: what the nodes are like.
        count: how many; a single one of a given shape keeps its name, if that is free.
        like: the node of the cluster that `shape` is a copy of: its daemons, static pods, CSI drivers and devices are
            copied too, its images are not.
    """
    names = _names(world, shape.name, count, keep=like is None)
    nodes = [_copy(shape, name, fresh=like is not None) for name in names]
    for node in nodes:
        world.put(node)
        if like is not None:
            _copy_local_objects(world, like, node)
    _start_daemons(world, nodes, like)
    return nodes


def _names(world: World, base: str, count: int, *, keep: bool) -> list[str]:
    taken = {node.name for node in world.all(Node)}
    if keep and count == 1 and base not in taken:
        return [base]
    names: list[str] = []
    number = 1
    while len(names) < count:
        name = f"{base}-new-{number}"
        if name not in taken:
            names.append(name)
        number += 1
    return names


def _copy(shape: Node, name: str, *, fresh: bool) -> Node:
    labels = dict(shape.metadata.labels)
    if _gets_hostname(shape, name, fresh=fresh):
        labels[HOSTNAME] = name
    metadata = replace(shape.metadata, name=name, labels=labels, uid="", resource_version="")
    if not fresh:
        return replace(shape, metadata=metadata)
    taints = tuple(t for t in shape.spec.taints if not t.key.startswith(_CONDITION_TAINTS))
    spec = replace(shape.spec, unschedulable=False, taints=taints)
    return replace(shape, metadata=metadata, spec=spec, status=replace(shape.status, images=()))


def _gets_hostname(shape: Node, name: str, *, fresh: bool) -> bool:
    """Whether a node is labelled with its name, as its kubelet does.

    Not where the node that it is a copy of has no such label, and not where it is given by name with one of its own.
    """
    stated = HOSTNAME in shape.metadata.labels
    return stated if fresh else not stated or name != shape.name


def _copy_local_objects(world: World, like: Node, node: Node) -> None:
    csi_node = world.find(CsiNode, like.name)
    if csi_node is not None:
        world.put(replace(csi_node, metadata=replace(csi_node.metadata, name=node.name)))
    for device_slice in world.all(ResourceSlice):
        if device_slice.spec.node_name == like.name:
            world.put(_slice_of(device_slice, like.name, node.name))
    for pod in world.pods_on([like.name]):
        if is_static(pod):
            name = (
                pod.name.replace(like.name, node.name) if like.name in pod.name else f"{pod.name}-{node.name}"
            )
            world.put(replace(successor(pod, name), spec=replace(pod.spec, node_name=node.name)))


def _slice_of(device_slice: ResourceSlice, old: str, new: str) -> ResourceSlice:
    """The slice of another node; a pool is named after its node, or gets its own name."""
    pool = device_slice.spec.pool
    pool = replace(pool, name=new if pool.name == old else f"{pool.name}-{new}")
    return replace(
        device_slice,
        metadata=replace(device_slice.metadata, name=f"{device_slice.name}-{new}", uid=""),
        spec=replace(device_slice.spec, node_name=new, pool=pool),
    )


def _start_daemons(world: World, nodes: Sequence[Node], like: Node | None) -> None:
    """A pod of every daemon set; of those that are not in the input, copies of the pods of the node's model.

    Those that are applied get their pods on all nodes later.
    """
    known = world.all(DaemonSet)
    for daemon_set in known:
        if key_of(daemon_set) in world.deployed:
            continue
        taken = world.names_in(daemon_set.namespace)
        world.create(expand(daemon_set, nodes=nodes, taken=taken).pods, PodOrigin.DAEMON)
    if like is None:
        return
    named = {(daemon_set.namespace, daemon_set.name) for daemon_set in known}
    for pod in world.pods_on([like.name]):
        owner = pod.metadata.controller
        if is_daemon(pod) and owner is not None and (pod.namespace, owner.name) not in named:
            world.create(_daemons_like(world, pod, owner.name, nodes), PodOrigin.DAEMON)


def _daemons_like(world: World, pod: Pod, owner: str, nodes: Sequence[Node]) -> list[Pod]:
    # Priority was resolved when the model was made; a new pod may state only its class.
    spec = replace(pod.spec, node_name="", priority=None, preemption_policy=None)
    names = generated_names(f"{owner}-", world.names_in(pod.namespace))
    return [
        replace(successor(pod, name), spec=pinned(spec, node.name))
        for node, name in zip(nodes, names, strict=False)
    ]
