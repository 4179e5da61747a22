"""What may surprise in an answer that is right."""

from __future__ import annotations

import pytest
from builders import HOST, decide, node, pod, profile, session

from kschedctl.reports.explain.surprises import surprises

_SPREAD = {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule"}
_TOLERATES = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]


def _told(objects, candidate, **more):
    return surprises(decide(session(objects, every_failure=True, **more), candidate))


@pytest.mark.parametrize(
    ("objects", "candidate", "text"),
    [
        pytest.param(
            [node("n1", cordoned=True)],
            pod("new", tolerations=_TOLERATES),
            "n1 is cordoned, and the pod tolerates that",
            id="cordoned",
        ),
        pytest.param(
            [node("n1"), node("n2")],
            pod("new", topologySpreadConstraints=[_SPREAD]),
            f"the spread over {HOST} has no labelSelector: it counts no pod, and decides nothing",
            id="a constraint without a selector",
        ),
        pytest.param(
            [node("n1"), node("n2")],
            pod("new", topologySpreadConstraints=[_SPREAD | {"labelSelector": {}}]),
            f"the spread over {HOST} has an empty labelSelector: it counts no pod, and decides nothing",
            id="a constraint with an empty selector",
        ),
        pytest.param(
            [node("n1", capacity={"x.io/gpu": "4"}, more={"x.io/gpu": "0"})],
            pod("new", more={"x.io/gpu": "1"}),
            "n1 has 4 x.io/gpu in its capacity, of which 0 can be allocated: what offers it there may be down, or "
            "keeps it for the system",
            id="in capacity alone",
        ),
        pytest.param(
            [node("n1", images=[{"names": ["app:latest"], "sizeBytes": 1000}]), node("n2")],
            pod("new"),
            "image app is on some node and counts 0: its size, times the share of nodes that have it, is below the "
            "threshold",
            id="an image that is too small",
        ),
        pytest.param(
            [node("n1")],
            pod("new", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "big"}]),
            "claim gpu is to be made from ResourceClaimTemplate default/big, which is not there: the pod stays gated "
            "until somebody creates it",
            id="a template of claims that is not there",
        ),
        pytest.param(
            [node("n1"), node("n2")],
            pod("new", more={"x.io/gpu": "1"}),
            "no node has x.io/gpu: the device plugin that offers it runs nowhere, or it is called otherwise",
            id="a resource that no node has",
        ),
        pytest.param(
            [node("n1", more={"x.io/gpu.shared": "1"})],
            pod("new", more={"x.io/gpu": "1"}),
            "no node has x.io/gpu: the device plugin that offers it runs nowhere, or it is called otherwise; nodes "
            "offer x.io/gpu.shared",
            id="a resource of another name",
        ),
        pytest.param(
            [node("n1", labels={"pool": "worker"}), node("n2")],
            pod("new", nodeSelector={"pool": "Worker"}),
            "no node has the label pool=Worker; some have pool=worker",
            id="a value much like another one",
        ),
        pytest.param(
            [node("n1", labels={"node-pool": "a"})],
            pod("new", nodeSelector={"nodepool": "a"}),
            "no node has the label nodepool; some have node-pool",
            id="a label much like another one",
        ),
        pytest.param(
            [node("n1", labels={"pool": "worker"})],
            pod("new", nodeSelector={"pool": "batch"}),
            None,
            id="another value",
        ),
        pytest.param([node("n1"), node("n2")], pod("new"), None, id="nothing"),
    ],
)
def test_surprises(objects, candidate, text):
    assert _told(objects, candidate) == ([] if text is None else [text])


def test_a_strategy_that_scores_nothing_the_pod_asks_for():
    args = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "x.io/gpu", "weight": 1}]}}
    config = profile("NodeResourcesFit", args)
    (told,) = _told([node("n1"), node("n2")], pod("new", cpu="1"), config=config)
    assert (
        told
        == "all nodes get 0 points from NodeResourcesFit: the pod asks for none of what it scores (x.io/gpu)"
    )


def test_constraints_of_the_configuration():
    args = {
        "defaultingType": "List",
        "defaultConstraints": [{"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "ScheduleAnyway"}],
    }
    (told,) = _told([node("n1"), node("n2")], pod("new"), config=profile("PodTopologySpread", args))
    assert told.endswith(f"those of the scheduler's configuration count ({HOST})")


_WEB = {"app": "web"}
_SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"selector": _WEB},
}


def test_the_spread_of_the_cluster_s_defaults():
    objects = [
        node("n1", cpu="8"),
        node("n2"),
        pod("web-0", "n1", cpu="1", memory="1Gi", labels=_WEB),
        _SERVICE,
    ]
    (told,) = _told(objects, pod("new", cpu="1", memory="1Gi", labels=_WEB))
    assert told == (
        "the pod has no spread constraint of its own: the defaults of the cluster spread it, as a wish, over "
        f"{HOST} and topology.kubernetes.io/zone among the pods of its services and its controller"
    )


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([node("n1"), node("n2"), _SERVICE], id="nothing to spread among"),
        pytest.param(
            [node("n1"), node("n2"), pod("web-0", "n1", cpu="1", memory="1Gi", labels=_WEB)], id="no service"
        ),
    ],
)
def test_defaults_that_decide_nothing_are_not_told(objects):
    assert _told(objects, pod("new", cpu="1", memory="1Gi", labels=_WEB)) == []


def _added(**affinity):
    return profile("NodeAffinity", {"addedAffinity": affinity})


_POOL_A = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}


def test_affinity_that_the_profile_adds():
    objects = [node("n1", labels={"pool": "a"}), node("n2"), node("n3")]
    config = _added(requiredDuringSchedulingIgnoredDuringExecution={"nodeSelectorTerms": [_POOL_A]})
    assert _told(objects, pod("new"), config=config) == [
        "the scheduler profile adds a node affinity to every pod, pool In [a], which closes 2 of 3 nodes"
    ]
    assert _told(objects[:1], pod("new"), config=config) == []


def test_a_wish_that_the_profile_adds():
    objects = [node("n1", labels={"pool": "a"}), node("n2")]
    wish = {"weight": 7, "preference": _POOL_A}
    config = _added(preferredDuringSchedulingIgnoredDuringExecution=[wish])
    assert _told(objects, pod("new"), config=config) == [
        "the scheduler profile adds a wish to every pod: nodes with pool In [a] (weight 7)"
    ]


def test_what_is_assumed_and_decides_nothing():
    objects = [node("n1"), node("n2"), pod("idle", "n1"), pod("busy", "n1", cpu="1", memory="1Gi")]
    assert _told(objects, pod("new", cpu="1", memory="1Gi")) == []


def test_what_scores_assume_of_containers_without_requests():
    idle = [pod(f"idle-{i}", "n1") for i in range(10)]
    (told,) = _told([node("n1"), node("n2"), *idle], pod("new", cpu="1", memory="1Gi"))
    assert told == (
        "containers without requests count in scores (not in what fits) as 0.1 cpu and 200Mi each: none on n2, "
        "1 cpu and 2Gi on n1, which decides"
    )
