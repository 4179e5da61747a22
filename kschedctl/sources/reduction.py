"""Objects cut down to what scheduling reads, which is all that a snapshot may hold.

Our types already leave out everything that they do not declare (env, commands, managedFields, ...). What is
left to drop are entries of the maps and lists that they do declare.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from kschedctl.objects import apps, groups
from kschedctl.objects.containers import Container
from kschedctl.objects.meta import Condition, ObjectMeta, TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import ContainerStatus, Pod, PodSpec, PodStatus, PodTemplateSpec
from kschedctl.objects.pod_volumes import AzureFile, Volume
from kschedctl.objects.resource import ResourceClaim, ResourceClaimTemplate
from kschedctl.objects.storage import (
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    StorageClass,
    VolumeAttachment,
    VolumeAttributesClass,
)

KEPT_ANNOTATIONS = frozenset(
    {
        "batch.kubernetes.io/job-completion-index",
        "controller.kubernetes.io/pod-deletion-cost",
        "deprecated.daemonset.template.generation",
        "kubernetes.io/config.mirror",
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "resource.kubernetes.io/extended-resource-claim",
        "resource.kubernetes.io/pod-claim-name",
        "scheduler.alpha.kubernetes.io/defaultTolerations",
        "scheduler.alpha.kubernetes.io/node-selector",
        "scheduler.alpha.kubernetes.io/tolerationsWhitelist",
        "storage.alpha.kubernetes.io/migrated-plugins",
        "storageclass.beta.kubernetes.io/is-default-class",
        "storageclass.kubernetes.io/is-default-class",
        "volume.beta.kubernetes.io/storage-class",
        "volume.kubernetes.io/selected-node",
    }
)
"""Annotations that a plugin, a workload or an admission step reads."""

_POD_CONDITIONS = frozenset({"DisruptionTarget", "PodResizePending", "PodScheduled"})
_SCHEDULER_MESSAGE = "PodScheduled"
"""Its message is what the real scheduler said last, which `explain` compares with."""

_Object = TypeVar("_Object", bound=TopLevel)


def reduced(obj: _Object) -> _Object:
    """Return the object without anything that scheduling does not read."""
    obj = replace(obj, metadata=_metadata(obj.metadata))
    match obj:
        case Pod():
            return replace(obj, spec=_pod_spec(obj.spec), status=_pod_status(obj.status))
        case Node():
            return replace(obj, status=replace(obj.status, conditions=()))
        case StorageClass() | VolumeAttributesClass():
            return replace(obj, parameters={})
        case PersistentVolume():
            return replace(obj, spec=_volume_spec(obj.spec))
        case apps.CronJob():
            job = obj.spec.job_template
            job = replace(
                job,
                metadata=_metadata(job.metadata),
                spec=replace(job.spec, template=_template(job.spec.template)),
            )
            return replace(obj, spec=replace(obj.spec, job_template=job))
        case apps.StatefulSet():
            claims = tuple(_claim_template(claim) for claim in obj.spec.volume_claim_templates)
            spec = replace(obj.spec, template=_template(obj.spec.template), volume_claim_templates=claims)
            return replace(obj, spec=spec)
        case apps.Job():
            status = replace(obj.status, conditions=_without_messages(obj.status.conditions))
            return replace(obj, spec=replace(obj.spec, template=_template(obj.spec.template)), status=status)
        case apps.Deployment() | apps.ReplicaSet() | apps.ReplicationController() | apps.DaemonSet():
            return replace(obj, spec=replace(obj.spec, template=_template(obj.spec.template)))
        case groups.PodGroup():
            conditions = _without_messages(obj.status.conditions)
            return replace(obj, status=replace(obj.status, conditions=conditions))
        case groups.Workload():
            return replace(
                obj, spec=replace(obj.spec, pod_group_templates=(), composite_pod_group_templates=())
            )
        case ResourceClaimTemplate():
            return replace(obj, spec=replace(obj.spec, metadata=_metadata(obj.spec.metadata)))
        case VolumeAttachment() if obj.spec.source.inline_volume_spec is not None:
            source = replace(
                obj.spec.source, inline_volume_spec=_volume_spec(obj.spec.source.inline_volume_spec)
            )
            return replace(obj, spec=replace(obj.spec, source=source))
        case ResourceClaim():
            devices = tuple(
                replace(device, conditions=_without_messages(device.conditions))
                for device in obj.status.devices
            )
            return replace(obj, status=replace(obj.status, devices=devices))
        case _:
            return obj


def _metadata(meta: ObjectMeta) -> ObjectMeta:
    if meta.annotations or meta.resource_version or meta.generate_name:
        return replace(
            meta,
            annotations=_kept(meta.annotations),
            resource_version="",
            generate_name="" if meta.name else meta.generate_name,
        )
    return meta


def _kept(annotations: Mapping[str, str]) -> dict[str, str]:
    return {key: annotations[key] for key in sorted(KEPT_ANNOTATIONS & annotations.keys())}


def _template(template: PodTemplateSpec) -> PodTemplateSpec:
    return replace(template, metadata=_metadata(template.metadata), spec=_pod_spec(template.spec))


def _claim_template(claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
    return replace(claim, metadata=_metadata(claim.metadata))


def _pod_spec(spec: PodSpec) -> PodSpec:
    """Without volumes such as config maps, whose generated names would also make replicas differ."""
    return replace(
        spec,
        containers=tuple(_container(container) for container in spec.containers),
        init_containers=tuple(_container(container) for container in spec.init_containers),
        volumes=tuple(_volume(volume) for volume in spec.volumes if volume.has_source),
    )


def _container(container: Container) -> Container:
    """Without mounts of which nothing is read."""
    if not container.volume_mounts:
        return container
    mounts = tuple(mount for mount in container.volume_mounts if mount.bind_mount_options)
    return replace(container, volume_mounts=mounts)


def _volume(volume: Volume) -> Volume:
    """A claim template is generic data: only the metadata that a claim is made of stays."""
    if volume.azure_file is not None:
        volume = replace(volume, azure_file=AzureFile())
    if volume.ephemeral is None:
        return volume
    template = volume.ephemeral.volume_claim_template
    kept = {key: template[key] for key in ("metadata", "spec") if key in template}
    meta = kept.get("metadata")
    if isinstance(meta, dict):
        kept["metadata"] = _generic_metadata(meta)
    return replace(volume, ephemeral=replace(volume.ephemeral, volume_claim_template=kept))


def _volume_spec(spec: PersistentVolumeSpec) -> PersistentVolumeSpec:
    """Without what only drivers read: of shares and of paths of a node it counts alone that they are there."""
    if spec.csi is not None:
        spec = replace(spec, csi=replace(spec.csi, volume_attributes={}))
    if spec.azure_file is not None:
        spec = replace(spec, azure_file=AzureFile())
    if spec.local is not None:
        spec = replace(spec, local=replace(spec.local, path=""))
    return spec if spec.host_path is None else replace(spec, host_path=replace(spec.host_path, path=""))


def _generic_metadata(meta: Mapping[str, object]) -> dict[str, object]:
    kept = {key: meta[key] for key in ("name", "labels") if key in meta}
    annotations = meta.get("annotations")
    if isinstance(annotations, dict) and (few := _kept(annotations)):
        kept["annotations"] = few
    return kept


def _pod_status(status: PodStatus) -> PodStatus:
    if status.container_statuses or status.init_container_statuses:
        status = replace(
            status,
            container_statuses=_with_resources(status.container_statuses),
            init_container_statuses=_with_resources(status.init_container_statuses),
        )
    if not status.conditions:
        return status
    kept = [c for c in status.conditions if c.type in _POD_CONDITIONS or _is_unready(c)]
    scheduled = [c for c in kept if c.type == _SCHEDULER_MESSAGE and c.status == "False"]
    others = tuple(c for c in kept if c.type != _SCHEDULER_MESSAGE)
    return replace(status, conditions=(*_without_messages(others), *scheduled))


def _is_unready(condition: Condition) -> bool:
    """A pod that runs counts as ready where nothing is said."""
    return condition.type == "Ready" and condition.status != "True"


def _with_resources(statuses: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus, ...]:
    """Only the resources of a status count, and only where it tells any."""
    return tuple(status for status in statuses if status.resources is not None)


def _without_messages(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(replace(c, message="") for c in conditions)
