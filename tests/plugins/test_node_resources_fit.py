"""NodeResourcesFit: room, and the three strategies (spec 02 D.8)."""

import numpy as np
import pytest
from builders import UU, U, column, decide, feasible, node, pod, profile, rejections, session

from kschedctl.framework.versions import SUPPORTED
from kschedctl.plugins.packing import broken_line

FIT = "NodeResourcesFit"
GPU = "example.com/gpu"


def short(*reasons, code=U):
    return f"{code} {FIT}: {', '.join(reasons)}"


@pytest.mark.parametrize(
    ("used", "asked", "verdict"),
    [
        pytest.param(
            ("3500m", "7Gi"), ("1", "2Gi"), short("Insufficient cpu", "Insufficient memory"), id="both short"
        ),
        pytest.param(
            ("3500m", "7Gi"),
            ("5", "2Gi"),
            short("Insufficient cpu", "Insufficient memory", code=UU),
            id="too big for the node",
        ),
        pytest.param(
            ("4500m", "1Gi"), ("1m", "1Gi"), short("Insufficient cpu"), id="overcommitted: any request fails"
        ),
        pytest.param(("4500m", "1Gi"), ("0", "1Gi"), None, id="overcommitted: no request passes"),
        pytest.param(("3", "7Gi"), ("1", "1Gi"), None, id="to the last byte"),
    ],
)
def test_room(used, asked, verdict):
    cluster = session(node("n1"), pod("old", "n1", cpu=used[0], memory=used[1]))
    found = rejections(decide(cluster, pod("p", cpu=asked[0], memory=asked[1])))
    assert found.get("n1") == verdict


def without(version, gate):
    """The changes that switch a gate off together with all that need it."""
    off, names = {gate: False}, version.gates
    while more := {n for n, g in names.items() if g.default and off.keys() & g.needs} - off.keys():
        off |= dict.fromkeys(more, False)
    return off


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_without_their_gate_pod_level_resources_count_nowhere(version):
    resources = {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}
    decided = [
        decide(
            session(
                node("n1"), node("n2"), pod("old", "n1", cpu="500m", **written),
                version=version, gates=without(version, "PodLevelResources"),
            ),
            pod("p", cpu="2", memory="1Gi", **written),
        )
        for written in ({"resources": resources}, {})
    ]  # fmt: skip
    assert feasible(decided[0]) == feasible(decided[1]) == ["n1", "n2"]
    for name in (FIT, "NodeResourcesBalancedAllocation"):
        assert column(decided[0], name) == column(decided[1], name)


@pytest.mark.parametrize(
    ("allowed", "cpu", "verdict"),
    [
        pytest.param("1", "1", short("Too many pods"), id="full"),
        pytest.param("0", "1", short("Too many pods"), id="a node for no pods is not hopeless"),
        pytest.param("1", "5", short("Too many pods", "Insufficient cpu", code=UU), id="full and too big"),
    ],
)
def test_too_many_pods(allowed, cpu, verdict):
    cluster = session(node("n1", pods=allowed), pod("old", "n1"))
    assert rejections(decide(cluster, pod("p", cpu=cpu))) == {"n1": verdict}


def test_reasons_come_in_order():
    cluster = session(node("n1", more={GPU: "4", "hugepages-2Mi": "4Mi", "ephemeral-storage": "1Gi"}))
    wanted = {"ephemeral-storage": "2Gi", "hugepages-2Mi": "6Mi", GPU: "5"}
    found = rejections(decide(cluster, pod("p", cpu="9", memory="9Gi", more=wanted, **huge(wanted))))
    names = ["cpu", "memory", "ephemeral-storage", GPU, "hugepages-2Mi"]
    assert found == {"n1": short(*(f"Insufficient {name}" for name in names), code=UU)}


def huge(wanted):
    """Huge pages must be limited to what is asked for."""
    requests = {"cpu": "9", "memory": "9Gi"} | wanted
    limits = {name: wanted[name] for name in (GPU, "hugepages-2Mi")}
    return {
        "containers": [
            {"name": "main", "image": "app", "resources": {"requests": requests, "limits": limits}}
        ]
    }


def test_a_resource_that_the_node_lacks_is_hopeless():
    found = rejections(decide(session(node("n1")), pod("p", more={GPU: "1"})))
    assert found == {"n1": short(f"Insufficient {GPU}", code=UU)}


@pytest.mark.parametrize(
    "args",
    [
        pytest.param({"ignoredResources": [GPU]}, id="by name"),
        pytest.param({"ignoredResourceGroups": ["example.com"]}, id="by group"),
    ],
)
def test_ignored_extended_resources_are_not_checked(args):
    cluster = session(node("n1"), config=profile(FIT, args))
    assert feasible(decide(cluster, pod("p", more={GPU: "1"}))) == ["n1"]


def strategy(kind, *resources, shape=None):
    listed = [{"name": name, "weight": weight} for name, weight in resources]
    scoring = {"type": kind, "resources": listed}
    if shape is not None:
        points = [{"utilization": u, "score": s} for u, s in shape]
        scoring["requestedToCapacityRatio"] = {"shape": points}
    return profile(FIT, {"scoringStrategy": scoring})


BOTH = (("cpu", 1), ("memory", 1))
RISING = [(0, 0), (100, 10)]


