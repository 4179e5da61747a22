"""Which pending pods get the same answer, each asked about alone."""

import pytest
from builders import node, pod, session

from kschedctl.scheduling.options import Sampling, TieBreak
from kschedctl.whatif.judgement.equal_pods import equal_pods

RS = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
EPHEMERAL = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "shared"}}
DEVICE_CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {},
}
GPU = {"example.com/gpu": "1"}


def groups(*objects, **options):
    asked = session(node("n1"), *objects, **options)
    return [[one.name for one in group] for group in equal_pods(asked, asked.pending())]


def two(**fields):
    return [pod("a", **fields), pod("b", **fields)]


TOGETHER, APART = [["a", "b"]], [["a"], ["b"]]


@pytest.mark.parametrize(
    ("pods", "found"),
    [
        pytest.param(two(), TOGETHER, id="bare pods"),
        pytest.param(two(owner=RS, cpu="1"), TOGETHER, id="replicas"),
        pytest.param([pod("a", owner=RS), pod("b", owner=RS | {"name": "api"})], APART, id="two owners"),
        pytest.param([pod("a", owner=RS), pod("b")], APART, id="an owner and none"),
        pytest.param([pod("a", cpu="1"), pod("b", cpu="2")], APART, id="other requests"),
        pytest.param([pod("a", labels={"app": "a"}), pod("b")], APART, id="other labels"),
        pytest.param([pod("a"), pod("b", namespace="shop")], APART, id="other namespaces"),
        pytest.param([pod("a", priority=1), pod("b", priority=2)], APART, id="other priorities"),
        pytest.param([pod("a"), pod("b", terminating=True)], APART, id="one is being deleted"),
        pytest.param(two(terminating=True), TOGETHER, id="both are being deleted"),
        pytest.param([pod("a"), pod("b", nominated="n1")], APART, id="one is nominated"),
        pytest.param(two(nominated="n1"), APART, id="nominated pods see each other, not themselves"),
        pytest.param(two(volumes=[CLAIM]), TOGETHER, id="a claim that they share"),
        pytest.param(two(volumes=[EPHEMERAL]), APART, id="a claim each, by name"),
        pytest.param(
            two(resourceClaims=[{"name": "gpu", "resourceClaimName": "shared"}]),
            APART,
            id="claims reserved by pod",
        ),
        pytest.param(two(more=GPU), TOGETHER, id="extended resources of nodes"),
        pytest.param([DEVICE_CLASS, *two(more=GPU)], APART, id="extended resources that may be devices"),
        pytest.param([DEVICE_CLASS, *two(cpu="1")], TOGETHER, id="device classes that are not asked for"),
        pytest.param(
            [pod("a"), pod("x", cpu="1"), pod("b"), pod("y", cpu="1"), pod("c")],
            [["a", "b", "c"], ["x", "y"]],
            id="in the order of the first of each",
        ),
    ],
)
def test_groups(pods, found):
    assert groups(*pods) == found


@pytest.mark.parametrize(
    ("options", "found"),
    [
        pytest.param({"tie_break": TieBreak.FIRST}, TOGETHER, id="the first by name"),
        pytest.param({"tie_break": TieBreak.UPSTREAM}, TOGETHER, id="as the real one"),
        pytest.param({"tie_break": TieBreak.RANDOM}, APART, id="drawn for each pod"),
        pytest.param(
            {"sampling": Sampling.UPSTREAM}, APART, id="preemption begins at a node drawn for each pod"
        ),
    ],
)
def test_what_is_drawn_by_name_keeps_pods_apart(options, found):
    assert groups(*two(), **options) == found
