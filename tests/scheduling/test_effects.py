"""What a decision does to the cluster: place, evict and try again (spec 01 §7, §9.6)."""

from builders import decide, enter, node, pod, session

from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import evict_and_retry, place


def test_a_placed_pod_counts_at_once():
    asked = session(node("n1"))
    first = decide(asked, pod("a", cpu="3"))
    assert place(first) is None
    assert decide(asked, pod("b", cpu="3")).outcome is Outcome.UNSCHEDULABLE


def test_placing_drops_the_nomination():
    asked = session(node("n1"), node("n2"), pod("waits", nominated="n1"))
    waits = asked.find("default", "waits")
    decision = asked.scheduler.decide(waits, asked.cluster)
    assert place(decision) is None
    assert asked.cluster.nominated_node(waits.id) == ""


def test_eviction_makes_room():
    asked = session(node("n1"), pod("low", "n1", cpu="4", priority=1))
    decision = decide(asked, pod("high", cpu="4", priority=10))
    again = evict_and_retry(asked.scheduler, decision)
    assert (again.outcome, again.selected_node) == (Outcome.SCHEDULED, "n1")
    assert asked.cluster.pods.node[asked.find("default", "low").id] == -1


def test_lower_nominations_on_the_node_are_dropped():
    waiting = [pod("lower", priority=5, nominated="n1"), pod("higher", priority=20, nominated="n1")]
    asked = session(node("n1"), pod("low", "n1", cpu="4", priority=1), waiting)
    evict_and_retry(asked.scheduler, decide(asked, pod("high", cpu="4", priority=10)))
    left = [asked.cluster.pods.records[i].name for i in asked.cluster.nominations["n1"]]
    assert left == ["higher"]


def test_everything_can_be_undone():
    asked = session(node("n1"), pod("low", "n1", cpu="4", priority=1))
    candidate = enter(asked, pod("high", cpu="4", priority=10))
    start = asked.cluster.mark()
    event = asked.scheduler.decide(candidate, asked.cluster).event
    again = evict_and_retry(asked.scheduler, asked.scheduler.decide(candidate, asked.cluster))
    assert place(again) is None
    asked.cluster.undo_to(start)
    assert asked.scheduler.decide(candidate, asked.cluster).event == event


def test_a_running_pod_is_placed_anew_and_put_back():
    asked = session(node("n1"), node("n2", cordoned=True), pod("only", "n1", cpu="4"))
    record = asked.find("default", "only")
    with asked.deciding(record) as decision:
        assert decision.selected_node == "n1"
    assert asked.cluster.pods.node[record.id] == 0
