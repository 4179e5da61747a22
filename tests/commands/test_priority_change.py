"""`--priority`: pods as if their class had been another one all the time, whatever is asked."""

from __future__ import annotations

import json

import pytest
from builders import node, pod

_URGENT = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "urgent"},
    "value": 1000,
    "preemptionPolicy": "Never",
}
_HIGH = _URGENT | {"metadata": {"name": "high"}, "value": 2000, "preemptionPolicy": "PreemptLowerPriority"}
_OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "batch"}
_BATCH = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "batch", "namespace": "default", "uid": "u"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "b"}},
        "template": {
            "metadata": {"labels": {"app": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
        },
    },
}
_CLUSTER = [
    node("n1", cpu="1"),
    _URGENT,
    _HIGH,
    _BATCH,
    pod("batch-1", "n1", labels={"app": "b"}, cpu="1", owner=_OWNER),
    pod("waits", cpu="1"),
]


@pytest.fixture
def asked(run, tmp_path):
    def ask(verb, *arguments, manifests=()):
        cluster, release = tmp_path / "cluster.json", tmp_path / "release.json"
        cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": _CLUSTER}))
        release.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(manifests)}))
        files = ["-f", str(release)] if manifests else []
        return run(verb, *arguments, *files, "-c", str(cluster))

    return ask


@pytest.mark.parametrize(
    ("verb", "arguments", "manifests", "told"),
    [
        pytest.param(
            "preempt",
            ["pod/waits", "--priority", "pod/waits=high"],
            [],
            "preempting 1 pod on n1 makes room",
            id="a pending pod",
        ),
        pytest.param(
            "preempt",
            ["pod/waits", "--priority", "pod/waits=urgent"],
            [],
            "may not preempt",
            id="by the policy of its class",
        ),
        pytest.param(
            "preempt", ["pod/waits", "--priority", "pod/waits=5"], [], "makes room", id="a plain number"
        ),
        pytest.param(
            "explain",
            ["--priority", "pod/new=high"],
            [pod("new", cpu="1")],
            "preemption helps on n1 (1 victim)",
            id="a candidate of a manifest",
        ),
        pytest.param(
            "preempt",
            ["--priority", "replicaset/batch=-5"],
            [pod("new", cpu="1")],
            "default/batch-1 -5",
            id="the pods of a workload, where they run",
        ),
        pytest.param(
            "simulate",
            ["--priority", "pod/new=high"],
            [pod("new", cpu="1")],
            "1 running pod preempted",
            id="in a simulation",
        ),
    ],
)
def test_pods_under_another_priority(asked, verb, arguments, manifests, told):
    done = asked(verb, *arguments, manifests=manifests)
    assert done.err == ""
    text = " ".join(done.out.split())
    assert told in text
    assert f"after priority {arguments[-1]}" in text


@pytest.mark.parametrize(
    ("change", "manifests", "problem"),
    [
        pytest.param("pod/waits=higher", [], "there is no PriorityClass higher", id="no such class"),
        pytest.param("pod/wait=high", [], "there is no Pod wait in namespace default", id="no such pod"),
        pytest.param(
            "pod/other=high", [pod("new")], "there is no Pod other in namespace default", id="nor there"
        ),
        pytest.param("node/n1=high", [], "is neither a pod nor a workload", id="no pod at all"),
        pytest.param("pod/waits=", [], "it names no priority class", id="no class"),
        pytest.param(
            "pod/waits=9999999999", [], "is beyond the priorities that a class may have", id="too high"
        ),
    ],
)
@pytest.mark.parametrize("verb", ["explain", "preempt", "simulate"])
def test_what_cannot_be(asked, verb, change, manifests, problem):
    done = asked(verb, "--priority", change, manifests=manifests)
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
