"""What is made anew of pods that a change takes away, and what is not."""

import pytest

from kschedctl.objects.node import Taint
from kschedctl.whatif.changes import AddNode, Delete, Drain, FailDomain, FailMode, RemoveNode, TaintNodes
from kschedctl.whatif.world import Rollout

from .builders import controlled, node, nodes_of, placements, pod, replica, run, workload

ZONE = "topology.kubernetes.io/zone"
NODES = [node("n1", "a"), node("n2", "b")]
GONE = FailDomain(ZONE, "a")
UNREACHABLE = FailDomain(ZONE, "a", FailMode.UNREACHABLE)
STATEFUL = controlled("StatefulSet", "db")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(Drain("n1"), id="drain"),
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
    found = run([*NODES, *more, pod("db-1", "n1", terminating=True, owner=STATEFUL)], Drain("n1"))

    assert placements(found) == placed
    assert not found.lost


def test_a_terminating_pod_of_a_stateful_set_is_not_made_anew_on_an_unreachable_node():
    found = run([*NODES, pod("db-0", "n1", terminating=True, owner=STATEFUL)], UNREACHABLE)

    assert placements(found) == {}
    assert len(found.notes) == 1


@pytest.mark.parametrize("rollout", Rollout)
def test_a_daemon_set_that_is_applied_has_one_pod_on_a_new_node(rollout):
    found = run([node("n1")], AddNode(like="n1"), manifests=[workload("DaemonSet", "agent")], rollout=rollout)

    assert nodes_of(found, "DaemonSet/agent") == ["n1", "n1-new-1"]
