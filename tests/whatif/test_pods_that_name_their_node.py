"""Pods that name their node: bound as they are made, admitted or refused by the kubelet of that node."""

import pytest

from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.changes import Cordon, DrainNodes, RemoveNode

from .builders import CONFIGURATION, node, nodes_of, objects, placements, pod, replica, run, workload


def refusals(found):
    """Pod -> why its kubelet refuses it, without the default namespace."""
    return {task.name.removeprefix("default/"): str(task.refusal) for task in found.refused}


def test_the_ninth_of_nine_is_refused_over_and_over():
    release = workload("Deployment", "web", 9, cpu="500m", pod={"nodeName": "n0"})
    found = run([node("n0"), node("n1")], manifests=[release])

    assert nodes_of(found, "Deployment/web") == [None, *["n0"] * 8]
    assert list(refusals(found).values()) == ["OutOfcpu: cpu: needs 0.5, free 0 of 4"]
    assert found.pending == []


@pytest.mark.parametrize(
    ("there", "asked", "refusal"),
    [
        pytest.param({}, {}, None, id="admitted"),
        pytest.param({"cordoned": True}, {}, None, id="a cordon is the scheduler's"),
        pytest.param({"taints": ["a=b:NoSchedule"]}, {}, None, id="so are other taints"),
        pytest.param({"cpu": "1"}, {"cpu": "2"}, "OutOfcpu: cpu: needs 2, free 1 of 1", id="cpu"),
        pytest.param({"memory": "1Gi"}, {"memory": "2Gi"}, "OutOfmemory: memory: needs 2Gi, ", id="memory"),
        pytest.param({"pods": "0"}, {}, "OutOfpods: pods: 0 of 0 are there", id="pods"),
        pytest.param(
            {"pods": "0", "cpu": "1"}, {"cpu": "2"}, "OutOfpods", id="the number of pods is looked at first"
        ),
        pytest.param(
            {"more": {"example.com/gpu": "1"}},
            {"more": {"example.com/gpu": "2"}},
            "OutOfexample.com/gpu: example.com/gpu: needs 2, ",
            id="a device plugin's resource",
        ),
        pytest.param(
            {}, {"more": {"example.com/gpu": "2"}}, None, id="a resource that the node does not know"
        ),
        pytest.param({}, {"nodeSelector": {"disk": "ssd"}}, "NodeAffinity: ", id="selector"),
        pytest.param(
            {"taints": ["a=b:NoExecute"]},
            {},
            "TaintToleration: taint a=b:NoExecute is not tolerated",
            id="NoExecute",
        ),
        pytest.param(
            {"taints": ["a:NoExecute"]},
            {"tolerations": [{"key": "a", "operator": "Exists"}]},
            None,
            id="a tolerated taint",
        ),
    ],
)
def test_what_a_kubelet_looks_at(there, asked, refusal):
    found = run([node("n0", **there)], manifests=[pod("p", nodeName="n0", **asked)])

    if refusal is None:
        assert (placements(found), found.refused) == ({"p": "n0"}, [])
    else:
        assert refusals(found)["p"].startswith(refusal)


def test_host_ports_are_looked_at():
    ports = {"containers": [{"name": "c", "image": "a", "ports": [{"containerPort": 8080, "hostPort": 80}]}]}
    found = run([node("n0"), pod("old", "n0", **ports)], manifests=[pod("p", nodeName="n0", **ports)])

    assert refusals(found) == {"p": "NodePorts: port 80/TCP held by default/old"}


def test_a_node_that_is_not_there():
    found = run([node("n0")], manifests=[pod("p", nodeName="n9")])

    assert refusals(found) == {"p": "NodeNotFound: node n9 is not in the cluster"}


def test_they_are_there_before_the_scheduler_has_its_turn():
    found = run([node("n0"), pod("first", cpu="4")], manifests=[pod("p", nodeName="n0", cpu="3")])

    assert placements(found) == {"first": None, "p": "n0"}


def test_bound_pods_count_where_they_overfill_their_node():
    cluster = [node("n0"), node("n1"), pod("a", "n0", cpu="3"), pod("b", "n0", cpu="3"), pod("c", cpu="1")]
    found = run(cluster)

    assert placements(found) == {"c": "n1"}
    assert found.after.total()["cpu"].requested == 7000


def test_a_refused_pod_holds_no_room():
    found = run([node("n0"), pod("q", cpu="4")], manifests=[pod("p", nodeName="n0", cpu="5")])

    assert placements(found) == {"q": "n0", "p": None}


def test_a_bare_pod_is_refused_once_and_one_with_a_controller_until_there_is_room():
    """The pod with priority evicts the victim, and leaves room beside it."""
    cluster = [node("n0"), pod("victim", "n0", cpu="4"), pod("large", cpu="1", priority=10)]
    bare = run(cluster, manifests=[pod("p", nodeName="n0", cpu="2")])
    owned = run(cluster, manifests=[workload("ReplicaSet", "web", 1, cpu="2", pod={"nodeName": "n0"})])

    assert refusals(bare) == {"p": "OutOfcpu: cpu: needs 2, free 0 of 4"}
    assert nodes_of(owned, "ReplicaSet/web") == ["n0"]
    assert owned.refused == []


NAMED = workload("ReplicaSet", "web", 1, cpu="1", pod={"nodeName": "n0"})


def test_successors_are_bound_where_the_template_says():
    cluster = [node("n0"), node("n1"), NAMED, replica("web-1", "n0", owner="web", cpu="1")]
    drained = run(cluster, DrainNodes("n0"))
    lost = run(cluster, RemoveNode("n0"))

    assert placements(drained) == {"web-1": "n0"}
    assert refusals(lost) == {"web-1": "NodeNotFound: node n0 is not in the cluster"}


def test_a_node_that_a_template_names_cannot_be_drained():
    cluster = [node("n0"), node("n1"), NAMED, replica("web-1", "n0", owner="web", cpu="1")]
    plan = drain(Session(objects(cluster), CONFIGURATION), SchedulingOptions(), ["n0"])

    assert [task.name for task in plan.returning] == ["default/web-1"]
    assert not plan.possible


def test_a_victim_of_preemption_returns_to_the_node_that_its_template_names():
    cluster = [node("n0", cpu="2"), node("n1"), NAMED, replica("web-1", "n0", owner="web", cpu="1")]
    asked = pod("vip", cpu="2", priority=10, nodeSelector={"kubernetes.io/hostname": "n0"})
    found = run([*cluster, asked])

    assert placements(found) == {"vip": "n0", "web-1": None}
    assert refusals(found) == {"web-1": "OutOfcpu: cpu: needs 1, free 0 of 2"}


def test_an_equal_pod_that_waits_is_not_judged_like_one_that_names_its_node():
    found = run(
        [node("n0", cpu="1"), node("n1")], manifests=[pod("p", nodeName="n0", cpu="2"), pod("q", cpu="2")]
    )

    assert placements(found) == {"p": None, "q": "n1"}


def test_a_cordoned_node_takes_them():
    found = run([node("n0")], Cordon("n0"), manifests=[pod("p", nodeName="n0")])

    assert placements(found) == {"p": "n0"}
