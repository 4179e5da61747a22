"""What is suggested for one pod in a cluster of a few nodes."""

from __future__ import annotations

import pytest
from advice_scratch import holds
from builders import ZONE, made, node, pod, session

from kschedctl.advice.commands import PodHome, commands_of
from kschedctl.advice.costs import costs_of
from kschedctl.advice.limits import FULL
from kschedctl.advice.measure import Reference
from kschedctl.advice.search import suggestions
from kschedctl.errors import UnsupportedError, UsageError
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.options import TieBreak
from kschedctl.whatif.judgement.explain import judging

_REPLICA_SET = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_SPREAD = {
    "maxSkew": 1,
    "topologyKey": ZONE,
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "web"}},
}


def _suggested(objects, candidate, **more):
    loaded = session(objects, every_failure=True)
    with judging(loaded, made(candidate)) as decision:
        found = suggestions(loaded, made(candidate), decision, **more)
    assert all(holds(objects, candidate, one, loaded) for one in found)
    return found


def _texts(objects, candidate):
    return [one.text for one in _suggested(objects, candidate, limits=FULL)]


@pytest.mark.parametrize(
    ("objects", "candidate", "expected"),
    [
        pytest.param(
            [node("n1", cpu="2"), pod("p", "n1", cpu="500m")],
            pod("new", cpu="2"),
            "cpu request <= 1.5",
            id="request",
        ),
        pytest.param([node("n1", cordoned=True)], pod("new"), "n1 uncordoned", id="cordon"),
        pytest.param(
            [node("n1", taints=["a=b:NoSchedule"])],
            pod("new"),
            "taint a=b:NoSchedule tolerated",
            id="toleration",
        ),
        pytest.param(
            [node("n1", taints=["a=b:NoSchedule"])],
            pod("new"),
            "taint a=b:NoSchedule removed from n1",
            id="taint",
        ),
        pytest.param(
            [node("n1", taints=["node.cloudprovider.kubernetes.io/uninitialized:NoSchedule"])],
            pod("new"),
            "n1 without taint node.cloudprovider.kubernetes.io/uninitialized:NoSchedule",
            id="a taint that stands for a fault",
        ),
        pytest.param(
            [node("n1")], pod("new", nodeSelector={"disk": "ssd"}), "n1 labelled disk=ssd", id="label"
        ),
        pytest.param(
            [node("n1")],
            pod("new", nodeSelector={"disk": "ssd"}),
            "nodeSelector disk=ssd dropped",
            id="selector",
        ),
        pytest.param(
            [node("n1", "a"), node("n2", "b", cordoned=True), pod("p", "n1", labels={"app": "web"})],
            pod("new", labels={"app": "web"}, topologySpreadConstraints=[_SPREAD]),
            f"maxSkew >= 2 for the spread over {ZONE}",
            id="maxSkew",
        ),
        pytest.param(
            [node("n1", cpu="2"), pod("going", "n1", cpu="2", terminating=True)],
            pod("new", cpu="2"),
            "default/going is gone from n1 (terminating now)",
            id="waiting is enough",
        ),
        pytest.param(
            [node("n1", cpu="2"), node("n2", cpu="1"), pod("p", "n1", cpu="1", owner=_REPLICA_SET)],
            pod("new", cpu="2"),
            "default/p moved off n1",
            id="a pod moved",
        ),
        pytest.param(
            [
                node("n1", cpu="2"),
                {
                    "apiVersion": "scheduling.k8s.io/v1",
                    "kind": "PriorityClass",
                    "metadata": {"name": "high"},
                    "value": 10,
                },
                pod("p", "n1", cpu="2"),
            ],
            pod("new", cpu="2"),
            "priority class high (10)",
            id="priority",
        ),
        pytest.param(
            [node("n1", cpu="2"), pod("p", "n1", cpu="2")],
            pod("new", cpu="2"),
            "one more node like n1",
            id="new node",
        ),
    ],
)
def test_single_changes(objects, candidate, expected):
    assert expected in _texts(objects, candidate)


def test_a_pod_that_names_its_node_is_not_taken_to_another_one():
    objects = [node("n1", cordoned=True), node("n2")]
    assert _texts(objects, pod("new", "n1"))[:2] == ["n1 uncordoned", "nodeName n1 dropped"]


