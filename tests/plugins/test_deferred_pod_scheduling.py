"""Running pods whose resize was put off ask for room on their own node (spec 06 §4.4)."""

import pytest
from builders import decide, feasible, node, pod, rejections, session

from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37

GATES = {"InPlacePodVerticalScalingSchedulerPreemption": True}
UU = "UnschedulableAndUnresolvable"


def waiting(wanted, has, reason="Deferred", priority=9):
    """A pod on n1 that was resized from `has` to `wanted` cpu."""
    data = pod("p", "n1", cpu=wanted, priority=priority)
    container = data["spec"]["containers"][0]["name"]
    held = {"requests": {"cpu": has}}
    data["metadata"]["uid"] = "u-p"
    data["status"] = {
        "conditions": [{"type": "PodResizePending", "status": "True", "reason": reason}],
        "containerStatuses": [{"name": container, "resources": held, "allocatedResources": {"cpu": has}}],
    }
    return data


def asked(candidate, *objects, version=V1_37, gates=GATES, policy=None, **of_node):
    own = node("n1", **of_node)
    own["spec"] |= {"podPreemptionPolicy": policy} if policy else {}
    return decide(session(own, node("n2"), candidate, *objects, version=version, gates=gates), candidate)


@pytest.mark.parametrize(
    ("wanted", "has", "fits"),
    [
        pytest.param("4", "1", True, id="all of the node: what it has counts already"),
        pytest.param("5", "1", False, id="more than the node"),
    ],
)
def test_only_the_difference_is_needed(wanted, has, fits):
    assert feasible(asked(waiting(wanted, has))) == (["n1"] if fits else [])


def test_it_stays_on_its_node_whatever_taints_say():
    decision = asked(waiting("2", "1"), taints=["k=v:NoSchedule"], cordoned=True)
    assert feasible(decision) == ["n1"]


def test_it_evicts_pods_of_lower_priority_on_its_node_alone():
    low = [pod("low1", "n1", cpu="2", priority=0), pod("low2", "n2", cpu="1", priority=0)]
    decision = asked(waiting("3", "1"), *low)
    assert decision.preemption is not None
    records = decision.cluster.pods.records
    victims = {
        decision.cluster.nodes.names[row]: [records[v].name for v in found.victims]
        for row, found in decision.preemption.candidates.items()
    }
    assert victims == {"n1": ["low1"]}


def test_a_node_can_forbid_it():
    decision = asked(waiting("2", "1"), policy={"disableResizePreemption": ["AllPods"]})
    assert rejections(decision)["n1"] == f"{UU} DeferredPodScheduling: node had resize preemption disabled"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"gates": {}}, "Deferred", id="gate off"),
        pytest.param({"version": V1_36, "gates": {}}, "Deferred", id="before 1.37"),
        pytest.param({}, "Infeasible", id="a resize that cannot be"),
    ],
)
def test_otherwise_it_is_judged_like_any_pod_that_names_its_node(change, reason):
    decision = asked(waiting("2", "1", reason), taints=["k=v:NoSchedule"], **change)
    assert rejections(decision)["n1"].startswith(f"{UU} TaintToleration")
