"""Storage objects and clusters in few words: only what a case is about, the rest is filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.cluster.store import ObjectStore
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import Version, feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.pod_volumes import Volume
from kschedctl.objects.storage import (
    CsiDriver,
    CsiNode,
    CsiStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.options import SchedulingOptions, TieBreak
from kschedctl.volumes.catalog import StorageCatalog

Data = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
HOST = "kubernetes.io/hostname"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def node(name: str, zone: str = "", **labels: str) -> Node:
    """A node with its hostname label and maybe a zone; `__` in a label name stands for a slash."""
    own = {HOST: name} | ({ZONE: zone} if zone else {})
    named = {key.replace("__", "/"): value for key, value in labels.items()}
    return bare_node(name, own | named)


def bare_node(name: str, labels: Mapping[str, str]) -> Node:
    """A node with exactly these labels."""
    room = {"allocatable": {"pods": "110", "cpu": "4", "memory": "8Gi"}}
    return msgspec.convert({"metadata": {"name": name, "labels": dict(labels)}, "status": room}, Node)


def storage_class(
    name: str, provisioner: str = "csi.example.com", *, wait: bool = True, **top: Any
) -> StorageClass:
    """A class that waits for the first consumer unless told otherwise."""
    mode = "WaitForFirstConsumer" if wait else "Immediate"
    data = {"metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": mode}
    return msgspec.convert(data | top, StorageClass)


def local_class(name: str = "local") -> StorageClass:
    """A class without a provisioner."""
    return storage_class(name, "kubernetes.io/no-provisioner")


def claim(
    name: str,
    class_name: str | None = "fast",
    size: str | None = "10Gi",
    *,
    volume: str = "",
    bound: bool | None = None,
    namespace: str = "default",
    meta: Data | None = None,
    status: Data | None = None,
    **spec: Any,
) -> PersistentVolumeClaim:
    """A claim; bound where it names a volume, unless told otherwise."""
    annotations = BOUND if (bool(volume) if bound is None else bound) else {}
    own_meta = meta or {}
    metadata = {"name": name, "namespace": namespace} | own_meta
    metadata["annotations"] = annotations | own_meta.get("annotations", {})
    full = {"accessModes": ["ReadWriteOnce"], "volumeName": volume}
    if size is not None:
        full["resources"] = {"requests": {"storage": size}}
    if class_name is not None:
        full["storageClassName"] = class_name
    data = {"metadata": metadata, "spec": full | spec, "status": status or {}}
    return msgspec.convert(data, PersistentVolumeClaim)


def affinity(*terms: Mapping[str, str | Sequence[str]]) -> Data:
    """A node affinity: each term maps keys to the values that are allowed."""
    return {
        "required": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [
                        {"key": k, "operator": "In", "values": [v] if isinstance(v, str) else list(v)}
                        for k, v in term.items()
                    ]
                }
                for term in terms
            ]
        }
    }


def volume(
    name: str,
    class_name: str = "fast",
    size: str = "10Gi",
    *,
    on: str = "",
    zone: str = "",
    handle: str = "",
    driver: str = "csi.example.com",
    labels: Mapping[str, str] | None = None,
    phase: str = "Available",
    meta: Data | None = None,
    **spec: Any,
) -> PersistentVolume:
    """A volume that is free; `on` pins it to a host, `zone` to a zone."""
    full: Data = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": class_name,
    }
    if on or zone:
        full["nodeAffinity"] = affinity({HOST: on} if on else {ZONE: zone})
    if handle:
        full["csi"] = {"driver": driver, "volumeHandle": handle}
    metadata = {"name": name, "labels": dict(labels or {})} | (meta or {})
    return msgspec.convert(
        {"metadata": metadata, "spec": full | spec, "status": {"phase": phase}}, PersistentVolume
    )


def csi_node(name: str, migrated: str = "", **limits: int | None) -> CsiNode:
    """A CSINode; keyword `ebs=3` limits driver `ebs`, `ebs=None` runs it without a limit."""
    drivers = [
        {"name": driver, "nodeID": name, "topologyKeys": []}
        | ({} if count is None else {"allocatable": {"count": count}})
        for driver, count in limits.items()
    ]
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    return msgspec.convert(
        {"metadata": {"name": name, "annotations": annotations}, "spec": {"drivers": drivers}}, CsiNode
    )


def csi_driver(name: str = "csi.example.com", **spec: Any) -> CsiDriver:
    """A CSIDriver."""
    return msgspec.convert({"metadata": {"name": name}, "spec": spec}, CsiDriver)


def capacity(class_name: str, topology: Data | None, name: str = "cap", **top: Any) -> CsiStorageCapacity:
    """A published capacity; `topology` is the label selector of its nodes."""
    data: Data = {"metadata": {"name": name, "namespace": "kube-system"}, "storageClassName": class_name}
    if topology is not None:
        data["nodeTopology"] = topology
    return msgspec.convert(data | top, CsiStorageCapacity)


def attachment(node_name: str, volume_name: str, attacher: str = "ebs") -> VolumeAttachment:
    """A recorded attachment of a volume to a node."""
    return msgspec.convert(
        {
            "metadata": {"name": f"{volume_name}-{node_name}"},
            "spec": {
                "attacher": attacher,
                "nodeName": node_name,
                "source": {"persistentVolumeName": volume_name},
            },
        },
        VolumeAttachment,
    )


def mount(claim_name: str) -> Data:
    """A volume of a pod that is a claim; its name is the claim's."""
    return {"name": claim_name or "unnamed", "persistentVolumeClaim": {"claimName": claim_name}}


