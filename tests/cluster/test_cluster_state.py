"""ClusterState: which pods count, list order on nodes, nominations."""

import pytest
from builders import enter, made, node, pod, session

PHASES = ["Pending", "Running", "Unknown", ""]


def listed(asked, name):
    records = asked.cluster.pods.records
    return [records[i].name for i in asked.cluster.usage.pods[asked.cluster.nodes.row_of[name]]]


def with_phase(name, phase, on="n1"):
    made = pod(name, on)
    made["status"]["phase"] = phase
    return made


def test_terminal_pods_do_not_exist():
    pods = [with_phase(f"p-{phase.lower() or 'none'}", phase) for phase in [*PHASES, "Succeeded", "Failed"]]
    assert listed(session(node("n1"), pods), "n1") == ["p-none", "p-pending", "p-running", "p-unknown"]


def test_pods_are_listed_in_the_byte_order_of_their_keys():
    pods = [pod("x", "n1", namespace=namespace) for namespace in ("a", "a-b", "a.b", "ab")]
    asked = session(node("n1"), pods)
    records = asked.cluster.pods.records
    order = [records[i].full_name for i in asked.cluster.usage.pods[0]]
    assert order == ["a-b/x", "a.b/x", "a/x", "ab/x"]


def test_terminating_pods_count_until_they_are_gone():
    assert listed(session(node("n1"), pod("old", "n1", terminating=True)), "n1") == ["old"]


def test_a_pod_on_an_unknown_node_counts_nowhere():
    asked = session(node("n1"), pod("ghost", "gone", cpu="1"))
    assert listed(asked, "n1") == []
    assert asked.cluster.usage.requested.sum() == 0


def test_sums_are_rounded_up_once_a_pod():
    halves = {"resources": {"requests": {"cpu": "100500u"}}, "image": "app"}
    two = pod("two", "n1", containers=[{"name": "a"} | halves, {"name": "b"} | halves])
    asked = session(node("n1"), two)
    # Admission rounds every entry up to a milli, as an API server stores it: 101m + 101m.
    assert asked.cluster.usage.requested[0, 0] == 202


def test_removal_moves_the_last_pod_into_the_hole():
    asked = session(node("n1"), [pod(name, "n1") for name in "abcd"])
    cluster = asked.cluster
    start = cluster.mark()
    cluster.remove(asked.find("default", "b").id)
    assert listed(asked, "n1") == ["a", "d", "c"]
    cluster.assume(asked.find("default", "b").id, 0)
    assert listed(asked, "n1") == ["a", "d", "c", "b"]
    cluster.undo_to(start)
    assert listed(asked, "n1") == ["a", "b", "c", "d"]


def test_nominations_follow_assume_and_undo():
    asked = session(node("n1"), node("n2"), [pod(name, nominated="n1") for name in "ab"])
    cluster = asked.cluster
    first, second = (asked.find("default", name).id for name in "ab")
    assert cluster.nominations == {"n1": [first, second]}
    start = cluster.mark()
    cluster.assume(first, 1)
    assert cluster.nominated_node(first) == ""
    cluster.nominate(second, "n2")
    assert cluster.nominated_node(second) == "n2"
    cluster.undo_to(start)
    assert cluster.nominations["n1"] == [first, second]
    assert cluster.nominated_node(second) == "n1"


def test_a_hypothetical_pod_is_seen_by_nobody():
    asked = session(node("n1"))
    enter(asked, pod("p", nominated="n1"))
    assert not any(asked.cluster.nominations.values())


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        pytest.param({}, True, id="in the queue"),
        pytest.param({"schedulingGates": [{"name": "g"}]}, False, id="gated"),
        pytest.param({"schedulerName": "other"}, False, id="of another scheduler"),
        pytest.param({"nodeName": "n1"}, False, id="names its node"),
    ],
)
def test_others_see_the_nomination_of_a_pod_that_waits_in_the_queue(more, seen):
    asked = session(node("n1"), node("n2"))
    asked.enter_pending(made(pod("p", nominated="n2", **more)))
    assert any(asked.cluster.nominations.values()) is seen


@pytest.mark.parametrize("name", ["foo", "storage"])
def test_names_that_are_no_resources_have_no_column(name):
    asked = session(node("n1", more={name: "5"}))
    assert asked.cluster.resources.find(name) is None


def test_equal_pods_share_their_class():
    asked = session(node("n1"))
    first, second, other = (enter(asked, pod(n, cpu=cpu)) for n, cpu in [("a", "1"), ("b", "1"), ("c", "2")])
    assert first.pod_class is second.pod_class
    assert first.pod_class is not other.pod_class


def test_labels_and_namespace_make_another_class():
    asked = session(node("n1"))
    plain = enter(asked, pod("a"))
    assert enter(asked, pod("b", labels={"x": "1"})).pod_class is not plain.pod_class
    assert enter(asked, pod("c", namespace="other")).pod_class is not plain.pod_class


def test_classes_that_differ_in_labels_alone_are_told():
    asked = session(node("n1"))
    first, second = (enter(asked, pod(n, labels={"statefulset.kubernetes.io/pod-name": n})) for n in "ab")
    assert first.pod_class is not second.pod_class
    assert first.pod_class.template == second.pod_class.template
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "w"}
    told = pod("c", namespace="other"), pod("d", cpu="2"), pod("e", owner=owner)
    others = [enter(asked, one) for one in told]
    assert len({first.pod_class.template, *(other.pod_class.template for other in others)}) == 4