def test_of_equal_nodes_that_one_is_told_that_is_taken_when_it_is_asked_anew():
    """The search for the pod itself looked at a single node, so that the next one would begin at the second."""
    fields = [{"key": "metadata.name", "operator": "In", "values": ["n3"]}]
    terms = [{"matchFields": fields, "matchExpressions": [{"key": "disk", "operator": "Exists"}]}]
    required = {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": terms}}}
    disk = {"disk": "ssd"}
    objects = [node("n1", labels=disk), node("n2", labels=disk), node("n3", labels=disk, cordoned=True)]
    candidate = made(pod("new", affinity=required))
    loaded = session(objects, every_failure=True, tie_break=TieBreak.UPSTREAM)
    with judging(loaded, candidate) as decision:
        found = suggestions(loaded, candidate, decision)
    assert {one.text: one.proof.node for one in found}["node affinity metadata.name In [n3] dropped"] == "n1"


def test_a_change_of_which_the_outcome_is_not_evaluated_is_no_proof(monkeypatch):
    def panics(*_, **__):
        raise UnsupportedError("kube-scheduler of this version ends in a panic here")

    loaded = session([node("n1", cordoned=True)], every_failure=True)
    candidate = made(pod("new"))
    with judging(loaded, candidate) as decision:
        monkeypatch.setattr(Scheduler, "decide", panics)
        assert suggestions(loaded, candidate, decision) == []


def test_what_the_api_server_adds_is_dropped_where_it_comes_from():
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "boxed"},
        "handler": "x",
        "scheduling": {"nodeSelector": {"box": "yes"}},
    }
    found = _texts([node("n1"), runtime], pod("new", runtimeClassName="boxed", nodeSelector={"disk": "ssd"}))
    assert "nodeSelector disk=ssd dropped and runtimeClassName boxed dropped" in found

    container = {"name": "main", "image": "x", "ports": [{"containerPort": 80}]}
    taken = {"name": "main", "image": "x", "ports": [{"containerPort": 80, "hostPort": 80}]}
    objects = [node("n1"), pod("p", "n1", containers=[taken])]
    found = _texts(objects, pod("new", hostNetwork=True, containers=[container]))
    assert "hostNetwork dropped (port 80/TCP)" in found


def _term(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        pytest.param([_term("gen", "Gt", "5")], "node affinity gen Gt 2", id="greater than"),
        pytest.param([_term("gen", "Gt", "1.5")], "node affinity gen Gt 1", id="greater than a fraction"),
        pytest.param([_term("gen", "Lt", "1")], "node affinity gen Lt 4", id="less than"),
        pytest.param(
            [_term("gen", "In", "5"), _term("disk", "Exists")],
            "required node affinity (all 2 terms of it) dropped",
            id="several terms",
        ),
    ],
)
def test_node_affinity(terms, expected):
    required = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    }
    assert expected in _texts([node("n1", labels={"gen": "3"})], pod("new", affinity=required))


def test_terms_of_both_kinds_of_pod_affinity_go_together():
    def term(app):
        selector = {"matchLabels": {"app": app}}
        return {_REQUIRED: [{"topologyKey": ZONE, "labelSelector": selector, "namespaces": ["other"]}]}

    objects = [node("n1", "a"), pod("p", "n1", labels={"app": "db"}, namespace="other")]
    found = _texts(objects, pod("new", affinity={"podAffinity": term("web"), "podAntiAffinity": term("db")}))
    assert any("affinity to app=web" in text and "anti-affinity to app=db" in text for text in found)


def test_a_fault_is_not_to_be_tolerated():
    found = _texts([node("n1", taints=["node.kubernetes.io/not-ready:NoSchedule"])], pod("new"))
    assert found == ["n1 without taint node.kubernetes.io/not-ready:NoSchedule", "one more node like n1"]


def test_two_changes_where_one_is_not_enough():
    found = _suggested([node("n1", cpu="2", cordoned=True)], pod("new", cpu="3"))
    assert found[0].text == "cpu request <= 2 and n1 uncordoned"
    assert found[0].proof.node == "n1"


def test_no_change_that_is_not_needed():
    objects = [node("n1", cpu="2", cordoned=True), node("n2", cpu="1")]
    assert _texts(objects, pod("new", cpu="3")) == ["cpu request <= 1", "cpu request <= 2 and n1 uncordoned"]


