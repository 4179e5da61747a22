"""Daemons that start or end where the labels and taints of nodes change (spec 02 E.2)."""

from __future__ import annotations

from collections import defaultdict

from msgspec.structs import replace

from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.node import Node
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.whatif.world.world import PodOrigin, World
from kschedctl.workloads import WorkloadKey, key_of
from kschedctl.workloads.controllers import is_daemon
from kschedctl.workloads.daemon_set import (
    daemon_spec,
    expand_daemon_set,
    is_eligible,
    may_stay,
    pinned_node,
    with_daemon_tolerations,
)


def follow_nodes(world: World) -> None:
    """End the daemons that changed nodes do not bear any more, and start those that belong there now.

    What a change makes no difference to is left as it is, whether or not its daemon set would have it so.
    """
    changed = [
        (before, now)
        for name, before in sorted(world.changed_nodes.items())
        if (now := world.find(Node, name)) is not None
    ]
    if not changed:
        return
    ended: dict[WorkloadKey, list[str]] = defaultdict(list)
    waiting = _waiting_daemons(world)
    for before, now in changed:
        running = [pod for pod in world.pods_on([now.name]) if is_daemon(pod)]
        for pod in [*running, *waiting.get(now.name, ())]:
            spec = _spec_of(world, pod)
            if may_stay(spec, before) and not may_stay(spec, now):
                ended[world.workload_of(pod)].append(now.name)
                _end(world, pod)
    for key, nodes in sorted(ended.items()):
        world.notes.append(f"{key} ends on {names_text(nodes)}, by the labels and taints that are there now")
    for daemon_set in world.all(DaemonSet):
        if key_of(daemon_set) not in world.deployed:  # else it gets its daemons on all nodes later
            _start(world, daemon_set, changed)


def _start(world: World, daemon_set: DaemonSet, changed: list[tuple[Node, Node]]) -> None:
    spec = daemon_spec(daemon_set)
    opened = [now for before, now in changed if is_eligible(spec, now) and not is_eligible(spec, before)]
    served = {pinned_node(pod) for pod in world.pods_of(daemon_set)} if opened else set()
    free = [node for node in opened if node.name not in served]
    taken = world.names_in(daemon_set.namespace)
    world.create(expand_daemon_set(daemon_set, free, taken).pods, PodOrigin.DAEMON)


def _end(world: World, pod: Pod) -> None:
    world.delete_pod(pod)
    world.created = [created for created in world.created if created.pod is not pod]


def _waiting_daemons(world: World) -> dict[str, list[Pod]]:
    """Node -> the daemons that wait for it, or are to be created for it."""
    found: dict[str, list[Pod]] = defaultdict(list)
    created = (created.pod for created in world.created if created.origin is PodOrigin.DAEMON)
    for pod in (*world.pods_on([""]), *created):
        if is_daemon(pod):
            found[pinned_node(pod)].append(pod)
    return found


def _spec_of(world: World, pod: Pod) -> PodSpec:
    """What a daemon set asks of nodes; of one that is not in the input its pod tells, which is pinned besides."""
    owner = pod.metadata.controller
    known = world.find(DaemonSet, owner.name, pod.namespace) if owner else None
    if known is not None:
        return daemon_spec(known)
    return replace(pod.spec, tolerations=with_daemon_tolerations(pod.spec))
