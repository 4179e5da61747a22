"""A member is judged in the cycle of its group, together with those that wait and those that are asked about."""

import pytest
from builders import made, node, pod, session
from gang_builders import GATES, group, members

from kschedctl.framework.versions import version_of
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.decision import Decision
from kschedctl.whatif.judgement.explain import judging

V1_37 = version_of("1.37")
TWO = [node("a"), node("b")]


def answers(objects, asked, *, gates=None):
    """Outcome, node and group of each pod that is asked about."""
    where = session(*objects, version=V1_37, gates=GATES["1.37"] if gates is None else gates)
    pods = [made(data) for data in asked]
    before, found = where.cluster.pods.node.tolist(), []
    for one in pods:
        with judging(where, one, pods) as decision:
            assert isinstance(decision, Decision)
            found.append((str(decision.outcome), decision.selected_node, decision.group))
    on_nodes = [row for row in where.cluster.pods.node.tolist() if row >= 0]
    assert on_nodes == [row for row in before if row >= 0]
    return found


def gang(name, count):
    return group(name, count, version="1.37")


def test_all_members_get_the_nodes_of_one_cycle():
    found = answers([*TWO, gang("g", 3)], members("g", 3, cpu="2"))
    assert [answer[:2] for answer in found] == [("Scheduled", "a"), ("Scheduled", "b"), ("Scheduled", "a")]
    told = found[0][2]
    assert [answer[2] for answer in found] == [told] * 3
    assert (told.name, told.minimum, told.known, told.running) == ("default/g", 3, 3, 0)
    assert [(member.pod, member.node, member.bound) for member in told.members] == [
        ("default/g-0", "a", True),
        ("default/g-1", "b", True),
        ("default/g-2", "a", True),
    ]


def test_a_member_that_fits_is_not_placed_without_its_group():
    found = answers([*TWO, gang("g", 5)], members("g", 5, cpu="2"))
    assert {outcome for outcome, _, _ in found} == {"Unschedulable"}
    assert found[0][2].message.startswith("minCount (5) cannot be satisfied: 4 scheduled, 0 remaining")
    assert [member.node is not None for member in found[0][2].members] == [True] * 4 + [False]


def test_members_that_wait_in_the_cluster_count():
    waiting = members("g", 2, cpu="2")
    [(outcome, _, told)] = answers([*TWO, gang("g", 3), *waiting], members("g", 3, cpu="2")[2:])
    assert outcome == "Scheduled"
    assert len(told.members) == 3


def test_a_pod_in_place_of_one_of_its_name_counts_once():
    waiting = members("g", 2, cpu="2")
    [(outcome, _, told)] = answers([*TWO, gang("g", 3), *waiting], members("g", 1, cpu="1"))
    assert outcome == "Gated"
    assert told.known == 2


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        pytest.param([gang("g", 3)], "waiting for minCount pods from a gang", id="too few"),
        pytest.param([], 'waiting for pods\'s pod group "g" to appear', id="no group"),
    ],
)
def test_what_keeps_a_group_from_being_tried_is_told(objects, text):
    [(outcome, _, told)] = answers([*TWO, *objects], members("g", 1))
    assert outcome == "Gated"
    assert (told.outcome, told.name, told.exists) == ("Gated", "default/g", bool(objects))
    assert text in told.message


def test_a_gated_member_keeps_the_others_from_a_yes():
    gated = members("g", 1, schedulingGates=[{"name": "wait"}])
    found = answers([*TWO, gang("g", 1)], [*gated, *members("g", 2)[1:]])
    assert [outcome for outcome, _, _ in found] == ["Gated", "Gated"]
    assert found[1][2].message == "another pod of its group is kept out of the queue"


def test_a_member_that_is_being_deleted_is_not_tried():
    leaving = members("g", 1)
    leaving[0]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    found = answers([*TWO, gang("g", 2)], [*leaving, *members("g", 2)[1:]])
    assert [outcome for outcome, _, _ in found] == ["Terminating", "Error"]


def test_members_of_1_35_wait_for_each_other():
    workload = {
        "apiVersion": "scheduling.k8s.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": "w", "namespace": "default"},
        "spec": {"podGroups": [{"name": "g", "policy": {"gang": {"minCount": 2}}}]},
    }
    where = session(*TWO, workload, version=version_of("1.35"), gates=GATES["1.36"])
    pods = [made(pod(name, workloadRef={"name": "w", "podGroup": "g"})) for name in ("p", "q")]
    for asked, outcome in ((pods, "Scheduled"), (pods[:1], "Gated")):
        with judging(where, pods[0], asked) as decision:
            assert isinstance(decision, Decision)
            assert str(decision.outcome) == outcome


def test_asking_again_changes_nothing():
    where = session(*TWO, gang("g", 2), version=V1_37, gates=GATES["1.37"])
    [one] = [made(data) for data in members("g", 1)]
    assert isinstance(one, Pod)
    for _ in range(3):
        with judging(where, one, ()) as decision:
            assert isinstance(decision, Decision)
            assert str(decision.outcome) == "Gated"


def test_without_the_gate_each_pod_is_judged_alone():
    [(outcome, _, told)] = answers([*TWO, gang("g", 5)], members("g", 1), gates={})
    assert (outcome, told) == ("Scheduled", None)


def test_a_pod_of_no_group_is_judged_alone():
    assert answers([*TWO], [pod("p")]) == [("Scheduled", "a", None)]