def test_a_pod_that_moves_is_told_with_its_place():
    objects = [node("n1", cpu="2"), node("n2", cpu="1"), pod("p", "n1", cpu="1", owner=_REPLICA_SET)]
    found = next(
        one
        for one in _suggested(objects, pod("new", cpu="2"), limits=FULL)
        if one.text.endswith("moved off n1")
    )
    (move,) = found.proof.moves
    assert (move.pod, move.source, move.target) == ("default/p", "n1", "n2")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({}, {"containers/0": "500m"}, id="one container"),
        pytest.param(
            {"initContainers": [{"name": "init", "image": "x", "resources": {"requests": {"cpu": "3"}}}]},
            {"containers/0": "500m", "initContainers/0": "500m"},
            id="an init container asks for more",
        ),
        pytest.param(
            {
                "initContainers": [
                    {
                        "name": "side",
                        "image": "x",
                        "restartPolicy": "Always",
                        "resources": {"requests": {"cpu": "100m"}},
                    }
                ]
            },
            {"containers/0": "400m"},
            id="a sidecar is counted beside",
        ),
        pytest.param(
            {"initContainers": [{"name": "init", "image": "x", "resources": {"requests": {"cpu": "2"}}}]},
            {"containers/0": "500m", "initContainers/0": "500m"},
            id="an init container asks for as much",
        ),
    ],
)
def test_who_gives_up_the_request(spec, expected):
    objects = [node("n1", cpu="1"), pod("p", "n1", cpu="500m")]
    found = _suggested(objects, pod("new", cpu="2", **spec))
    operations = {o["path"]: o["value"] for o in found[0].changes[0].edits[0].operations}
    assert operations == {f"/spec/{where}/resources/requests/cpu": to for where, to in expected.items()}


@pytest.mark.parametrize(
    ("home", "begin"),
    [
        pytest.param(
            PodHome(Reference("Pod", "x", "p"), "pod.yaml"), "kubectl patch --local -f pod.yaml", id="file"
        ),
        pytest.param(
            PodHome(Reference("Deployment", "x", "web")), "kubectl patch deployment web -n x", id="workload"
        ),
        pytest.param(
            PodHome(Reference("Pod", "x", "p")), "kubectl patch pod p -n x", id="tolerations may be added"
        ),
    ],
)
def test_commands(home, begin):
    (found, *_) = _suggested([node("n1", taints=["a:NoSchedule"])], pod("new"))
    (command,) = commands_of(found, home)
    assert command.startswith(begin)
    assert not home.needs_new_pod(found)


def test_other_fields_of_a_pod_that_is_there_need_a_new_pod():
    found = _suggested([node("n1", "a")], pod("new", nodeSelector={ZONE: "b"}))
    home = PodHome(Reference("Pod", "default", "new"))
    assert home.needs_new_pod(found[0])
    assert "kubectl replace --force" in commands_of(found[0], home)[0]


def test_a_pod_that_fits_gets_none():
    assert not _suggested([node("n1")], pod("new"))


def test_other_costs_make_another_order():
    objects, candidate = [node("n1", taints=["a:NoSchedule"])], pod("new")
    costs = costs_of({"taint": 0.1}, "costs.yaml")
    assert _suggested(objects, candidate, costs=costs)[0].text == "taint a:NoSchedule removed from n1"


@pytest.mark.parametrize("data", [["taint"], {"tant": 1}, {"taint": "much"}, {"taint": -1}, {"taint": True}])
def test_costs_that_are_none(data):
    with pytest.raises(UsageError):
        costs_of(data, "costs.yaml")


def test_a_pod_is_not_told_first_to_do_without_its_devices():
    """What asks for an accelerator runs on it: fewer of them, on a tainted node, come before none."""
    gpu = "nvidia.com/gpu"
    objects = [
        node("gpu-1", taints=[f"{gpu}=true:NoSchedule"], more={gpu: "4"}),
        pod("train", "gpu-1", more={gpu: "3"}),
        node("cpu-1"),
    ]
    texts = _texts(objects, pod("infer", more={gpu: "2"}))

    dropped = f"no {gpu} requested"
    assert dropped in texts
    assert texts.index(dropped) > texts.index(f"{gpu} request <= 1 and taint {gpu}=true:NoSchedule tolerated")


def test_of_a_claim_for_more_devices_than_a_claim_gets_only_what_it_can_get_is_tried():
    asked = {"name": "r", "exactly": {"deviceClassName": "any", "count": 2**31 - 1}}
    offered = {
        "driver": "d.example",
        "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
        "nodeName": "n1",
        "devices": [{"name": f"d{i}"} for i in range(30)],
    }
    kind = "resource.k8s.io/v1"
    objects = [
        node("n1", cpu="1"),
        {"apiVersion": kind, "kind": "DeviceClass", "metadata": {"name": "any"}, "spec": {}},
        {"apiVersion": kind, "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": offered},
        {
            "apiVersion": kind,
            "kind": "ResourceClaim",
            "metadata": {"name": "c", "namespace": "default"},
            "spec": {"devices": {"requests": [asked]}},
        },
    ]
    texts = _texts(objects, pod("train", cpu="2", resourceClaims=[{"name": "c", "resourceClaimName": "c"}]))

    assert texts[0] == "cpu request <= 1 and request r of claim c for 30 of 2147483647"
