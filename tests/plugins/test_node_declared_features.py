"""NodeDeclaredFeatures (spec 02 D.11) and SchedulingGates (D.1)."""

import pytest
from builders import UU, decide, feasible, node, pod, rejections, session

from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.scheduling.decision import Outcome

RESTART, USERNS = "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"
MISSING = f"{UU} NodeDeclaredFeatures: node(s) didn't match Pod's required features"
RULE = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}


def restarting():
    rules = {"restartPolicy": "Never", "restartPolicyRules": [RULE]}
    return pod("p", containers=[{"name": "main", "image": "app"} | rules])


@pytest.mark.parametrize(
    ("declared", "passes"),
    [
        pytest.param([RESTART], True, id="declared"),
        pytest.param([], False, id="nothing declared"),
        pytest.param([USERNS], False, id="another one"),
        pytest.param(["AFutureFeature", RESTART], True, id="unknown names do not matter"),
        pytest.param([USERNS, RESTART], False, id="an unsorted list loses entries"),
    ],
)
def test_required_feature(declared, passes):
    decision = decide(session(node("n1", declaredFeatures=declared)), restarting())
    assert rejections(decision) == ({} if passes else {"n1": MISSING})


def test_two_required_features():
    both = restarting()
    both["spec"] |= {"hostNetwork": True, "hostUsers": False}
    nodes = [node("a", declaredFeatures=[RESTART]), node("b", declaredFeatures=[RESTART, USERNS])]
    gate = {USERNS: True}
    assert feasible(decide(session(nodes, gates=gate), both)) == ["b"]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"version": V1_35}, id="gate off"),
        pytest.param({"version": V1_34}, id="1.34"),
    ],
)
def test_not_asked(options):
    assert feasible(decide(session(node("n1"), **options), restarting())) == ["n1"]


def test_gates_keep_a_pod_out_of_the_queue():
    decision = decide(session(node("n1")), pod("p", schedulingGates=[{"name": "b"}, {"name": "a"}]))
    assert decision.outcome is Outcome.GATED
    assert decision.message == "waiting for scheduling gates: [b a]"
