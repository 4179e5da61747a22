"""A few random clusters checked from outside in every run, and that the checks find what is wrong."""

import copy

import pytest

from .campaign import answers, asked
from .clusters import GPU, ZONE, RandomCluster
from .objects import HOST, Node, Pod
from .replay import simulation
from .state import State
from .verbs import drain
from .world import World

VERBS = ["simulate", "drain", "preempt", "capacity", "plan", "gate", "shrink"]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize("seed", [1000, 1001])
def test_random_clusters(tmp_path, seed):
    found = list(answers(seed, tmp_path, least=60, most=70))
    assert [answer.verb for answer in found] == VERBS
    assert [(answer.verb, answer.findings) for answer in found if answer.findings] == []


def node(name, zone="a", cpu="2", **spec):
    labels = {HOST: name, ZONE: zone}
    room = {"cpu": cpu, "memory": "4Gi", "pods": "3"}
    return Node.of(
        {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": {"allocatable": room}}
    )


def pod(name, on=None, *, cpu="500m", terminating=False, **spec):
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    container |= {key: spec.pop(key) for key in ("ports",) if key in spec}
    return Pod(
        "default", name, {"app": "web"}, {"containers": [container], **spec}, on, terminating=terminating
    )


def term(key):
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "web"}}}


def spread(skew, **more):
    constraint = {"maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule", **term(ZONE), **more}
    return {"topologySpreadConstraints": [constraint]}


def away(key=HOST):
    return {"affinity": {"podAntiAffinity": {REQUIRED: [term(key)]}}}


def near(key=ZONE):
    return {"affinity": {"podAffinity": {REQUIRED: [term(key)]}}}


def required(**parts):
    terms = {"nodeSelectorTerms": [{"matchExpressions": [parts]}]}
    return {"affinity": {"nodeAffinity": {REQUIRED: terms}}}


SOMEBODY = [pod("a", "n1")]
PORT = {"ports": [{"containerPort": 1, "hostPort": 80}]}


@pytest.mark.parametrize(
    ("there", "asked", "told"),
    [
        pytest.param([], pod("p"), [], id="an empty node"),
        pytest.param([], pod("p", cpu="2"), [], id="just enough"),
        pytest.param(SOMEBODY, pod("p", cpu="1501m"), ["cpu: 0.500 + 1.501 of 2"], id="cpu"),
        pytest.param(
            [pod(name, "n1", cpu="1m") for name in "abc"], pod("p"), ["pods: 3 + 1 of 3"], id="pods"
        ),
        pytest.param([], pod("p", nodeSelector={ZONE: "b"}), ["node selector or affinity"], id="selector"),
        pytest.param(
            [],
            pod("p", **required(key=ZONE, operator="NotIn", values=["a"])),
            ["node selector or affinity"],
            id="node affinity",
        ),
        pytest.param([pod("a", "n1", **PORT)], pod("p", **PORT), ["host ports [(80, 'TCP')]"], id="ports"),
        pytest.param(SOMEBODY, pod("p", **away()), ["anti-affinity to default/a"], id="anti-affinity"),
        pytest.param(
            [pod("a", "n1", **away())], pod("p"), ["anti-affinity of default/a"], id="anti-affinity of others"
        ),
        pytest.param(
            [pod("a", "n1", terminating=True)],
            pod("p", **away()),
            ["anti-affinity to default/a"],
            id="anti-affinity to one that ends",
        ),
        pytest.param([pod("a", "n2")], pod("p", **away()), [], id="anti-affinity elsewhere"),
        pytest.param(
            [pod("a", "n2")], pod("p", **near()), [f"affinity by {ZONE}"], id="affinity in another zone"
        ),
        pytest.param([], pod("p", **near()), [], id="affinity of the first"),
        pytest.param(SOMEBODY, pod("p", **spread(1)), [f"spread over {ZONE}: skew 2 of 1"], id="spread"),
        pytest.param(SOMEBODY, pod("p", **spread(2)), [], id="spread wide enough"),
        pytest.param(
            [pod("a", "n1", terminating=True)], pod("p", **spread(1)), [], id="spread without who ends"
        ),
        pytest.param(
            [*SOMEBODY, pod("b", "n2")],
            pod("p", **spread(1, minDomains=3)),
            [f"spread over {ZONE}: skew 2 of 1"],
            id="spread over too few domains",
        ),
    ],
)
def test_what_forbids_a_node(there, asked, told):
    state = State([node("n1", "a"), node("n2", "b")])
    for one in there:
        state.put(one.full_name, one)
    assert list(state.forbids(asked, "n1")) == told


