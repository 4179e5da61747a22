"""Scores of extended resources that devices provide (spec 02 D.8, D.9).

Four nodes: n1 has four devices and one is taken, n2 has five, n3 has eight by a device plugin of which a pod uses
two, n4 shares two network devices with n2, of which one is taken in part.
"""

from typing import Any

import pytest
from builders import column, decide, node, pod, profile, session
from dra_builders import allocated, device, device_class, resource_slice

from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import place

FIT, BALANCED = "NodeResourcesFit", "NodeResourcesBalancedAllocation"
GPU = "example.com/gpu"
SHAPE = {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}


def gpus(*names: str) -> list[dict[str, Any]]:
    return [device(name, attributes={"kind": "gpu"}) for name in names]


def cluster(*more: Any, config: Any, **options: Any) -> Any:
    """The four nodes; objects that are no raw data are added to what is loaded."""
    zone = {"matchExpressions": [{"key": "fabric", "operator": "In", "values": ["a"]}]}
    shared = [device(name, attributes={"kind": "gpu"}, allowMultipleAllocations=True) for name in ("e", "f")]
    part = {"request": "r", "driver": "drv", "pool": "net", "device": "e", "shareID": "1"}
    objects = [
        device_class("gpu", 'device.attributes["drv"].kind == "gpu"', extendedResourceName=GPU),
        resource_slice("s1", [*gpus(*"abcd"), device("nic", attributes={"kind": "nic"})], pool="n1", on="n1"),
        resource_slice("s2", gpus("a", "b", "c"), pool="n2", on="n2"),
        resource_slice("net", shared, pool="net", on=None, nodeSelector={"nodeSelectorTerms": [zone]}),
        allocated("one", ("n1", "a"), on="n1"),
        allocated("nic", ("n1", "nic"), on="n1"),
        allocated("part", part),
        *more,
    ]
    nodes = [
        node("n1", more={GPU: "0"}),
        node("n2", labels={"fabric": "a"}),
        node("n3", more={GPU: "8"}),
        node("n4", labels={"fabric": "a"}),
    ]
    return session(nodes, pod("old", "n3", cpu="0", more={GPU: "2"}), objects, config=config, **options)


def strategy(kind: str, *names: str, **fields: Any) -> Any:
    resources = [{"name": name, "weight": weight} for weight, name in enumerate(names or [GPU], start=1)]
    return profile(FIT, {"scoringStrategy": {"type": kind, "resources": resources, **fields}})


def balanced(*names: str) -> Any:
    return profile(BALANCED, {"resources": [{"name": name, "weight": 1} for name in names]})


ONE = pod("p", cpu="2", more={GPU: "1"})


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        # (total - taken - 1) of total: 2/4, 3/5, 5/8, 0/2.
        pytest.param(strategy("LeastAllocated"), {"n1": 50, "n2": 60, "n3": 62, "n4": 0}, id="least"),
        pytest.param(strategy("MostAllocated"), {"n1": 50, "n2": 40, "n3": 37, "n4": 100}, id="most"),
        pytest.param(
            strategy("RequestedToCapacityRatio", requestedToCapacityRatio=SHAPE),
            {"n1": 50, "n2": 40, "n3": 37, "n4": 100},
            id="ratio",
        ),
        # cpu counts once, 2 of 4 free; the devices twice.
        pytest.param(
            strategy("LeastAllocated", "cpu", GPU), {"n1": 50, "n2": 56, "n3": 58, "n4": 16}, id="weights"
        ),
    ],
)
def test_packing_counts_devices(config: Any, expected: dict[str, int]) -> None:
    assert column(decide(cluster(config=config), ONE), FIT) == expected


def test_balance_counts_devices() -> None:
    """cpu goes from 0 to 0.5 of 4; devices from 0.25 to 0.5, 0.2 to 0.4, 0.25 to 0.375, and 0.5 to 1."""
    found = column(decide(cluster(config=balanced("cpu", GPU)), ONE), BALANCED)
    assert found == {"n1": 81, "n2": 77, "n3": 78, "n4": 75}


@pytest.mark.parametrize("name", [FIT, BALANCED])
def test_a_pod_that_asks_for_none_is_scored_without_them(name: str) -> None:
    config = strategy("LeastAllocated", "cpu", GPU) if name == FIT else balanced("cpu", GPU)
    scores = column(decide(cluster(config=config), pod("p", cpu="2")), name)
    assert scores == dict.fromkeys(["n1", "n2", "n3", "n4"], 50 if name == FIT else 75)


def test_devices_that_a_placed_pod_takes_are_taken_for_the_next() -> None:
    asked = cluster(config=strategy("LeastAllocated"))
    start = asked.cluster.mark()
    first = decide(asked, pod("p", nominated="n2", more={GPU: "1"}))
    assert place(first) is None
    after = decide(asked, pod("q", more={GPU: "1"}))
    assert column(after, FIT) == {"n1": 50, "n2": 40, "n3": 62, "n4": 0}
    asked.cluster.undo_to(start)
    again = decide(asked, pod("r", more={GPU: "1"}))
    assert column(again, FIT) == {"n1": 50, "n2": 60, "n3": 62, "n4": 0}


