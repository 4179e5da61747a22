"""Pods that are placed and yet may not be made, or not be started: told by every verb that places pods."""

import json

import pytest
from builders import node, pod

from kschedctl import Cluster, DrainQuestion, SimulationQuestion, drain, explain, simulate

MOUNTED = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
    "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "pv"},
}
VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "pv"},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "claimRef": {"name": "data", "namespace": "default"},
        "csi": {"driver": "d", "volumeHandle": "h"},
    },
}
NAMESPACE = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "default", "annotations": {"openshift.io/node-selector": "a=b"}},
}
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "old"}


@pytest.fixture
def cluster(tmp_path):
    objects = [
        node("n1", cpu="1"),
        node("n2"),
        pod("old", "n1", owner=OWNER, volumes=MOUNTED),
        *(CLAIM, VOLUME, NAMESPACE),
    ]
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return Cluster.load(str(path))


@pytest.fixture
def manifests(tmp_path):
    path = tmp_path / "new.json"
    pods = [pod(name, cpu="1500m", volumes=MOUNTED) for name in ("new-1", "new-2")]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    return [str(path)]


def told(summary):
    codes = [caveat.code for caveat in summary.caveats]
    return codes.count("multi-attach"), codes.count("namespace-node-selector")


def test_explain(cluster, manifests):
    assert [told(answer.cluster) for answer in explain(cluster, *manifests)] == [(1, 1), (1, 1)]


def test_simulate_tells_a_claim_once(cluster, manifests):
    answer = simulate(cluster, SimulationQuestion(manifests=manifests))
    assert answer.placed == 2
    assert told(answer.cluster) == (1, 1)


def test_a_drained_pod_takes_its_claim_along(cluster):
    answer = drain(cluster, DrainQuestion(nodes=["n1"]))
    assert answer.possible
    assert told(answer.cluster) == (0, 1)
