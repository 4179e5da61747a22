"""What is read off a decision: budgets behind each victim, and why nodes are no candidates."""

import pytest
from builders import HOST, decide, node, pod, session

from kschedctl.whatif.judgement.preemption import Hindrance, study

APP = {"app": "a"}


def budget(name, allowed, selector=None, disrupted=()):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": selector or APP}},
        "status": {
            "disruptionsAllowed": allowed,
            "disruptedPods": dict.fromkeys(disrupted, "2026-01-01T00:00:00Z"),
        },
    }


def studied(*objects, vip=None):
    asked = session(*objects)
    decision = decide(asked, vip or pod("vip", cpu="4", priority=100))
    return study(asked.scheduler, decision), asked.cluster


@pytest.mark.parametrize(
    ("budgets", "told"),
    [
        pytest.param([], [], id="none"),
        pytest.param([budget("b", 1)], [("b", 1, False)], id="allowed"),
        pytest.param([budget("b", 0)], [("b", 1, True)], id="broken"),
        pytest.param([budget("b", 0), budget("c", 5)], [("b", 1, True), ("c", 1, False)], id="several"),
        pytest.param([budget("b", 0, disrupted=("v",))], [("b", 0, False)], id="disrupted already"),
        pytest.param([budget("b", 0, {"app": "other"})], [], id="of other pods"),
    ],
)
def test_budgets_of_a_victim(budgets, told):
    found, _ = studied(node("n1"), pod("v", "n1", cpu="1", labels=APP), budgets)
    (victim,) = found.cascade.victims
    charges = found.charges.get(victim.pod.id, ())
    assert [(charge.budget.name, charge.number, charge.broken) for charge in charges] == told
    assert victim.breaks_budget is any(broken for *_, broken in told)


def test_pods_that_are_spared_are_charged_too():
    pods = [pod("first", "n1", cpu="1", labels=APP, priority=9), pod("second", "n1", cpu="3", labels=APP)]
    found, cluster = studied(node("n1"), pods, budget("b", 1), vip=pod("vip", cpu="1", priority=100))
    numbers = {cluster.pods.records[p].name: c.number for p, (c,) in found.charges.items()}
    assert numbers == {"first": 1, "second": 2}
    assert [victim.pod.name for victim in found.cascade.victims] == ["first"]


@pytest.mark.parametrize(
    ("objects", "hindrance", "subject", "lower"),
    [
        pytest.param([node("x", cpu="2")], Hindrance.NOT_HELPFUL, "cpu", 0, id="too small"),
        pytest.param(
            [node("x", taints=["a=b:NoSchedule"])],
            Hindrance.NOT_HELPFUL,
            "taint a=b:NoSchedule is not tolerated",
            0,
            id="taint",
        ),
        pytest.param(
            [node("x"), pod("o", "x", cpu="4", priority=100)], Hindrance.NO_VICTIMS, None, 0, id="no victims"
        ),
        pytest.param(
            [node("x"), pod("o", "x", cpu="3", priority=100), pod("v", "x", cpu="1")],
            Hindrance.STILL_UNFIT,
            "cpu",
            1,
            id="still unfit",
        ),
    ],
)
def test_why_a_node_is_no_candidate(objects, hindrance, subject, lower):
    found, cluster = studied(node("n1"), pod("low", "n1", cpu="1"), objects)
    (obstacle,) = found.obstacles
    assert cluster.nodes.names[obstacle.row] == "x"
    assert (obstacle.hindrance, obstacle.lower) == (hindrance, lower)
    assert next((detail.subject for detail in obstacle.details), None) == subject


def test_a_node_that_the_eviction_itself_makes_unfit():
    term = {"topologyKey": HOST, "labelSelector": {"matchLabels": APP}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    vip = pod("vip", cpu="4", priority=100, affinity=affinity)
    found, _ = studied(node("n1"), pod("cache", "n1", cpu="1", labels=APP), vip=vip)
    (obstacle,) = found.obstacles
    assert (obstacle.hindrance, obstacle.status.plugin) == (Hindrance.UNFIT_BY_EVICTION, "InterPodAffinity")


def test_amounts_are_those_of_the_emptied_node():
    objects = [node("x"), pod("o", "x", cpu="3", priority=100), pod("v", "x", cpu="500m")]
    (detail,) = studied(objects)[0].obstacles[0].details
    assert (detail.needs, detail.free, detail.total) == (4000, 1000, 4000)


@pytest.mark.parametrize(
    "vip",
    [
        pytest.param(pod("vip", cpu="1", priority=100), id="fits anyway"),
        pytest.param(pod("vip", cpu="4", priority=100, preemptionPolicy="Never"), id="may not"),
    ],
)
def test_nothing_to_study(vip):
    found, _ = studied(node("n1"), pod("v", "n1", cpu="1"), vip=vip)
    assert (found.charges, found.obstacles, found.cascade) == ({}, (), None)
