"""What is known to tell nothing of its owner, type by type; every other text has a replacement.

A field that is new in a type is not in this table, and so it is replaced: a test asks that somebody decides about it.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec import inspect

from kschedctl.objects import apps, constraints, containers, core, groups, pod_volumes, resource, storage
from kschedctl.objects import meta as m
from kschedctl.objects import node as n
from kschedctl.objects import pod as p

TOP_LEVEL: Final = ("api_version", "kind")
"""Of every object."""

KEPT: Final = MappingProxyType(
    {
        m.ObjectMeta: ("creation_timestamp", "deletion_timestamp"),
        m.OwnerReference: ("api_version", "kind"),
        m.Condition: ("type", "status", "reason"),
        m.NodeSelectorRequirement: ("key", "operator"),
        m.LabelSelectorRequirement: ("key", "operator"),
        n.Taint: ("key", "effect"),
        n.PodPreemptionPolicy: ("disable_resize_preemption",),
        n.NodeStatus: ("declared_features",),
        p.PodSpec: ("priority_class_name", "preemption_policy", "runtime_class_name", "restart_policy"),
        containers.Container: ("name", "restart_policy"),
        containers.ContainerResourceClaim: ("name", "request"),
        containers.ContainerPort: ("protocol",),
        containers.ContainerRestartRule: ("action",),
        containers.VolumeMount: ("bind_mount_options",),
        constraints.PodAffinityTerm: ("topology_key", "match_label_keys", "mismatch_label_keys"),
        constraints.Toleration: ("key", "operator", "effect"),
        constraints.TopologySpreadConstraint: (
            *(
                "topology_key",
                "when_unsatisfiable",
                "node_affinity_policy",
                "node_taints_policy",
                "match_label_keys",
            ),
        ),
        pod_volumes.Volume: ("name",),
        pod_volumes.CsiVolumeSource: ("driver",),
        pod_volumes.AzureDisk: ("kind",),
        p.PodResourceClaim: ("name",),
        p.PodStatus: ("phase", "start_time"),
        p.ContainerStatus: ("name",),
        p.PodResourceClaimStatus: ("name",),
        p.ExtendedResourceMapping: ("container_name", "resource_name", "request_name"),
        p.NodeAllocatableClaimStatus: ("containers",),
        p.NodeAllocatableMapped: ("name",),
        p.NodeAllocatableOverheadOfClaim: ("name",),
        core.LimitRangeItem: ("type",),
        core.PriorityClass: ("preemption_policy",),
        core.ResourceQuotaSpec: ("scopes",),
        core.PodDisruptionBudgetSpec: ("unhealthy_pod_eviction_policy", "min_available", "max_unavailable"),
        apps.DeploymentStrategy: ("type",),
        apps.RollingUpdateDeployment: ("max_unavailable", "max_surge"),
        apps.StatefulSetSpec: ("pod_management_policy",),
        apps.StatefulSetUpdateStrategy: ("type",),
        apps.RollingUpdateStatefulSet: ("max_unavailable",),
        apps.DaemonSetUpdateStrategy: ("type",),
        apps.RollingUpdateDaemonSet: ("max_unavailable", "max_surge"),
        apps.JobSpec: ("completion_mode", "pod_replacement_policy"),
        apps.JobStatus: ("completed_indexes", "failed_indexes"),
        storage.PersistentVolumeClaimSpec: (
            *("access_modes", "storage_class_name", "volume_mode", "volume_attributes_class_name"),
        ),
        storage.PersistentVolumeClaimStatus: ("phase",),
        storage.PersistentVolumeSpec: (
            *("access_modes", "storage_class_name", "volume_mode", "volume_attributes_class_name"),
        ),
        storage.PersistentVolumeStatus: ("phase",),
        storage.ObjectReference: ("kind",),
        storage.CsiPersistentVolumeSource: ("driver",),
        storage.StorageClass: ("provisioner", "volume_binding_mode"),
        storage.TopologySelectorLabelRequirement: ("key",),
        storage.CsiNodeDriver: ("name", "topology_keys"),
        storage.CsiStorageCapacity: ("storage_class_name",),
        storage.VolumeAttachmentSpec: ("attacher",),
        storage.VolumeAttributesClass: ("driver_name",),
        resource.DeviceConfiguration: ("requests",),
        resource.OpaqueConfiguration: ("driver",),
        resource.DeviceClassSpec: ("extended_resource_name",),
        resource.DeviceRequest: ("name",),
        resource.ExactDeviceRequest: ("device_class_name", "allocation_mode"),
        resource.DerivedAttribute: ("name",),
        resource.DeviceSubRequest: ("name", "device_class_name", "allocation_mode"),
        resource.DeviceConstraint: ("requests", "match_attribute", "distinct_attribute"),
        resource.DeviceAllocationResult: (
            *("request", "driver", "device", "binding_conditions", "binding_failure_conditions", "share_id"),
            "skip_node_operations",
        ),
        resource.AllocationResult: ("allocation_timestamp",),
        resource.ResourceClaimConsumer: ("api_group", "resource"),
        resource.AllocatedDeviceStatus: ("driver", "device", "share_id"),
        resource.ResourceSliceSpec: ("driver", "skip_node_operations"),
        resource.Device: ("name", "binding_conditions", "binding_failure_conditions"),
        resource.DeviceAttribute: ("version_value", "version_values"),
        resource.DeviceCounterConsumption: ("counter_set", "compatibility_groups"),
        resource.CounterSet: ("name",),
        resource.DeviceTaint: ("key", "effect"),
        resource.NodeAllocatableMapping: ("capacity_key",),
        resource.DeviceTaintSelector: ("driver", "device"),
        groups.TopologyConstraint: ("key",),
        groups.PodGroupSpec: ("disruption_mode", "priority_class_name", "preemption_policy"),
        groups.CompositePodGroupSpec: ("disruption_mode", "priority_class_name", "preemption_policy"),
    }
)
"""Type -> fields that stay as they are; of maps whose values are quantities the keys stay, too."""

REPLACED: Final = MappingProxyType(
    {
        m.ObjectMeta: ("name", "namespace", "uid", "labels", "annotations"),
        m.OwnerReference: ("name", "uid"),
        m.LabelSelector: ("match_labels",),
        m.LabelSelectorRequirement: ("values",),
        m.NodeSelectorRequirement: ("values",),
        m.Condition: ("message",),
        n.Taint: ("value",),
        n.ContainerImage: ("names",),
        p.PodSpec: ("node_name", "scheduler_name", "node_selector", "hostname", "subdomain"),
        p.PodStatus: ("nominated_node_name",),
        containers.Container: ("image",),
        containers.ContainerPort: ("host_ip",),
        pod_volumes.ImageVolumeSource: ("reference",),
        constraints.Toleration: ("value",),
        constraints.PodAffinityTerm: ("namespaces",),
        p.PodSchedulingGroup: ("pod_group_name",),
        p.WorkloadReference: ("name", "pod_group", "pod_group_replica_key"),
        p.PodResourceClaim: ("resource_claim_name", "resource_claim_template_name"),
        p.PodResourceClaimStatus: ("resource_claim_name",),
        p.ExtendedResourceClaimStatus: ("resource_claim_name",),
        p.NodeAllocatableClaimStatus: ("resource_claim_name",),
        pod_volumes.PersistentVolumeClaimVolumeSource: ("claim_name",),
        pod_volumes.EphemeralVolumeSource: ("volume_claim_template",),
        pod_volumes.GcePersistentDisk: ("pd_name",),
        pod_volumes.AwsElasticBlockStore: ("volume_id",),
        pod_volumes.AzureDisk: ("disk_uri",),
        pod_volumes.Cinder: ("volume_id",),
        pod_volumes.PortworxVolume: ("volume_id",),
        pod_volumes.Iscsi: ("iqn",),
        pod_volumes.Rbd: ("pool",),
        core.ServiceSpec: ("selector",),
        core.RuntimeClassScheduling: ("node_selector",),
        core.PodDisruptionBudgetStatus: ("disrupted_pods",),
        apps.ReplicationControllerSpec: ("selector",),
        apps.StatefulSetSpec: ("service_name",),
        storage.PersistentVolumeClaimSpec: ("volume_name",),
        storage.ObjectReference: ("namespace", "name", "uid"),
        storage.CsiPersistentVolumeSource: ("volume_handle",),
        storage.TopologySelectorLabelRequirement: ("values",),
        storage.VolumeAttachmentSpec: ("node_name",),
        storage.VolumeAttachmentSource: ("persistent_volume_name",),
        storage.CsiNodeDriver: ("node_id",),
        resource.CelSelector: ("expression",),
        resource.DerivedAttribute: ("expression",),
        resource.DeviceAttribute: ("string_value", "string_values"),
        resource.ResourceSliceSpec: ("node_name",),
        resource.ResourcePool: ("name",),
        resource.Device: ("node_name",),
        resource.DeviceTaint: ("value",),
        resource.DeviceTaintSelector: ("pool",),
        resource.DeviceAllocationResult: ("pool",),
        resource.AllocatedDeviceStatus: ("pool",),
        resource.ResourceClaimConsumer: ("name", "uid"),
        groups.PodGroupSpec: ("parent_composite_pod_group_name",),
        groups.CompositePodGroupSpec: ("parent_composite_pod_group_name",),
        groups.WorkloadTemplateReference: ("workload_name", "template_name", "pod_group_template_name"),
        groups.WorkloadPodGroup: ("name",),
    }
)
"""Type -> fields that the rule of the type replaces by what they are: names, labels, values of labels, volumes."""


@cache
def opaque_fields(type_: type[msgspec.Struct]) -> frozenset[str]:
    """The fields of a type of which nothing is known: each of their texts has a replacement without a meaning."""
    return texts_of(type_) - kept(type_) - frozenset(REPLACED.get(type_, ()))


@cache
def texts_of(type_: type[msgspec.Struct]) -> frozenset[str]:
    """The fields of a type that hold texts themselves: as values, in lists, or as values of maps."""
    info = inspect.type_info(type_)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return frozenset(field.name for field in fields if _holds_text(field.type))


def kept(type_: type[msgspec.Struct]) -> frozenset[str]:
    """The fields of a type that are known to be harmless."""
    return frozenset((*KEPT.get(type_, ()), *(TOP_LEVEL if issubclass(type_, m.TopLevel) else ())))


def _holds_text(type_: inspect.Type) -> bool:
    match type_:
        case inspect.StrType() | inspect.AnyType() | inspect.CustomType():
            return True
        case inspect.VarTupleType() | inspect.ListType():
            return _holds_text(type_.item_type)
        case inspect.DictType():
            return _holds_text(type_.value_type)
        case inspect.UnionType():
            kinds = {type(option) for option in type_.types}
            return inspect.FloatType not in kinds and any(
                map(_holds_text, type_.types)
            )  # quantities are numbers
        case _:
            return False
