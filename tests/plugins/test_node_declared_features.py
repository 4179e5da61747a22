"""NodeDeclaredFeatures (spec 02 D.11) and SchedulingGates (D.1)."""

import pytest
from builders import UU, decide, feasible, node, pod, rejections, session

from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.scheduling.decision import Outcome

RESTART, USERNS = "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"
BIND = "VolumeBindMountOptions"
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


def mounting(options):
    mount = {"name": "v", "mountPath": "/v", "bindMountOptions": options}
    return pod("p", containers=[{"name": "main", "image": "app", "volumeMounts": [mount]}])


@pytest.mark.parametrize(
    ("options", "version", "fit"),
    [
        pytest.param(["noexec"], V1_37, ["declared"], id="an option"),
        pytest.param([], V1_37, ["bare", "declared"], id="none"),
        pytest.param(["noexec"], V1_36, ["bare", "declared"], id="not known before 1.37"),
    ],
)
def test_bind_mount_options(options, version, fit):
    nodes = [node("bare"), node("declared", declaredFeatures=[BIND])]
    assert feasible(decide(session(nodes, version=version, gates=gate(version)), mounting(options))) == fit


def gate(version):
    return {BIND: True} if BIND in version.gates else {}


def test_the_api_server_drops_bind_mount_options_by_default():
    assert feasible(decide(session(node("bare"), version=V1_37), mounting(["noexec"]))) == ["bare"]


def test_features_of_1_35_are_a_set():
    unsorted = node("a", declaredFeatures=[USERNS, RESTART])
    gates = {"NodeDeclaredFeatures": True, RESTART: True}
    decision = decide(session(unsorted, node("b"), version=V1_35, gates=gates), restarting())
    listed = f"node declared features check failed - unsatisfied requirements: {RESTART}"
    assert rejections(decision) == {"b": f"{UU} NodeDeclaredFeatures: {listed}"}


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
