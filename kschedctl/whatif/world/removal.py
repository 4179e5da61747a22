"""What goes with nodes that go, or with which contact is lost: their pods, and what comes in their place."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.node import Node, Taint
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod
from kschedctl.objects.tolerations import tolerates
from kschedctl.objects.well_known import UNREACHABLE_TAINT
from kschedctl.whatif.world.world import World
from kschedctl.workloads import generated_names
from kschedctl.workloads.controllers import is_daemon, is_recreated, is_static
from kschedctl.workloads.daemon_set import daemon_spec, is_eligible, pinned, pinned_node

_UNREACHABLE_TAINTS: Final = tuple(
    Taint(key=UNREACHABLE_TAINT, effect=e) for e in ("NoSchedule", "NoExecute")
)


def remove_nodes(world: World, nodes: list[Node]) -> None:
    """Take nodes away with all that runs on them; what a controller wants elsewhere is made anew."""
    names = [node.name for node in nodes]
    for node in nodes:
        world.drop(node)
    for pod in world.pods_on(names):
        if is_daemon(pod) or is_static(pod):
            world.delete_pod(pod)
        else:
            world.displace(pod)
    gone = set(names)
    for pod in world.pods:
        if not pod.spec.node_name and is_daemon(pod) and pinned_node(pod) in gone:
            world.delete_pod(pod)


def delete_pod(world: World, pod: Pod) -> None:
    """Delete a pod; a daemon is made anew on its node, and a static pod is only shown by the API."""
    node = world.find(Node, pinned_node(pod))
    if node is not None and is_static(pod):
        world.notes.append(f"the static pod {pod.full_name} stays: its kubelet runs it again")
    elif node is not None and is_daemon(pod) and wants_daemon(world, pod, node):
        world.delete_pod(pod)
        world.recreate(replace(pod, spec=pinned(pod.spec, node.name)))
    else:
        world.displace(pod)


def wants_daemon(world: World, pod: Pod, node: Node) -> bool:
    """Whether the daemon set of a pod wants one on the node; one that is not in the input does."""
    owner = pod.metadata.controller
    daemon_set = world.find(DaemonSet, owner.name, pod.namespace) if owner else None
    return daemon_set is None or is_eligible(daemon_spec(daemon_set), node)


def lose_contact(world: World, nodes: list[Node]) -> None:
    """Taint the nodes; evicted pods stay on them, since no kubelet is there to end them."""
    for node in nodes:
        rest = tuple(t for t in node.spec.taints if t.key != UNREACHABLE_TAINT)
        world.put(replace(node, spec=replace(node.spec, taints=(*rest, *_UNREACHABLE_TAINTS))))
    waiting: list[str] = []
    for pod in world.pods_on([node.name for node in nodes]):
        if all(stays(pod, taint) for taint in _UNREACHABLE_TAINTS) or is_static(pod):
            continue
        owner = pod.metadata.controller
        if (owner is not None and owner.kind == "StatefulSet") or world.is_replaced_once_gone(pod):
            waiting.append(pod.full_name)
            world.put(_terminating(pod))
        elif is_recreated(pod) and not pod.is_terminating:
            stuck = _terminating(pod)
            world.put(stuck)
            world.recreate(pod, name=_fresh_name(world, pod))
        else:
            world.put(_terminating(pod))
            if not is_daemon(pod) and not pod.is_terminating:
                world.lost.append(pod)
    if waiting:
        one = len(waiting) == 1
        gone = "it is gone from its unreachable node" if one else "they are gone from their unreachable nodes"
        world.notes.append(f"{names_text(waiting)} {'is' if one else 'are'} not made anew before {gone}")


def _fresh_name(world: World, pod: Pod) -> str:
    owner = pod.metadata.controller
    prefix = f"{owner.name if owner else pod.name}-"
    return next(generated_names(prefix, world.names_in(pod.namespace)))


def _terminating(pod: Pod) -> Pod:
    stamp = pod.metadata.deletion_timestamp or "1970-01-01T00:00:00Z"
    return replace(pod, metadata=replace(pod.metadata, deletion_timestamp=stamp))


def stays(pod: Pod, taint: Taint) -> bool:
    """Whether a running pod may stay for ever on a node with a taint, as its first toleration of it says.

    Default tolerations end after a while.
    """
    if taint.effect != "NoExecute":
        return True
    first = next((t for t in pod.spec.tolerations if tolerates(t, taint)), None)
    return first is not None and first.toleration_seconds is None