@pytest.mark.parametrize(
    ("toleration", "told"),
    [
        pytest.param({}, ["taint gpu"], id="none"),
        pytest.param({"key": "gpu", "operator": "Exists"}, [], id="any value"),
        pytest.param({"key": "gpu", "value": "old"}, ["taint gpu"], id="another value"),
        pytest.param({"key": "gpu", "value": "new", "effect": "NoExecute"}, ["taint gpu"], id="effect"),
    ],
)
def test_taints(toleration, told):
    taint = {"key": "gpu", "value": "new", "effect": "NoSchedule"}
    state = State([node("n1", taints=[taint, {"key": "soft", "effect": "PreferNoSchedule"}])])
    assert list(state.forbids(pod("p", tolerations=[toleration] if toleration else []), "n1")) == told


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A cluster with a simulation of it."""
    return _asked_of(tmp_path_factory, lambda made: ["simulate", "release.json", "--timeline"])


@pytest.fixture(scope="module")
def drained(tmp_path_factory):
    """A cluster with a drain of nodes on which budgets hold pods back."""
    return _asked_of(tmp_path_factory, lambda made: ["drain", *made.nodes[:12], "--timeline", "--force"])


def _asked_of(factory, arguments):
    made = RandomCluster(1003, 60, 60)
    return made, asked(factory.mktemp("outside"), made, arguments(made))


def test_a_right_simulation(simulated):
    made, report = simulated
    assert list(simulation(World(made.objects, made.release), report)) == []


def scheduled(report):
    return next(event for event in report["timeline"] if event["event"] == "Scheduled")


def to_one_node(report, made):
    for event in report["timeline"]:
        if event["event"] == "Scheduled":
            event["node"] = made.nodes[0]


def to_a_tainted_node(report, made):
    tainted = (n for n in made.objects if n["kind"] == "Node" and GPU in n["status"]["allocatable"])
    for event in report["timeline"]:
        if event["event"] == "Scheduled" and "new0" in event["pod"]:
            event["node"] = next(tainted)["metadata"]["name"]


def forgotten(report, made):
    report["pods"].remove(next(one for one in report["pods"] if one["node"] is None))


def twice(report, made):
    report["pods"].append(report["pods"][0])


def elsewhere(report, made):
    first = next(one for one in report["pods"] if one["node"])
    first["node"] = next(name for name in made.nodes if name != first["node"])


@pytest.mark.parametrize(
    ("tamper", "told"),
    [
        pytest.param(to_one_node, "may not come to", id="all on one node"),
        pytest.param(to_a_tainted_node, "taint gpu", id="a taint"),
        pytest.param(forgotten, "without a node, and wants", id="a pod that is lost"),
        pytest.param(twice, "is reported 2 times", id="a pod that is there twice"),
        pytest.param(elsewhere, "are said to be on", id="another node in the timeline"),
    ],
)
def test_a_simulation_that_was_changed(simulated, tamper, told):
    made, report = simulated
    report = copy.deepcopy(report)
    tamper(report, made)
    found = list(simulation(World(made.objects, made.release), report))
    assert any(told in text for text in found), found


def test_budgets_by_wave(drained):
    made, report = drained
    assert list(drain(World(made.objects), report)) == []
    assert report["waves"] > 1
    at_once = copy.deepcopy(report)
    for one in at_once["pods"]:
        one["wave"] = one["wave"] and 1
    found = list(drain(World(made.objects), at_once))
    assert any("of budget" in text for text in found), found
