"""The example plugins in fixtures/plugins: known ones, written anew from what is documented of them."""

import json
from pathlib import Path

import pytest
from run_builders import Story

from kschedctl.errors import ConfigurationError
from kschedctl.plugins.outside import load_plugin
from kschedctl.testing import check_plugin, node, pod, try_plugin

FOLDER = Path(__file__).parents[2] / "fixtures" / "plugins"


def ported(file, name):
    return load_plugin(f"{FOLDER / file}.py:{name}")


QOS_SORT = ported("qos_sort", "QOSSort")
COSCHEDULING = ported("coscheduling", "Coscheduling")
CAPACITY = ported("capacity_scheduling", "CapacityScheduling")
ALLOCATABLE = ported("allocatable", "NodeResourcesAllocatable")
LOAD_AWARE = ported("load_aware", "LoadAware")


@pytest.mark.parametrize(
    "plugin", [QOS_SORT, COSCHEDULING, CAPACITY, ALLOCATABLE, LOAD_AWARE], ids=lambda p: p.spec.name
)
def test_they_keep_to_the_contract(plugin):
    check_plugin(plugin)


# QOSSort

CPU = {"cpu": "1", "memory": "1Gi"}


def test_better_service_comes_first_among_equal_priorities():
    pods = [
        pod("effort"),
        pod("burst", requests={"cpu": "1"}),
        pod("half", requests=CPU, limits={"cpu": "1"}),
        pod("sure", requests=CPU, limits=CPU),
        pod("urgent", priority=5),
    ]
    story = Story(node("n", cpu="8"), plugins=[QOS_SORT]).create(0, *pods).play()
    bound = [event.pod for event in story.run.story.events if event.happening == "Scheduled"]
    assert bound == [f"default/{name}" for name in ("urgent", "sure", "burst", "half", "effort")]


# Coscheduling


def member(name, of=2, group="g", cpu="1"):
    labels = {
        "pod-group.scheduling.sigs.k8s.io/name": group,
        "pod-group.scheduling.sigs.k8s.io/min-available": str(of),
    }
    return pod(name, labels=labels, requests={"cpu": cpu})


def test_a_group_goes_once_enough_of_it_has_nodes():
    story = Story(node("n", cpu="2"), plugins=[COSCHEDULING]).create(0, member("a"), member("b")).play()
    assert story.nodes == {"a": "n", "b": "n"}
    assert "0 WaitingOnPermit n for Coscheduling" in story.of("a")


def test_a_group_that_does_not_fit_gives_its_nodes_back():
    story = (
        Story(node("n", cpu="1"), plugins=[COSCHEDULING]).create(0, member("a"), member("b")).play(until=60)
    )
    assert "60 FailedScheduling Coscheduling -> Unschedulable" in story.of("a")
    assert story.of("b")[-1] == "60 WaitingOnPermit n for Coscheduling"
    assert story.nodes == {"a": "", "b": ""}


def test_a_group_that_lacks_pods_is_not_tried():
    story = Story(node("n"), plugins=[COSCHEDULING]).create(0, member("a", of=3), member("b", of=3))
    story.create(5, member("c", of=3)).play()
    assert story.of("a")[1] == "0 FailedScheduling Coscheduling -> Unschedulable"
    assert set(story.nodes.values()) == {"n"}


def test_members_are_tried_in_a_row():
    story = Story(node("n", cpu="3"), plugins=[COSCHEDULING])
    story.create(
        0, member("a1", group="a"), member("b1", group="b"), member("a2", group="a"), member("b2", group="b")
    )
    story.play(until=1)
    assert story.nodes == {"a1": "n", "a2": "n", "b1": "", "b2": ""}


# CapacityScheduling

QUOTAS = {
    "quotas": [
        {"namespace": "a", "min": {"cpu": "2"}, "max": {"cpu": "3"}},
        {"namespace": "b", "min": {"cpu": "2"}},
    ]
}


def running(name, namespace, cpu):
    return pod(name, on="n", namespace=namespace, requests={"cpu": cpu})


