"""Why pods stay pending, group by group."""

import json

import pytest
from builders import node, pod

from kschedctl import SimulationQuestion, simulate
from kschedctl.questions.cluster import Cluster


def written(path, *data):
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(data)}))
    return str(path)


def asking(kind, replicas=None, **requests):
    """A workload whose pods ask for some resources."""
    container = {"name": "c", "image": "app", "resources": {"requests": requests}}
    template = {"metadata": {"labels": {"app": "w"}}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": {"app": "w"}}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "w"},
        "spec": spec | ({"replicas": replicas} if replicas else {}),
    }


NODES = [
    node("n1", cpu="1"),
    node("n2", cpu="1500m"),
    node("n3", memory="1Gi"),
    node("n4", cpu="4"),
]


@pytest.mark.parametrize(
    ("workload", "groups"),
    [
        (
            asking("DaemonSet", cpu="2", memory="2Gi"),
            [
                (2, {"cpu: needs 2, these nodes have 1 to 1.5 in all": ["n1", "n2"]}),
                (1, {"memory: needs 2Gi, the node has 1Gi in all": ["n3"]}),
            ],
        ),
        (
            asking("ReplicaSet", 2, cpu="5"),
            [(2, {"cpu: needs 5, these nodes have 1 to 4 in all": ["n1", "n2", "n3", "n4"]})],
        ),
    ],
    ids=["daemons are judged by their own nodes", "others by all"],
)
def test_reasons_are_those_of_the_nodes_that_matter(workload, groups, tmp_path):
    cluster = Cluster.load(written(tmp_path / "cluster.json", *NODES))
    found = simulate(cluster, SimulationQuestion(manifests=[written(tmp_path / "workload.json", workload)]))

    assert [(len(g.pods), {r.text: r.nodes for r in g.reasons}) for g in found.pending] == groups


def lonely(name, cpu, **more):
    return pod(name, cpu=cpu, labels={"name": name}, **more)


@pytest.mark.parametrize(
    ("pods", "told"),
    [
        pytest.param(
            [lonely(f"p{i}", "9") for i in range(1003)],
            [("Pod/p0", 1003, 1003)],
            id="a thousand equal pods, each with its name",
        ),
        pytest.param(
            [lonely("a", "9"), lonely("b", "8"), lonely("c", "9")],
            [("Pod/a", 2, 2), ("Pod/b", 1, 1)],
            id="two shapes",
        ),
        pytest.param(
            [lonely("a", "9"), lonely("b", "9", namespace="other")],
            [("Pod/a", 1, 1), ("other/Pod/b", 1, 1)],
            id="two namespaces",
        ),
        pytest.param(
            [lonely("a", "9", nodeSelector={"x": "1"}), lonely("b", "9", nodeSelector={"x": "2"})],
            [("Pod/a", 1, 1), ("Pod/b", 1, 1)],
            id="the same event for other reasons",
        ),
    ],
)
def test_pods_that_wait_for_the_same_are_one_group(pods, told, tmp_path):
    cluster = Cluster.load(written(tmp_path / "cluster.json", *NODES, *pods))
    found = simulate(cluster)

    assert [(g.workload, g.workloads, len(g.pods)) for g in found.pending] == told