def inline(**source: Data) -> Data:
    """A volume of a pod with its own source: `inline(rbd={...})`."""
    return {"name": next(iter(source))} | source


def pod(
    name: str,
    *volumes: Data | str,
    on: str = "",
    namespace: str = "default",
    uid: str = "",
    priority: int = 0,
) -> AdmittedPod:
    """A pod; a text among the volumes is the name of a claim."""
    data = {
        "metadata": {"name": name, "namespace": namespace, "uid": uid},
        "spec": {
            "schedulerName": "default-scheduler",
            "priority": priority,
            "volumes": [mount(v) if isinstance(v, str) else v for v in volumes],
        },
    }
    made = msgspec.convert(data, Pod)
    return AdmittedPod(made.metadata, made.spec, made.status, on)


def volume_of_pod(**source: Data) -> Volume:
    """The inline volume as an object."""
    return msgspec.convert(inline(**source), Volume)


def catalog(*objects: TopLevel) -> StorageCatalog:
    """The objects, indexed."""
    return StorageCatalog.of(ObjectStore(objects))


def cluster(*members: Node | AdmittedPod | TopLevel) -> ClusterState:
    """A cluster of nodes, pods and storage objects in any order."""
    nodes = [m for m in members if isinstance(m, Node)]
    pods = [m for m in members if isinstance(m, AdmittedPod)]
    others = [m for m in members if not isinstance(m, (Node, AdmittedPod))]
    return ClusterState(nodes, pods, ObjectStore(others))


def pod_named(state: ClusterState, name: str) -> PodRecord:
    """A pod of the cluster by name."""
    return next(record for record in state.pods.records if record.name == name)


def scheduler(
    config: Data | None = None, gates: Mapping[str, bool] | None = None, version: Version = V1_36
) -> Scheduler:
    """A scheduler that takes the first of equal nodes."""
    configuration = load_configuration(config, version, feature_gates(version, gates or {}), IN_TREE)
    return Scheduler(configuration, SchedulingOptions(tie_break=TieBreak.FIRST, score_single=True))


def decide(state: ClusterState, candidate: AdmittedPod, by: Scheduler | None = None) -> Decision:
    """The decision for a pod that is new to the cluster."""
    return (by or scheduler()).decide(state.add_pod(candidate), state)


def place_pod(state: ClusterState, candidate: AdmittedPod, by: Scheduler | None = None) -> str | None:
    """Decide and let the decision take effect; the node it is placed on."""
    decision = decide(state, candidate, by)
    if decision.selected is not None:
        assert place(decision) is None
    return decision.selected_node


def reasons(decision: Decision) -> dict[str, tuple[str, ...]]:
    """Node -> reasons of the nodes that are refused."""
    names = decision.cluster.nodes.names
    statuses = {name: decision.status_of(row) for row, name in enumerate(names)}
    return {name: status.reasons for name, status in statuses.items() if status is not None}


def codes(decision: Decision) -> set[str]:
    """The codes of the refused nodes."""
    statuses = [decision.status_of(row) for row in range(decision.cluster.nodes.count)]
    return {status.code.upstream for status in statuses if status is not None}


def victims(decision: Decision) -> dict[str, list[str]]:
    """Preemption candidate -> names of its victims."""
    assert decision.preemption is not None
    state = decision.cluster
    return {
        state.nodes.names[row]: [state.pods.records[pod].name for pod in candidate.victims]
        for row, candidate in decision.preemption.candidates.items()
    }


def told(decision: Decision, name: str) -> list[str]:
    """The detail texts of one node."""
    return [detail.text for detail in decision.details_of(decision.cluster.nodes.row_of[name])]