def test_devices_of_a_slice_may_each_serve_their_own_nodes() -> None:
    own = [{**gpu, "nodeName": name} for gpu, name in zip(gpus(*"xyz"), ("n1", "n1", "n2"), strict=True)]
    partly = resource_slice("each", own, pool="each", on=None, perDeviceNodeSelection=True)
    scores = column(decide(cluster(partly, config=strategy("LeastAllocated")), ONE), FIT)
    assert scores == {"n1": 66, "n2": 66, "n3": 62, "n4": 0}


def test_a_node_whose_devices_cannot_be_judged_has_no_score() -> None:
    """The allocation finds what it needs on n1 before it meets the device without the attribute."""
    asked = cluster(
        resource_slice("t", [device("odd")], pool="z", on="n1"), config=strategy("LeastAllocated")
    )
    assert column(decide(asked, ONE), FIT) == {"n1": 0, "n2": 60, "n3": 62, "n4": 0}


def test_without_the_gate_there_is_no_delegation() -> None:
    asked = cluster(config=strategy("LeastAllocated"), gates={"DRAExtendedResource": False})
    assert column(decide(asked, ONE), FIT) == {"n3": 62}


def test_1_34_does_not_delegate() -> None:
    asked = cluster(config=strategy("LeastAllocated"), version=V1_34)
    assert column(decide(asked, ONE), FIT) == {"n3": 62}


def test_1_34_with_the_gate_delegates_where_a_node_has_no_entry_and_scores_no_devices() -> None:
    gates = {"DRAExtendedResource": True}
    asked = cluster(config=strategy("LeastAllocated"), version=V1_34, gates=gates)
    assert column(decide(asked, ONE), FIT) == {"n2": 0, "n3": 62, "n4": 0}


def test_1_34_with_the_gate_passes_scalars_of_pods_that_ask_for_no_extended_resource() -> None:
    asked = cluster(config=None, version=V1_34, gates={"DRAExtendedResource": True})
    odd = pod("p", more={"deviceclass.resource.kubernetes.io/none": "1"})
    assert decide(asked, odd).outcome is Outcome.SCHEDULED
    assert decide(cluster(config=None, version=V1_34), odd).outcome is Outcome.UNSCHEDULABLE


def two_profiles(plugin: str, args: dict[str, Any]) -> dict[str, Any]:
    """One profile that scores by devices alone and never allocates any, beside the usual one that does."""
    off = {"filter": [], "score": [{"name": "*"}], "preScore": []}
    points = ("preEnqueue", "preFilter", "filter", "postFilter", "score", "reserve", "preBind")
    blind: dict[str, Any] = {p: {"disabled": [{"name": "DynamicResources"}, *off.get(p, [])]} for p in points}
    blind["score"]["enabled"] = [{"name": plugin, "weight": 1}]
    config = profile(plugin, args, schedulerName="blind", plugins=blind)
    config["profiles"].append({"schedulerName": "default-scheduler"})
    return config


def fabric_pair(names: tuple[str, str], config: dict[str, Any], *, reuse: bool) -> Any:
    """Two nodes, each with two network devices that the other cannot reach, but a door can; others have none."""
    slices = [
        resource_slice(
            f"net-{name}",
            gpus("e", "f"),
            pool=name,
            on=None,
            nodeSelector={"nodeSelectorTerms": [{"matchExpressions": [{"key": name, "operator": "Exists"}]}]},
        )
        for name in names
    ]
    nodes = [node(name, labels={name: ""}) for name in (*names, *"cdefgh")]
    door = node("door", labels=dict.fromkeys(names, ""))
    gpu = device_class("gpu", 'device.attributes["drv"].kind == "gpu"', extendedResourceName=GPU)
    config = {**config, "percentageOfNodesToScore": 100}
    return session([door, *nodes], [gpu, *slices], config=config, score_single=False, reuse=reuse)


@pytest.mark.parametrize(
    ("plugin", "args"),
    [
        pytest.param(
            FIT,
            {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": GPU, "weight": 1}]}},
            id=FIT,
        ),
        pytest.param(BALANCED, {"resources": [{"name": n, "weight": 1} for n in ("cpu", GPU)]}, id=BALANCED),
    ],
)
def test_a_kept_class_sees_devices_that_others_take_and_give_back_elsewhere(
    plugin: str, args: dict[str, Any]
) -> None:
    """A pod at the door takes the devices of `a`: the score of `a` changes, though no pod on it does."""
    told: list[list[Any]] = []
    for reuse in (True, False):
        asked = fabric_pair(("a", "b"), two_profiles(plugin, args), reuse=reuse)
        blind = {"more": {GPU: "1"}, "cpu": "1", "schedulerName": "blind"}
        found = [decide(asked, pod("p0", **blind))]
        at_door = pod("d", cpu="0", more={GPU: "2"}, nodeSelector={"kubernetes.io/hostname": "door"})
        start = asked.cluster.mark()
        assert place(decide(asked, at_door)) is None
        found.append(decide(asked, pod("p1", **blind)))
        asked.cluster.undo_to(start)
        found.append(decide(asked, pod("p2", **blind)))
        names = asked.cluster.nodes.names
        told.append([[names[row] for row in decision.tied] for decision in found])
    assert told[0] == told[1]
