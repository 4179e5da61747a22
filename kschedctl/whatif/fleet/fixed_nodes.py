"""Nodes of a cluster that cannot go, whatever becomes of the others, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct

from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.whatif.disruption.budgets import Budgets
from kschedctl.whatif.disruption.drain import treatment_of
from kschedctl.whatif.disruption.drain_plan import Treatment
from kschedctl.whatif.world.world import World

_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_NODE_STAYS = (
    ("cluster-autoscaler.kubernetes.io/scale-down-disabled", "true"),
    ("karpenter.sh/do-not-disrupt", "true"),
)
_POD_STAYS = (
    ("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"),
    ("karpenter.sh/do-not-disrupt", "true"),
)


class Hold(StrEnum):
    """What keeps a node."""

    ASKED = "asked"
    """Somebody wants it kept."""
    CONTROL_PLANE = "control-plane"
    """It is part of the control plane."""
    ANNOTATION = "annotation"
    """It, or a pod on it, has an annotation by which autoscalers leave it alone."""
    PRICE = "price"
    """There are prices, and its own is not known."""
    BARE_POD = "bare-pod"
    """Nothing would make a pod on it anew."""
    BUDGET = "budget"
    """A disruption budget lets a pod on it never go."""
    ROOM = "room"
    """Its pods would find no other node."""
    RETURN = "return"
    """Its pods would come back, since they tolerate the cordon."""
    FAILURE = "failure"
    """Without it a failure would not be survived."""
    DRAIN = "drain"
    """Its drain gets stuck, though its pods would find other nodes."""
    TRIALS = "trials"
    """The search was cut off before it was its turn."""


class Held(Struct, frozen=True):
    """Why a node stays.

    Attributes:
        hold: what keeps it.
        text: the same in words, after "stays: ".
        pods: whom it is about.
        inspected: what was made of the decision for the first of them.
    """

    hold: Hold
    text: str
    pods: tuple[str, ...] = ()
    inspected: Any = None


def fixed_nodes(world: World, asked: Collection[str], unpriced: Collection[str]) -> dict[str, Held]:
    """Node -> why it cannot go.

    A budget that lets a pod not go now never does: all that could become healthy is so already.

    Args:
        world: the cluster, with everything placed that can be.
        asked: nodes that are to be kept.
        unpriced: nodes of which there is no price, though others have one.
    """
    budgets = Budgets(world)
    found = {}
    for node in world.nodes:
        held = next(_holds(node, world, budgets, asked, unpriced), None)
        if held is not None:
            found[node.name] = held
    return found


def _holds(
    node: Node, world: World, budgets: Budgets, asked: Collection[str], unpriced: Collection[str]
) -> Iterator[Held]:
    labels, annotations = node.metadata.labels, node.metadata.annotations
    if node.name in asked:
        yield Held(Hold.ASKED, "it is to be kept")
    if any(key in labels for key in _CONTROL_PLANE):
        yield Held(Hold.CONTROL_PLANE, "it is part of the control plane")
    for key, value in _NODE_STAYS:
        if annotations.get(key) == value:
            yield Held(Hold.ANNOTATION, f"its annotation {key}: {value} says so")
    if node.name in unpriced:
        yield Held(Hold.PRICE, "no shape of the catalogue is like it, so its price is not known")
    pods = world.pods_on([node.name])
    bare = tuple(pod.full_name for pod in pods if treatment_of(pod, force=False) is Treatment.REFUSE)
    if bare:
        yield Held(Hold.BARE_POD, "nothing controls a pod that runs there", bare)
    moving = [pod for pod in pods if treatment_of(pod, force=False) is Treatment.EVICT]
    for key, value in _POD_STAYS:
        marked = tuple(pod.full_name for pod in moving if pod.metadata.annotations.get(key) == value)
        if marked:
            yield Held(Hold.ANNOTATION, f"the annotation {key}: {value} of a pod says so", marked)
    yield from _budgets(moving, budgets)


def _budgets(pods: list[Pod], budgets: Budgets) -> Iterator[Held]:
    for pod in pods:
        refusing = budgets.refusing(pod)
        if len(refusing) > 1:
            names = " and ".join(budget.name for budget in refusing)
            yield Held(
                Hold.BUDGET, f"several budgets cover a pod, which is never evicted: {names}", (pod.full_name,)
            )
        elif refusing:
            budget = refusing[0]
            mine = tuple(other.full_name for other in pods if budget.covers(other))
            yield Held(Hold.BUDGET, f"{budget.name} allows no disruption: {budget.state()}", mine)
