"""Devices in what-ifs: what becomes of the claims of pods that go."""

from typing import Any

import pytest
from dra_builders import allocated, claim, device_class, devices, exactly, make, resource_slice

from kschedctl.objects.meta import TopLevel
from kschedctl.objects.resource import ResourceClaimTemplate
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, simulate
from kschedctl.whatif.world.changes import DrainNodes

from .builders import CONFIGURATION, Data, node, objects, placements, pod, replica

TEMPLATE = make(
    ResourceClaimTemplate, "gpu", "default", spec={"spec": {"devices": {"requests": [exactly()]}}}
)


def in_default(made: Any, **meta: Any) -> TopLevel:
    """The same claim in the namespace of these pods."""
    return make(type(made), made.name, "default", meta=meta, spec=made.spec, status=made.status)


def gpus(*names: str) -> list[TopLevel]:
    """One device on each of these nodes, the class, and the template of claims."""
    offered = [resource_slice(f"s-{name}", devices("a"), pool=name, on=name) for name in names]
    return [device_class(), TEMPLATE, *offered]


def trainer(name: str, on: str = "", **more: Any) -> Data:
    """A pod with a claim of its own, made from the template if the pod is on a node."""
    entry = {"name": "gpu", "resourceClaimTemplateName": "gpu"}
    made = replica(name, on, resourceClaims=[entry], **more)
    if on:
        made["status"]["resourceClaimStatuses"] = [{"name": "gpu", "resourceClaimName": f"{name}-gpu"}]
    return made


def held_by(name: str, on: str) -> TopLevel:
    """The claim that was made for a pod, with the device of its node."""
    owner = {"kind": "Pod", "name": name, "uid": f"default/{name}", "controller": True}
    held = allocated(f"{name}-gpu", (on, "a"), on=on, reserved_for=(f"default/{name}",))
    return in_default(held, ownerReferences=[owner])


def run(data: list[Data], more: list[TopLevel], *changes: Any) -> dict[str, str | None]:
    found = simulate(
        Session([*objects(data), *more], CONFIGURATION), SchedulingOptions(), Plan(changes=changes)
    )
    return dict(placements(found))


def test_a_victim_comes_back_with_a_claim_of_its_own():
    """It was on n1 and is made anew for n2, which is too small for the pod that took its place."""
    cluster = [
        node("n1", cpu="4"),
        node("n2", cpu="2"),
        trainer("old", "n1", cpu="2", priority=-1),
        pod("big", cpu="4", priority=5),
    ]
    placed = run(cluster, [*gpus("n1", "n2"), held_by("old", "n1")])
    assert placed == {"big": "n1", "old": "n2"}


def test_the_devices_of_a_victim_are_free_for_others():
    cluster = [
        node("n1", cpu="4"),
        pod("old", "n1", cpu="2", priority=-1, resourceClaims=[{"name": "g", "resourceClaimName": "x"}]),
        pod("a-big", cpu="3", priority=5),
        pod("b-next", cpu="1", priority=4, resourceClaims=[{"name": "g", "resourceClaimName": "y"}]),
    ]
    held = in_default(allocated("x", ("n1", "a"), on="n1", reserved_for=("default/old",)))
    placed = run(cluster, [*gpus("n1"), held, in_default(claim("y", exactly()))])
    assert placed == {"a-big": "n1", "b-next": "n1"}


@pytest.mark.parametrize(("others", "target"), [(("n2",), "n2"), ((), None)], ids=["elsewhere", "nowhere"])
def test_a_drained_pod_needs_a_device_elsewhere(others: tuple[str, ...], target: str | None):
    cluster = [node("n1"), node("n2"), trainer("old", "n1")]
    placed = run(cluster, [*gpus("n1", *others), held_by("old", "n1")], DrainNodes("n1"))
    assert placed == {"old": target}


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "made for the pod"])
@pytest.mark.parametrize(
    ("evictable", "target"), [(False, {"waits": None}), (True, {"old": "n2", "waits": None})]
)
def test_the_device_of_a_pod_is_taken_until_a_drain_evicts_it(
    shared: bool, evictable: bool, target: dict[str, str | None]
):
    """The only device is within reach of every node; the pod that waits for it comes after what is evicted."""
    old = trainer("old", "n1", labels={"app": "old"}, priority=1)
    held = held_by("old", "pool")
    if shared:
        old["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "x"}]
        old["status"].pop("resourceClaimStatuses")
        held = in_default(allocated("x", ("pool", "a"), reserved_for=("default/old",)))
    everywhere = resource_slice("s", devices("a"), pool="pool", on=None, allNodes=True)
    offered = [device_class(), TEMPLATE, everywhere]
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "old"},
        "spec": {"maxUnavailable": int(evictable), "selector": {"matchLabels": {"app": "old"}}},
    }
    waits = pod("waits", resourceClaims=[{"name": "g", "resourceClaimName": "y"}])
    cluster = objects([node("n1"), node("n2"), old, waits, budget])
    claims = [held, in_default(claim("y", exactly()))]
    found = drain(Session([*cluster, *offered, *claims], CONFIGURATION), SchedulingOptions(), ["n1"])

    assert {task.pod.name: task.node for task in found.tasks} == target
    assert bool(found.held) is not evictable


def test_a_claim_that_nobody_uses_any_more_follows_its_pod():
    """The node with its device is gone; PostFilter frees the claim, and the next try finds another device."""
    held = in_default(allocated("x", ("gone", "a"), on="gone"))
    cluster = [node("n1"), pod("p", resourceClaims=[{"name": "g", "resourceClaimName": "x"}])]
    assert run(cluster, [*gpus("n1"), held]) == {"p": "n1"}