@pytest.mark.parametrize(
    ("used", "namespace", "message"),
    [
        pytest.param([], "a", "", id="within its guarantee"),
        pytest.param([("a", "2")], "a", "", id="it borrows"),
        pytest.param(
            [("a", "2500m")], "a", "namespace a would use more cpu than its max", id="above its max"
        ),
        pytest.param(
            [("a", "2"), ("b", "1500m")],
            "a",
            "namespaces with a quota would use more cpu than is guaranteed to all of them",
            id="nothing is left to borrow",
        ),
        pytest.param([("b", "3")], "b", "", id="without a max"),
        pytest.param([("a", "2"), ("b", "2")], "c", "", id="a namespace without a quota"),
    ],
)
def test_quotas(used, namespace, message):
    objects = [node("n", cpu="20"), *(running(f"p{i}", *one) for i, one in enumerate(used))]
    answer = try_plugin(CAPACITY, objects, pod("x", namespace=namespace, requests={"cpu": "1"}), QUOTAS)
    assert answer.node == (None if message else "n")
    assert message in answer.message


def test_room_that_was_borrowed_comes_back():
    from builders import profile

    enabled = {"multiPoint": {"enabled": [{"name": "CapacityScheduling"}]}}
    config = profile(
        "CapacityScheduling", {"quotas": [{"namespace": "default", "max": {"cpu": "1"}}]}, plugins=enabled
    )
    story = Story(node("n"), plugins=[CAPACITY], config=config)
    story.create(0, pod("a", requests={"cpu": "1"})).create(1, pod("b", requests={"cpu": "1"}))
    story.delete(10, "Pod", "a", grace=0).play()
    assert story.nodes == {"b": "n"}


# NodeResourcesAllocatable

SIZES = [node("small", cpu="2", memory="2Gi"), node("middle"), node("large", cpu="8", memory="16Gi")]


@pytest.mark.parametrize(
    ("mode", "scores"),
    [("Least", {"small": 100, "middle": 59, "large": 0}), ("Most", {"small": 0, "middle": 40, "large": 100})],
)
def test_nodes_are_scored_by_their_size(mode, scores):
    assert try_plugin(ALLOCATABLE, SIZES, pod("p"), {"mode": mode}).scores == scores


def test_equal_nodes_get_nothing():
    assert try_plugin(ALLOCATABLE, [node("a"), node("b")], pod("p")).scores == {"a": 0, "b": 0}


# LoadAware


def test_nodes_are_filled_up_to_the_target(tmp_path):
    path = tmp_path / "load.json"
    busy = {"idle": 0, "near": 15, "over": 50, "full": 90}
    path.write_text(json.dumps({"nodes": {name: {"cpu": load} for name, load in busy.items()}}))
    objects = [node(name) for name in [*busy, "unknown"]]
    args = {"metricsFile": str(path)}
    answer = try_plugin(LOAD_AWARE, objects, pod("p", requests={"cpu": "1"}), args)
    assert answer.scores == {"idle": 78, "near": 100, "over": 17, "full": 0, "unknown": 0}
    assert answer.node == "near"


@pytest.mark.parametrize(
    ("plugin", "args", "message"),
    [
        (LOAD_AWARE, {"targetUtilization": 100}, "targetUtilization must be between 0 and 100"),
        (COSCHEDULING, {"permitWaitingTimeSeconds": 0}, "permitWaitingTimeSeconds must be greater than 0"),
        (ALLOCATABLE, {"mode": "Some"}, "mode: "),
        (ALLOCATABLE, {"resources": []}, "resources must have weights greater than 0"),
        (CAPACITY, {"quotas": [{"namespace": "a"}] * 2}, "a namespace has two quotas"),
        (
            CAPACITY,
            {"quotas": [{"namespace": "a", "min": {"cpu": "2"}, "max": {"cpu": "1"}}]},
            "min above its max",
        ),
    ],
)
def test_arguments_are_validated(plugin, args, message):
    with pytest.raises(ConfigurationError, match=message):
        try_plugin(plugin, [node("n")], pod("p"), args)
