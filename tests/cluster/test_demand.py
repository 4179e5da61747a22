"""Pods that ask for the same share one demand, whatever else tells them apart."""

import pytest
from builders import node, pod, session

from kschedctl.framework.versions.v1_34 import VERSION as V1_34


def resizing(data, cpu):
    """The pod while its container still holds what it was given before."""
    data["status"]["containerStatuses"] = [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]
    return data


def classes(*pods):
    records = session(node("n1"), *pods).cluster.pods.records
    return [record.pod_class for record in records]


@pytest.mark.parametrize(
    "other",
    [
        pod("b", "n1", cpu="1", labels={"app": "x"}),
        pod("b", "n1", cpu="1", namespace="elsewhere"),
        pod("b", "n1", cpu="1", priority=7),
        pod("b", "n1", cpu="1", nodeSelector={"disk": "ssd"}),
        pod("b", "n1", cpu="1", owner={"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs"}),
    ],
    ids=["labels", "namespace", "priority", "node selector", "owner"],
)
def test_what_is_not_asked_of_the_node_makes_another_class_of_the_same_demand(other):
    first, second = classes(pod("a", "n1", cpu="1"), other)
    assert first is not second
    assert first.demand is second.demand


@pytest.mark.parametrize(
    ("other", "milli_cpu"),
    [
        (pod("b", "n1", cpu="2"), 2000),
        (pod("b", "n1", cpu="1", overhead={"cpu": "500m"}), 1500),
        (pod("b", "n1", cpu="1", resources={"requests": {"cpu": "4"}}), 4000),
        (resizing(pod("b", "n1", cpu="1"), "3"), 3000),
    ],
    ids=["request", "overhead", "pod level", "resize"],
)
def test_what_is_asked_of_the_node_makes_another_demand(other, milli_cpu):
    first, second = classes(pod("a", "n1", cpu="1"), other)
    assert (first.requests["cpu"], second.requests["cpu"]) == (1000, milli_cpu)


def test_without_its_gate_no_pod_is_being_resized():
    gate = {"InPlacePodVerticalScaling": False}
    asked = session(
        node("n1"), resizing(pod("a", "n1", cpu="1", memory="1Gi"), "3"), version=V1_34, gates=gate
    )
    (pod_class,) = [record.pod_class for record in asked.cluster.pods.records]
    assert pod_class.requests["cpu"] == 1000
    assert pod_class.demand.non_zero == (1000, 2**30)


def test_resource_columns_of_classes_follow_their_demand():
    table = session(
        node("n1", more={"example.com/gpu": "4"}),
        pod("a", "n1", cpu="1"),
        pod("b", "n1", more={"example.com/gpu": "2"}),
        pod("c", "n1", cpu="1", labels={"app": "x"}),
    ).cluster.pods
    assert table.classes.requests[:, [0, 3]].tolist() == [[1000, 0], [0, 2], [1000, 0]]