@pytest.mark.parametrize(
    ("config", "used", "asked", "score"),
    [
        pytest.param(
            strategy("LeastAllocated", *BOTH), ("1", "2Gi"), ("500m", "1Gi"), 62, id="least: 62.5 and 62.5"
        ),
        pytest.param(
            strategy("LeastAllocated", *BOTH), None, (None, None), 97, id="least: defaults of an empty pod"
        ),
        pytest.param(
            strategy("LeastAllocated", ("cpu", 3), ("memory", 1)),
            ("1", "5Gi"),
            ("500m", "1Gi"),
            52,
            id="least: weights",
        ),
        pytest.param(strategy("MostAllocated", *BOTH), ("1", "2Gi"), ("1", "2Gi"), 50, id="most"),
        pytest.param(
            strategy("MostAllocated", *BOTH), ("1", "2Gi"), ("500m", "1Gi"), 37, id="most: truncates"
        ),
        pytest.param(
            strategy("RequestedToCapacityRatio", *BOTH, shape=RISING),
            None,
            ("1500m", "0"),
            37,
            id="ratio: zero scores drop out",
        ),
        pytest.param(
            strategy("RequestedToCapacityRatio", *BOTH, shape=RISING),
            None,
            ("1500m", "3Gi"),
            37,
            id="ratio: equal scores",
        ),
        pytest.param(
            strategy("RequestedToCapacityRatio", *BOTH, shape=RISING),
            None,
            ("1520m", "3Gi"),
            38,
            id="ratio: 37.5 rounds up",
        ),
        pytest.param(
            strategy("RequestedToCapacityRatio", ("cpu", 1), shape=[(0, 10), (7, 0)]),
            None,
            ("120m", None),
            58,
            id="ratio: falling",
        ),
    ],
)
def test_strategies(config, used, asked, score):
    old = [] if used is None else [pod("old", "n1", cpu=used[0], memory=used[1])]
    decision = decide(session(node("n1"), old, config=config), pod("p", cpu=asked[0], memory=asked[1]))
    assert column(decision, FIT) == {"n1": score}


def test_more_than_there_is_scores_by_default_requests():
    """Scores count 100m and 200Mi for pods that ask for nothing, so a node can be full without a request."""
    old = [pod(f"old{i}", "n1") for i in range(3)]
    decision = decide(session(node("n1", cpu="350m"), old), pod("p", cpu="1m", memory="1Gi"))
    memory = (8 * 1024 - 3 * 200 - 1024) * 100 // (8 * 1024)
    assert column(decision, FIT) == {"n1": (100 * (350 - 301) // 350 + memory) // 2}


def test_a_resource_that_nobody_asks_for_leaves_the_mean():
    config = strategy("MostAllocated", ("cpu", 1), (GPU, 1))
    nodes = [node("a", more={GPU: "4"}), node("b", more={GPU: "4"})]
    decision = decide(session(nodes, pod("old", "a", more={GPU: "4"}), config=config), pod("p", cpu="2"))
    assert column(decision, FIT) == {"a": (2100 * 100) // 4000, "b": 50}


def test_a_resource_that_a_node_lacks_leaves_its_mean():
    config = strategy("LeastAllocated", ("cpu", 1), ("ephemeral-storage", 1))
    nodes = [node("a"), node("b", more={"ephemeral-storage": "10Gi"})]
    decision = decide(session(nodes, config=config), pod("p", cpu="2", more={"ephemeral-storage": "10Gi"}))
    assert column(decision, FIT) == {"b": 25}


def test_pod_level_requests_fill_the_node_but_do_not_score():
    level = {"resources": {"requests": {"cpu": "4"}}}
    decision = decide(session(node("n1")), pod("p", cpu="1", memory="0", **level))
    assert column(decision, FIT) == {"n1": (75 + 100) // 2}
    assert rejections(
        decide(session(node("n1"), pod("old", "n1", cpu="1m")), pod("p", cpu="1", **level))
    ) == {"n1": short("Insufficient cpu")}


@pytest.mark.parametrize(
    ("shape", "points", "values"),
    [
        pytest.param([(0, 100), (7, 0)], [0, 3, 7, 9], [100, 58, 0, 0], id="falling truncates toward zero"),
        pytest.param([(20, 10), (40, 30)], [0, 20, 30, 40, 100], [10, 10, 20, 30, 30], id="flat outside"),
        pytest.param([(50, 70)], [0, 50, 100], [70, 70, 70], id="one point"),
        pytest.param([(0, 0), (50, 100), (100, 0)], [25, 50, 75, 76], [50, 100, 50, 48], id="a peak"),
    ],
)
def test_broken_line(shape, points, values):
    assert broken_line(shape, np.array(points)).tolist() == values


def device_class(name, created):
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name, "creationTimestamp": created},
        "spec": {"extendedResourceName": GPU},
    }


@pytest.mark.parametrize(
    ("resource", "left_to_devices"),
    [
        pytest.param(GPU, True, id="name that both classes claim"),
        pytest.param("deviceclass.resource.kubernetes.io/a-young", True, id="own name of the winner"),
        pytest.param("deviceclass.resource.kubernetes.io/b-old", False, id="own name of the loser"),
    ],
)
def test_resources_that_device_classes_back(resource, left_to_devices):
    classes = [device_class("a-young", "2026-01-01T00:00:00Z"), device_class("b-old", "2025-01-01T00:00:00Z")]
    found = rejections(decide(session(node("n1"), classes), pod("p", more={resource: "1"})))
    fit, devices = (
        short(f"Insufficient {resource}", code=UU),
        f"{UU} DynamicResources: cannot allocate all claims",
    )
    assert found == {"n1": devices if left_to_devices else fit}


def test_details_say_nothing_of_what_devices_may_provide():
    decision = decide(
        session(node("n1", cpu="1"), device_class("gpu", "2026-01-01T00:00:00Z")),
        pod("p", cpu="2", more={GPU: "1"}),
    )
    assert [d.reason for d in decision.details_of(0) if d.plugin == "NodeResourcesFit"] == [
        "Insufficient cpu"
    ]
