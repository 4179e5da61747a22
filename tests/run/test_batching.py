"""OpportunisticBatching: what pods that are alike take from the one before them (spec 01 §10, spec 08 §5)."""

import pytest
from builders import node, pod, profile
from run_builders import Story

from kschedctl.framework.versions import version_of

PACKED = profile(
    "NodeResourcesFit",
    {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}},
    plugins={"multiPoint": {"disabled": [{"name": "PodTopologySpread"}]}},
)
"""The smallest node is the best one; pods without constraints of their own are spread by none."""


def one(name, cpu="1", **parts):
    return pod(name, cpu=cpu, **parts)


def story(*more, size="1", version="1.36", gates=None):
    """The first pod goes to `a`, before `b` and `c`; then comes `new`, which is better than those."""
    nodes = [node(name, cpu=cpu) for name, cpu in {"a": size, "b": "4", "c": "8"}.items()]
    found = Story(nodes, *more, config=PACKED, version=version_of(version), gates=gates)
    return found.create(0, one("first")).create(5, node("new", cpu="1"))


@pytest.mark.parametrize(
    ("version", "gates", "where"),
    [
        pytest.param("1.34", None, "new", id="1.34 has none"),
        pytest.param("1.35", None, "b", id="1.35"),
        pytest.param("1.36", None, "b", id="1.36"),
        pytest.param("1.37", None, "b", id="1.37"),
        pytest.param("1.36", {"OpportunisticBatching": False}, "new", id="switched off"),
    ],
)
def test_the_second_node_of_the_first_pod_is_taken_although_a_better_one_came(version, gates, where):
    found = story(version=version, gates=gates).create(10, one("second")).play()
    assert (found.nodes["first"], found.nodes["second"]) == ("a", where)


@pytest.mark.parametrize(
    ("parts", "alike"),
    [
        pytest.param({"priority": 7}, True, id="priority"),
        pytest.param({"terminationGracePeriodSeconds": 5}, True, id="grace"),
        pytest.param({"volumes": [{"name": "v", "configMap": {"name": "x"}}]}, True, id="a ConfigMap"),
        pytest.param({"volumes": [{"name": "v", "secret": {"secretName": "x"}}]}, True, id="a Secret"),
        pytest.param({"volumes": [{"name": "v", "emptyDir": {}}]}, False, id="another volume"),
        pytest.param({"labels": {"app": "x"}}, False, id="labels"),
        pytest.param({"tolerations": [{"key": "k", "operator": "Exists"}]}, False, id="tolerations"),
        pytest.param({"nodeSelector": {"kubernetes.io/os": "linux"}}, False, id="node selector"),
        pytest.param({"cpu": "500m"}, False, id="requests"),
    ],
)
def test_alike_is_what_plugins_read(parts, alike):
    found = story()
    found.change(6, "Node", "new", {"metadata.labels": {"kubernetes.io/os": "linux"}})
    found.create(10, one("second", **parts)).play()
    assert found.nodes["second"] == ("b" if alike else "new")


@pytest.mark.parametrize(
    ("version", "where"), [pytest.param("1.36", "new", id="1.36"), pytest.param("1.37", "a", id="1.37")]
)
def test_a_node_that_is_not_full(version, where):
    """Up to 1.36 all is done anew; later the node is scored again, and set among those that are known."""
    found = story(size="3", version=version).create(10, one("second")).play()
    assert (found.nodes["first"], found.nodes["second"]) == ("a", where)


def test_a_pod_that_fails_in_between_ends_a_batch():
    found = story().create(7, one("large", cpu="99")).create(10, one("second")).play()
    assert found.nodes == {"first": "a", "large": "", "second": "new"}


def test_a_node_that_is_gone_ends_a_batch():
    found = story().delete(6, "Node", "a").create(10, one("second")).play()
    assert found.nodes["second"] == "new"


def test_a_hint_that_does_not_fit_is_not_taken():
    found = story().change(6, "Node", "b", {"spec.unschedulable": True}).create(10, one("second")).play()
    assert found.nodes["second"] == "new"


def test_a_hint_is_no_nomination():
    """With a victim that ends on the node nominated for it a preemptor would have to wait."""
    nodes = [node(name, cpu=cpu) for name, cpu in {"a": "1", "b": "4", "c": "8"}.items()]
    low = [pod(f"low-{on}", on=on, cpu=cpu, priority=0) for on, cpu in {"b": "2", "c": "4"}.items()]
    found = Story(nodes, low, config=PACKED).create(0, one("first", priority=9))
    found.create(6, pod("full-b", on="b", cpu="2", priority=9), pod("full-c", on="c", cpu="4", priority=9))
    preempted = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    found.change(6, "Pod", "low-b", {"status.conditions": [preempted]})
    found.delete(7, "Pod", "low-b").create(8, one("second", priority=5)).play(20)
    assert found.nodes["first"] == "a"
    assert [line for line in found.of("second") if "Nominated" in line] == ["8 Nominated b"]


def test_pods_go_down_the_list_as_long_as_each_fills_its_node():
    nodes = [node(name, cpu="1") for name in "abcd"]
    found = Story(nodes, config=PACKED).create(0, *(one(f"p{i}") for i in range(4))).play()
    assert sorted(found.nodes.values()) == list("abcd")
