"""What a snapshot never holds."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import kschedctl
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel
from kschedctl.sources.reduction import KEPT_ANNOTATIONS, reduced

SECRET = "do-not-store-me"
KEPT = "volume.kubernetes.io/selected-node"


def cut(item: dict[str, Any]) -> dict[str, Any]:
    obj: TopLevel = msgspec.convert(item, BY_GVK[item["apiVersion"], item["kind"]].type)
    result: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(reduced(obj)))
    return result


def leaky_metadata(**more: Any) -> dict[str, Any]:
    return {
        "name": "a",
        "resourceVersion": "7",
        "generateName": "a-",
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": SECRET, KEPT: "n1"},
        "managedFields": [{"manager": SECRET}],
        **more,
    }


LEAKY_SPEC = {
    "serviceAccountName": SECRET,
    "imagePullSecrets": [{"name": SECRET}],
    "containers": [
        {
            "name": "c",
            "image": "web:1",
            "command": [SECRET],
            "args": [SECRET],
            "env": [{"name": "TOKEN", "value": SECRET}],
            "envFrom": [{"secretRef": {"name": SECRET}}],
            "volumeMounts": [
                {"name": "v", "mountPath": SECRET},
                {"name": "w", "mountPath": SECRET, "bindMountOptions": ["noexec"]},
            ],
            "livenessProbe": {"exec": {"command": [SECRET]}},
        }
    ],
    "volumes": [
        {"name": SECRET, "secret": {"secretName": SECRET}},
        {"name": SECRET, "projected": {"sources": []}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {
            "name": "scratch",
            "ephemeral": {
                "volumeClaimTemplate": {
                    "metadata": {
                        "labels": {"a": "b"},
                        "annotations": {"note": SECRET},
                        "finalizers": [SECRET],
                    },
                    "spec": {"storageClassName": "fast"},
                }
            },
        },
    ],
}
TEMPLATE = {"metadata": leaky_metadata(), "spec": LEAKY_SPEC}
WORKLOADS = {
    "Deployment": ("apps/v1", {"template": TEMPLATE}),
    "ReplicaSet": ("apps/v1", {"template": TEMPLATE}),
    "DaemonSet": ("apps/v1", {"template": TEMPLATE}),
    "StatefulSet": (
        "apps/v1",
        {"template": TEMPLATE, "volumeClaimTemplates": [{"metadata": leaky_metadata()}]},
    ),
    "ReplicationController": ("v1", {"template": TEMPLATE}),
    "Job": ("batch/v1", {"template": TEMPLATE}),
    "CronJob": ("batch/v1", {"jobTemplate": {"metadata": leaky_metadata(), "spec": {"template": TEMPLATE}}}),
}


@pytest.mark.parametrize("kind", [*WORKLOADS, "Pod"])
def test_nothing_that_scheduling_does_not_read_is_kept(kind):
    version, spec = WORKLOADS.get(kind, ("v1", LEAKY_SPEC))
    text = str(cut({"apiVersion": version, "kind": kind, "metadata": leaky_metadata(), "spec": spec}))
    assert SECRET not in text
    assert "resourceVersion" not in text
    assert "generateName" not in text


@pytest.mark.parametrize("kind", [*WORKLOADS, "Pod"])
def test_what_scheduling_reads_is_kept(kind):
    version, spec = WORKLOADS.get(kind, ("v1", LEAKY_SPEC))
    text = str(cut({"apiVersion": version, "kind": kind, "metadata": leaky_metadata(), "spec": spec}))
    assert all(part in text for part in (KEPT, "web:1", "'data'", "fast", "noexec"))
    assert "'volumeMounts': [{}" not in text


@pytest.mark.parametrize(
    ("version", "kind", "spec"),
    [
        pytest.param(
            "resource.k8s.io/v1", "ResourceClaimTemplate", {"metadata": leaky_metadata()}, id="claim template"
        ),
        pytest.param(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            {"source": {"inlineVolumeSpec": {"csi": {"driver": "d", "volumeAttributes": {"share": SECRET}}}}},
            id="volume of an attachment",
        ),
        pytest.param(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            {"source": {"inlineVolumeSpec": {"azureFile": {"secretName": SECRET, "shareName": SECRET}}}},
            id="share of an attachment",
        ),
        pytest.param(
            "v1",
            "Pod",
            {"volumes": [{"name": "v", "azureFile": {}, **LEAKY_SPEC["volumes"][3]}]},
            id="volume of two sources",
        ),
    ],
)
def test_nothing_is_kept_of_what_is_inside_of_other_objects(version, kind, spec):
    assert SECRET not in str(
        cut({"apiVersion": version, "kind": kind, "metadata": leaky_metadata(), "spec": spec})
    )


def test_a_pod_that_has_no_name_yet_keeps_its_prefix():
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "web-"}}
    assert cut(item)["metadata"] == {"generateName": "web-"}


def test_only_conditions_that_scheduling_reads_are_kept():
    conditions = [
        {"type": "ContainersReady", "status": "False", "message": SECRET},
        {"type": "Ready", "status": "False", "message": SECRET},
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes ..."},
        {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler", "message": SECRET},
    ]
    item = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "status": {"conditions": conditions},
    }
    assert cut(item)["status"]["conditions"] == [
        {"type": "Ready", "status": "False"},
        {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"},
        conditions[2],
    ]


def test_conditions_of_a_job_are_kept_without_their_messages():
    conditions = [{"type": "Failed", "status": "True", "message": SECRET}]
    item = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a"},
        "status": {"conditions": conditions},
    }
    assert cut(item)["status"]["conditions"] == [{"type": "Failed", "status": "True"}]


def test_a_pod_that_is_ready_needs_no_condition():
    item = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
    assert "conditions" not in cut(item).get("status", {})


def test_container_statuses_stay_where_they_tell_resources():
    resized = {"name": "a", "resources": {"requests": {"cpu": "2"}}}
    item = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "status": {"containerStatuses": [resized, {"name": "b", "containerID": SECRET}]},
    }
    assert cut(item)["status"] == {"containerStatuses": [resized]}


def test_every_annotation_that_the_engine_reads_is_kept():
    package = Path(kschedctl.__file__).parent
    named = re.compile(r'^\w*(?:ANNOTATION|_COST)(?:: Final)? = "([^"]+)"', re.MULTILINE)
    read = {key for file in package.rglob("*.py") for key in named.findall(file.read_text())}
    assert len(read) >= 4
    assert read <= KEPT_ANNOTATIONS
