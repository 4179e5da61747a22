"""Feature gates that decide are named, with what the answer is when they are set otherwise."""

from __future__ import annotations

import json

import pytest
from builders import node, pod

_LEVEL = {"key": "level", "operator": "Gt", "value": "3", "effect": "NoSchedule"}
_TAINTED = node("n1", taints=["level=5:NoSchedule"])


@pytest.fixture
def told(run, tmp_path):
    """What is said of a pod beside its answer."""

    def explained(objects, candidate, *options):
        cluster, manifest = tmp_path / "cluster.json", tmp_path / "pod.json"
        cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        manifest.write_text(json.dumps(candidate))
        done = run("explain", str(manifest), "-c", str(cluster), "-o", "json", *options)
        return json.loads(done.out)["surprises"]

    return explained


def _claim(name):
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": name,
            "namespace": "default",
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {"volumeName": "v", "accessModes": ["ReadWriteOnce"], "storageClassName": ""},
        "status": {"phase": "Bound"},
    }


_VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "v"},
    "spec": {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "csi": {"driver": "d.example", "volumeHandle": "h"},
        "claimRef": {"name": "c", "namespace": "default"},
    },
    "status": {"phase": "Bound"},
}
_DRIVER = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "CSIDriver",
    "metadata": {"name": "d.example"},
    "spec": {"preventPodSchedulingIfMissing": True},
}


def _csi_node(name, *drivers):
    found = [{"name": d, "nodeID": name, "topologyKeys": [], "allocatable": {"count": 3}} for d in drivers]
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": name},
        "spec": {"drivers": found},
    }


_USES = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]


def test_a_gate_without_which_the_api_server_refuses(told):
    candidate = pod("new", tolerations=[_LEVEL])
    assert told([_TAINTED], candidate, "--kubernetes-version", "1.36") == [
        "feature gate TaintTolerationComparisonOperators decides: it is off by default in 1.36; with it on the pod "
        "goes to n1 (--feature-gates TaintTolerationComparisonOperators=true)"
    ]


def test_a_gate_that_chooses_another_node(told):
    objects = [
        node("n1"),
        node("n2"),
        _csi_node("n1"),
        _csi_node("n2", "d.example"),
        _claim("c"),
        _VOLUME,
        _DRIVER,
    ]
    told_in = {
        version: told(objects, pod("new", volumes=_USES), "--kubernetes-version", version)
        for version in ("1.36", "1.37")
    }
    assert told_in["1.36"][-1] == (
        "feature gate VolumeLimitScaling decides: it is off by default in 1.36; with it on the pod goes to n2 "
        "(--feature-gates VolumeLimitScaling=true)"
    )
    assert "it is on by default in 1.37; with it off the pod goes to n1 or n2" in told_in["1.37"][-1]


@pytest.mark.parametrize(
    "candidate",
    [
        pytest.param(pod("new"), id="a pod that touches none"),
        pytest.param(pod("new", volumes=_USES), id="a pod to which it makes no difference"),
    ],
)
def test_gates_that_decide_nothing_are_not_told(told, candidate):
    objects = [node("n1"), _csi_node("n1", "d.example"), _claim("c"), _VOLUME, _DRIVER]
    assert told(objects, candidate) == []


def test_that_a_cluster_is_too_large_to_try_gates_is_said(told, monkeypatch):
    monkeypatch.setattr("kschedctl.questions.gates._MOST_WORK", 0)
    tolerant = pod("p", tolerations=[_LEVEL])

    (note,) = told([_TAINTED], tolerant, "--kubernetes-version", "1.35")
    assert note.startswith("feature gate TaintTolerationComparisonOperators may decide, which was not tried")
    assert told([_TAINTED], pod("p")) == []
