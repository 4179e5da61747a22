"""Decisions with a clock beside them."""

from builders import decide, node, pod, session
from extender_builders import URL, Answers, extender, with_extenders

from kschedctl.framework.timings import Timings

NODES = [
    node("n1", cpu="2"),
    node("n2"),
    pod("v", "n1", cpu="2", priority=-1),
    pod("w", "n2", cpu="4", priority=-1),
]


def test_decisions_are_the_same():
    for candidate in (
        pod("a", cpu="1", priority=5),
        pod("a", cpu="99"),
        pod("a", schedulingGates=[{"name": "g"}]),
    ):
        plain, measured = (decide(session(NODES, timings=t), candidate) for t in (None, Timings()))
        assert (plain.outcome, plain.selected_node, plain.event) == (
            measured.outcome,
            measured.selected_node,
            measured.event,
        )
        assert plain.preemption == measured.preemption


def test_attempts_count_by_their_result():
    timings = Timings()
    asked = session([node("n1")], timings=timings)
    for candidate in (pod("a"), pod("b"), pod("c", cpu="99"), pod("d", schedulingGates=[{"name": "g"}])):
        decide(asked, candidate)
    counted = {key: series.count for key, series in timings.attempts.items()}
    assert counted == {("default-scheduler", "scheduled"): 2, ("default-scheduler", "unschedulable"): 1}


def test_preemption_and_its_filters_are_told_apart():
    timings = Timings()
    decide(session(NODES, timings=timings), pod("a", cpu="1", priority=5))
    assert timings.plugins["PostFilter", "DefaultPreemption"].count == 1
    assert timings.plugins["Filter", "NodeResourcesFit"].count > 1


def test_pods_that_are_put_back_are_of_an_extension():
    timings = Timings()
    affinity = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "v"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
    objects = [node("n1"), pod("v", "n1", labels={"app": "v"}, priority=-1)]
    decide(session(objects, timings=timings), pod("a", priority=5, affinity=affinity))
    points = {point for point, plugin in timings.plugins if plugin == "InterPodAffinity"}
    assert {"PreFilterExtensionRemovePod", "PreFilterExtensionAddPod"} <= points


def test_extenders_are_measured_by_their_url():
    timings = Timings()
    asked = session(
        [node("n1"), node("n2")], config=with_extenders(extender()), transport=Answers({}), timings=timings
    )
    decide(asked, pod("a"))
    assert {point for point, name in timings.plugins if name == URL} == {
        "ExtenderFilter",
        "ExtenderPrioritize",
    }


def test_a_session_over_a_changed_cluster_measures_once():
    timings = Timings()
    asked = session([node("n1"), node("n2")], timings=timings)
    again = asked.with_objects([], asked.scheduler.options)
    again = again.with_objects([], asked.scheduler.options)
    assert type(again.scheduler) is type(asked.scheduler)
    assert again.scheduler.configuration.registry is asked.scheduler.configuration.registry
