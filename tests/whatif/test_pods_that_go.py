"""What is made anew of pods that a change takes away, and what is not."""

import pytest

from kschedctl.objects.node import Taint
from kschedctl.whatif.world.change_forms import FailMode, RolloutMode
from kschedctl.whatif.world.changes import AddNode, Delete, DrainNodes, FailDomain, RemoveNode, TaintNodes

from .builders import controlled, node, nodes_of, placements, pod, replica, run, workload

ZONE = "topology.kubernetes.io/zone"
NODES = [node("n1", "a"), node("n2", "b")]
GONE = FailDomain(ZONE, "a")
UNREACHABLE = FailDomain(ZONE, "a", FailMode.UNREACHABLE)
STATEFUL = controlled("StatefulSet", "db")
DAEMON = controlled("DaemonSet", "agent")
MIRROR = {"kubernetes.io/config.mirror": "x"}
NODE_OWNER = {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u", "controller": True}
ANY = {"operator": "Exists"}
FOR_A_WHILE = {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
FOR_EVER = {"key": "k", "operator": "Exists", "effect": "NoExecute"}
OTHER = {"key": "other", "operator": "Exists", "tolerationSeconds": 60}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(DrainNodes("n1"), id="drain"),
        pytest.param(RemoveNode("n1"), id="remove"),
        pytest.param(GONE, id="domain is gone"),
        pytest.param(UNREACHABLE, id="domain is unreachable"),
        pytest.param(TaintNodes("n1", Taint(key="k", effect="NoExecute")), id="NoExecute taint"),
        pytest.param(Delete("pod/ending"), id="delete"),
    ],
)
@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(replica("ending", "n1", terminating=True), id="of a replica set"),
        pytest.param(pod("ending", "n1", terminating=True), id="bare"),
    ],
)
def test_a_terminating_pod_was_replaced_before(change, ending):
    found = run([*NODES, ending], change)

    assert placements(found) == {}
    assert not found.lost


@pytest.mark.parametrize(
    ("more", "placed"),
    [
        pytest.param([], {"db-1": "n2"}, id="its set is not in the input"),
        pytest.param([workload("StatefulSet", "db", 2)], {"db-1": "n2"}, id="wanted"),
        pytest.param([workload("StatefulSet", "db", 1)], {}, id="scaled away"),
    ],
)
def test_a_terminating_pod_of_a_stateful_set_comes_back_by_its_name(more, placed):
    found = run([*NODES, *more, pod("db-1", "n1", terminating=True, owner=STATEFUL)], DrainNodes("n1"))

    assert placements(found) == placed
    assert not found.lost


def test_a_terminating_pod_of_a_stateful_set_is_not_made_anew_on_an_unreachable_node():
    found = run([*NODES, pod("db-0", "n1", terminating=True, owner=STATEFUL)], UNREACHABLE)

    assert placements(found) == {}
    assert len(found.notes) == 1


@pytest.mark.parametrize("rollout", RolloutMode)
def test_a_daemon_set_that_is_applied_has_one_pod_on_a_new_node(rollout):
    found = run([node("n1")], AddNode(like="n1"), manifests=[workload("DaemonSet", "agent")], rollout=rollout)

    assert nodes_of(found, "DaemonSet/agent") == ["n1", "n1-new-1"]


@pytest.mark.parametrize(
    ("cluster", "placed", "lost"),
    [
        pytest.param([pod("a", "n1", owner=DAEMON)], {"a": "n1"}, [], id="its set is not in the input"),
        pytest.param(
            [workload("DaemonSet", "agent"), pod("a", "n1", owner=DAEMON)],
            {"a": "n1"},
            [],
            id="its set is known",
        ),
        pytest.param(
            [pod("a", "n1", owner=DAEMON, terminating=True)], {"a": "n1"}, [], id="it was terminating"
        ),
        pytest.param(
            [workload("DaemonSet", "agent", pod={"nodeSelector": {"x": "y"}}), pod("a", "n1", owner=DAEMON)],
            {},
            ["a"],
            id="its set wants none there",
        ),
        pytest.param([pod("a", "n9", owner=DAEMON)], {}, ["a"], id="its node is not there"),
    ],
)
def test_a_deleted_daemon_comes_back_on_its_node(cluster, placed, lost):
    found = run([*NODES, *cluster], Delete("pod/a"))

    assert placements(found) == placed
    assert [p.name for p in found.lost] == lost


def test_a_deleted_daemon_waits_for_its_own_node():
    daemon = pod("a", "n1", cpu="3", owner=DAEMON)
    found = run([*NODES, daemon, pod("big", cpu="4", priority=9)], DrainNodes("n2"), Delete("pod/a"))

    assert placements(found) == {"a": None, "big": "n1"}


@pytest.mark.parametrize("mark", [{"annotations": MIRROR}, {"ownerReferences": [NODE_OWNER]}])
def test_a_deleted_static_pod_stays(mark):
    static = pod("proxy", "n1")
    static["metadata"] |= mark
    found = run([*NODES, static], Delete("pod/proxy"))

    assert not found.lost
    assert [p.spec.node_name for p in found.world.pods] == ["n1"]
    assert found.notes == ["the static pod default/proxy stays: its kubelet runs it again"]


@pytest.mark.parametrize("change", [DrainNodes("n1"), RemoveNode("n1"), GONE, Delete("node/n1")])
def test_a_daemon_never_moves_to_another_node(change):
    found = run([*NODES, pod("a", "n1", owner=DAEMON)], change)

    assert placements(found) == {}
    assert not found.lost


@pytest.mark.parametrize(
    ("there", "lost"),
    [
        pytest.param(pod("a", "n1"), ["a"], id="bare"),
        pytest.param(pod("a", "n1", tolerations=[{"operator": "Exists"}]), [], id="bare, stays for ever"),
        pytest.param(pod("a", "n1", owner=DAEMON), [], id="daemon"),
        pytest.param(pod("a", "n1", owner=STATEFUL), [], id="of a stateful set"),
        pytest.param(replica("a", "n1"), [], id="of a replica set"),
    ],
)
def test_a_bare_pod_is_lost_with_its_unreachable_node(there, lost):
    found = run([*NODES, there], UNREACHABLE)

    assert [p.name for p in found.lost] == lost
    assert "a" in [p.name for p in found.world.pods if p.spec.node_name == "n1"]


@pytest.mark.parametrize(
    ("tolerations", "evicted"),
    [
        pytest.param([], True, id="none"),
        pytest.param([FOR_A_WHILE], True, id="for a while"),
        pytest.param([FOR_A_WHILE, ANY], True, id="for a while comes first"),
        pytest.param([FOR_A_WHILE, FOR_EVER], True, id="for a while comes before the same for ever"),
        pytest.param([ANY, FOR_A_WHILE], False, id="for ever comes first"),
        pytest.param([OTHER, FOR_EVER], False, id="the first is for another taint"),
    ],
)
def test_the_first_toleration_of_a_taint_says_how_long_a_pod_stays(tolerations, evicted):
    found = run(
        [*NODES, pod("a", "n1", tolerations=tolerations)],
        TaintNodes("n1", Taint(key="k", effect="NoExecute")),
    )

    assert [p.name for p in found.lost] == (["a"] if evicted else [])
