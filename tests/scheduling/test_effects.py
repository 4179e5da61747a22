"""What a decision does to the cluster: place, evict and try again (spec 01 §7, §9.6)."""

import pytest
from builders import decide, enter, node, pod, profile, session

from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import evict_and_retry, place, settle_nomination


def test_a_placed_pod_counts_at_once():
    asked = session(node("n1"))
    first = decide(asked, pod("a", cpu="3"))
    assert place(first) is None
    assert decide(asked, pod("b", cpu="3")).outcome is Outcome.UNSCHEDULABLE


@pytest.mark.parametrize("version", [V1_35, V1_36, V1_37], ids=str)
def test_plugins_for_gangs_let_pods_of_no_group_pass(version):
    gates = {"GenericWorkload": True} | ({} if version is V1_37 else {"GangScheduling": True})
    assert place(decide(session(node("n1"), version=version, gates=gates), pod("a"))) is None


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


def off(point, *names):
    return profile(plugins={point: {"disabled": [{"name": name} for name in names]}})


ONLY_PREEMPTION_OFF = off("postFilter", "DefaultPreemption")
NO_POST_FILTER = off("postFilter", "*")
FITS_NOWHERE = {"cpu": "6", "priority": 10}
NOT_FOUND = {"priority": 10, "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]}
DYING = pod("dying", "n1", cpu="4", priority=1, terminating=True)
DYING["status"]["conditions"] = [
    {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
]


@pytest.mark.parametrize(
    ("waits", "others", "config", "kept"),
    [
        pytest.param(FITS_NOWHERE, [], None, False, id="preemption finds no candidate"),
        pytest.param(FITS_NOWHERE | {"preemptionPolicy": "Never"}, [], None, True, id="may not preempt"),
        pytest.param({"cpu": "1", "priority": 10}, [DYING], None, True, id="a victim is still terminating"),
        pytest.param(NOT_FOUND, [], None, True, id="PostFilter ends with not found"),
        pytest.param(FITS_NOWHERE, [], ONLY_PREEMPTION_OFF, True, id="another PostFilter plugin alone"),
        pytest.param(FITS_NOWHERE, [], NO_POST_FILTER, False, id="no PostFilter plugin"),
        pytest.param(
            {"priority": 10}, [], off("preFilter", "NodePorts"), False, id="a filter ends in an error"
        ),
    ],
)
def test_a_failure_clears_the_nomination_unless_postfilter_says_nothing_of_it(waits, others, config, kept):
    asked = session(node("n1"), pod("waits", nominated="n1", **waits), others, config=config)
    waiting = asked.find("default", "waits")
    decision = asked.scheduler.decide(waiting, asked.cluster)
    assert decision.outcome is not Outcome.SCHEDULED
    assert settle_nomination(decision) is not kept
    assert asked.cluster.nominated_node(waiting.id) == ("n1" if kept else "")


@pytest.mark.parametrize(
    ("version", "outcome"), [(V1_36, Outcome.SCHEDULED), (V1_37, Outcome.UNSCHEDULABLE)], ids=str
)
def test_pods_with_gates_hold_their_nominated_nodes_in_newer_versions(version, outcome):
    gated = pod("gated", cpu="4", nominated="n1", schedulingGates=[{"name": "g"}])
    asked = session(node("n1"), gated, version=version)
    record = asked.find("default", "gated")
    settle_nomination(asked.scheduler.decide(record, asked.cluster))
    assert decide(asked, pod("a", cpu="1")).outcome is outcome


def test_without_nodes_the_nomination_is_cleared():
    asked = session(pod("waits", nominated="n1"))
    waiting = asked.find("default", "waits")
    assert settle_nomination(asked.scheduler.decide(waiting, asked.cluster))


def test_a_nomination_that_was_cleared_is_not_tried_first_again():
    asked = session(node("n1"), node("n2"), pod("waits", nominated="n2", **FITS_NOWHERE))
    waiting = asked.find("default", "waits")
    start = asked.cluster.mark()
    assert asked.cluster.node_to_try_first(waiting) == "n2"
    settle_nomination(asked.scheduler.decide(waiting, asked.cluster))
    assert asked.cluster.node_to_try_first(waiting) == ""
    asked.cluster.undo_to(start)
    assert asked.cluster.node_to_try_first(waiting) == "n2"


def test_a_nomination_that_is_kept_counts_as_the_latest():
    listed = [pod("a", nominated="n1", preemptionPolicy="Never", **FITS_NOWHERE), pod("b", nominated="n1")]
    asked = session(node("n1"), listed)
    settle_nomination(asked.scheduler.decide(asked.find("default", "a"), asked.cluster))
    assert [asked.cluster.pods.records[i].name for i in asked.cluster.nominations["n1"]] == ["b", "a"]


@pytest.mark.parametrize("plugin", ["VolumeBinding", "DynamicResources"])
def test_reserve_reads_what_pre_filter_left(plugin):
    """Points do not pull each other in: every pod fails, whatever it asks for."""
    points = {key: {"disabled": [{"name": plugin}]} for key in ("preFilter", "filter", "score")}
    asked = session(node("n1"), config=profile(plugins=points))
    decision = decide(asked, pod("p"))
    refused = place(decision)
    assert refused is not None
    assert refused.message == f'running Reserve plugin "{plugin}": not found'
    assert asked.cluster.pods.node[decision.pod.id] < 0
