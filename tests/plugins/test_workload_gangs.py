"""Gangs of workloads in 1.35: pods wait for their workload and for minCount of them (spec 07 §13)."""

import pytest
from builders import decide, node, pod, session

from kschedctl.framework.versions import version_of

ON = {"GenericWorkload": True, "GangScheduling": True}
TOO_FEW = "waiting for minCount pods from a gang to appear in scheduling queue"


def workload(min_count=None):
    policy = {"basic": {}} if min_count is None else {"gang": {"minCount": min_count}}
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"podGroups": [{"name": "w", "policy": policy}]},
    }


def member(name, group="w", key="0", **spec):
    return pod(name, workloadRef={"name": "train", "podGroup": group, "podGroupReplicaKey": key}, **spec)


@pytest.mark.parametrize(
    ("objects", "asked", "text"),
    [
        pytest.param([], member("p"), 'waiting for pods\'s workload "train" to appear', id="no workload"),
        pytest.param([workload(1)], member("p", "x"), 'pod group "x" doesn\'t exist', id="no such group"),
        pytest.param([workload(2)], member("p"), TOO_FEW, id="too few"),
        pytest.param([workload(2), member("q", key="1")], member("p"), TOO_FEW, id="of another replica"),
    ],
)
def test_a_member_waits(objects, asked, text):
    decision = decide(session(node("a"), objects, version=version_of("1.35"), gates=ON), asked)
    assert str(decision.outcome) == "Gated"
    assert decision.message.startswith(text)


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([workload()], id="a basic group"),
        pytest.param([workload(1), member("q")], id="a gang that is there"),
        pytest.param([workload(1), member("q", on="a")], id="one that runs"),
    ],
)
def test_a_member_goes_on(objects):
    decision = decide(session(node("a"), objects, version=version_of("1.35"), gates=ON), member("p"))
    assert str(decision.outcome) == "Scheduled"


def test_without_the_gates_nobody_waits():
    decision = decide(session(node("a"), version=version_of("1.35")), member("p"))
    assert str(decision.outcome) == "Scheduled"
