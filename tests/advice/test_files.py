"""Suggestions made in a user's files, by what the report says alone: the pod then fits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import node, pod

from kschedctl import Cluster, explain, explain_existing
from kschedctl.advice.json_patch import patched

_SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "s1"},
    "spec": {
        "nodeName": "n1",
        "driver": "gpu.example.com",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "g0"}, {"name": "g1"}],
    },
}
_DEVICE_CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {},
}
_DEVICES = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": 4}}]}}
_TEMPLATE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "four", "namespace": "default"},
    "spec": {"spec": _DEVICES},
}
_WITH_DEVICES = {"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "four"}]}


def _class(name, mode):
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "csi.example.com",
        "volumeBindingMode": mode,
    }


_CLASSES = [_class("at-once", "Immediate"), _class("waits", "WaitForFirstConsumer")]
_CLAIM_SPEC = {
    "accessModes": ["ReadWriteOnce"],
    "storageClassName": "at-once",
    "resources": {"requests": {"storage": "1Gi"}},
}
_EPHEMERAL = {"volumes": [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": _CLAIM_SPEC}}}]}


def _workload(kind, **spec):
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": pod("x")["spec"] | spec.pop("pod", {})}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template} | spec,
    }


_WITH_CLAIMS = _workload(
    "StatefulSet",
    serviceName="web",
    volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": _CLAIM_SPEC}],
    pod={"containers": [{"name": "c", "image": "x", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]},
)


@pytest.mark.parametrize(
    ("cluster", "asked", "expected"),
    [
        pytest.param(
            [node("n1"), _DEVICE_CLASS, _SLICE],
            [_TEMPLATE, _workload("Deployment", pod=_WITH_DEVICES)],
            "request gpu of claim template four for 2 of 4",
            id="a claim template beside its workload",
        ),
        pytest.param(
            [node("n1"), _DEVICE_CLASS, _SLICE, _TEMPLATE],
            [pod("new", **_WITH_DEVICES)],
            "request gpu of claim template four for 2 of 4",
            id="a claim template of the cluster",
        ),
        pytest.param(
            [node("n1"), *_CLASSES],
            [_workload("Deployment", pod=_EPHEMERAL)],
            "volume scratch of class waits",
            id="the claim of an ephemeral volume",
        ),
        pytest.param(
            [node("n1"), *_CLASSES],
            [_WITH_CLAIMS],
            "claim template data of class waits",
            id="a claim of a stateful set",
        ),
        pytest.param(
            [node("n1", cpu="2", taints=["a:NoSchedule"], cordoned=True), pod("p", "n1", cpu="1")],
            [pod("new", cpu="2", tolerations=[{"key": "b", "operator": "Exists"}])],
            "cpu request <= 1 and taint a:NoSchedule tolerated and n1 uncordoned",
            id="a pod, a node and nothing else",
        ),
    ],
)
def test_what_is_written_in_files_holds(tmp_path, cluster, asked, expected):
    files = {"cluster.json": cluster, "asked.json": asked}
    found = _explained(tmp_path / "before", files)
    assert expected in [one.text for one in found.suggestions]
    for number, one in enumerate(found.suggestions):
        answer = _explained(tmp_path / str(number), _made(files, one, tmp_path / "before"))
        assert answer.selected_node == one.node, one.text


def test_a_pod_of_the_cluster_whose_claim_is_made_from_a_template(tmp_path):
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": "new-g-x7k2p",
            "namespace": "default",
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": "new", "uid": "u", "controller": True}
            ],
        },
        "spec": _DEVICES,
    }
    status = {"resourceClaimStatuses": [{"name": "g", "resourceClaimName": "new-g-x7k2p"}]}
    waiting = pod("new", **_WITH_DEVICES) | {"status": status}
    waiting["metadata"]["uid"] = "u"
    cluster = [node("n1"), _DEVICE_CLASS, _SLICE, _TEMPLATE, claim, waiting]
    (tmp_path / "cluster.json").write_text(json.dumps(_listed(cluster)))
    found = explain_existing(Cluster.load(str(tmp_path / "cluster.json")), "new")
    one = next(one for one in found.suggestions if "for 2 of 4" in one.text)
    assert one.needs_new_pod
    assert one.commands[-1] == "kubectl get pod new -n default -o yaml | kubectl replace --force -f -"
    files = _made({"cluster.json": cluster[:-2], "asked.json": [pod("new", **_WITH_DEVICES)]}, one, tmp_path)
    assert _explained(tmp_path / "after", files).selected_node == "n1"


def test_a_pod_of_a_workload_of_the_cluster_is_changed_in_its_template(tmp_path):
    """The API server has put tolerations and a volume into the pod, which are not in the template."""
    workload = _workload("ReplicaSet", pod={"tolerations": [{"key": "own", "operator": "Exists"}]})
    added = [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
    waiting = pod("web-x", owner=owner, tolerations=[*added, {"key": "own", "operator": "Exists"}])
    cluster = [node("n1", taints=["a:NoSchedule"]), workload, waiting]
    (tmp_path / "cluster.json").write_text(json.dumps(_listed(cluster)))
    one = explain_existing(Cluster.load(str(tmp_path / "cluster.json")), "web-x").suggestions[0]
    (edit,) = one.changes[0].edits
    assert (edit.target.kind, edit.patch[0]["path"]) == ("ReplicaSet", "/spec/template/spec/tolerations/-")

    del workload["spec"]["template"]["spec"]["tolerations"]
    del waiting["spec"]["tolerations"][1]
    (tmp_path / "cluster.json").write_text(json.dumps(_listed(cluster)))
    one = explain_existing(Cluster.load(str(tmp_path / "cluster.json")), "web-x").suggestions[0]
    (edit,) = one.changes[0].edits
    assert edit.patch[0]["path"] == "/spec/template/spec/tolerations"
    assert isinstance(edit.patch[0]["value"], list)


def test_what_admission_fills_in_is_written_into_the_template_or_left_out_of_it(tmp_path):
    """The API server has put a request, a priority and the name of the scheduler into the pod."""
    workload = _workload("ReplicaSet")
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
    waiting = pod("web-x", owner=owner, cpu="3", priority=0, schedulerName="default-scheduler")
    urgent = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent"},
        "value": 9,
    }
    taker = pod("taker", "n1", cpu="2", priority=5)
    cluster = [node("n1", cpu="4"), urgent, workload, taker, waiting]
    (tmp_path / "cluster.json").write_text(json.dumps(_listed(cluster)))
    found = explain_existing(Cluster.load(str(tmp_path / "cluster.json")), "web-x").suggestions
    patches = {one.changes[0].kind: one.changes[0].edits[0].patch for one in found if len(one.changes) == 1}
    assert patches["priority"] == [
        {"op": "add", "path": "/spec/template/spec/priorityClassName", "value": "urgent"}
    ]
    (request,) = patches["request"]
    assert request["op"] == "add"
    assert request["path"].startswith("/spec/template/spec/containers/0/resources")


def test_files_with_several_objects_get_no_command(tmp_path):
    objects = [_TEMPLATE, _workload("Deployment", pod=_WITH_DEVICES)]
    found = _explained(tmp_path, {"cluster.json": [node("n1"), _DEVICE_CLASS, _SLICE], "asked.json": objects})
    one = found.suggestions[0]
    assert one.commands == []
    (edit,) = one.changes[0].edits
    assert edit.file == str(tmp_path / "asked.json")
    assert edit.words == ["spec.spec.devices.requests[0].exactly.count: 2"]


def _listed(objects):
    return {"apiVersion": "v1", "kind": "List", "items": objects}


def _explained(folder: Path, files):
    folder.mkdir(exist_ok=True)
    for name, objects in files.items():
        (folder / name).write_text(json.dumps(objects[0] if len(objects) == 1 else _listed(objects)))
    (answer,) = explain(Cluster.load(str(folder / "cluster.json")), str(folder / "asked.json"))
    return answer


def _made(files, suggestion, folder):
    """The files with the edits of a report made."""
    found = {name: json.loads(json.dumps(objects)) for name, objects in files.items()}
    for edit in (edit for change in suggestion.changes for edit in change.edits):
        name = Path(edit.file).name if edit.file else "cluster.json"
        assert edit.file in (None, str(folder / name))
        at = [i for i, obj in enumerate(found[name]) if _is(obj, edit.target)]
        if edit.deleted:
            del found[name][at[0]]
        if edit.added is not None:
            found[name].append(edit.added)
        if edit.patch:
            found[name][at[0]] = patched(found[name][at[0]], edit.patch)
    return found


def _is(obj, target):
    space = obj["metadata"].get("namespace")
    return (obj["kind"], obj["metadata"]["name"], target.namespace) == (target.kind, target.name, space)
