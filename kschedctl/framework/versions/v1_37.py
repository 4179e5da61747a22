"""What Kubernetes 1.37 changed (spec 06)."""

from typing import Any, Final

from msgspec.structs import replace

from kschedctl.dra.rules import AllocatorImplementation, CounterScope, DistinctValues, SharedUse
from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.versions.default_plugin import DefaultPlugin
from kschedctl.framework.versions.facts import GroupCycle, ImageVolumes
from kschedctl.framework.versions.gates import LOCKED, OFF_ALPHA, OFF_BETA, ON_BETA, ON_GA
from kschedctl.framework.versions.v1_36 import VERSION as V1_36

_NAME: Final = DefaultPlugin("NodeName")
_DEFERRED: Final = DefaultPlugin("DeferredPodScheduling", gate="InPlacePodVerticalScalingSchedulerPreemption")
_GANGS: Final = DefaultPlugin("GangScheduling", gate="GenericWorkload")


def _plugins(before: tuple[DefaultPlugin, ...]) -> tuple[DefaultPlugin, ...]:
    """NodeName comes first, deferred pods are judged before their resources are, gangs have another gate."""
    found: list[DefaultPlugin] = []
    for plugin in before:
        if plugin.name == "NodeUnschedulable":
            found.append(_NAME)
        elif plugin.name == "NodeResourcesFit":
            found.append(_DEFERRED)
        if plugin.name != _NAME.name:
            found.append(_GANGS if plugin.name == _GANGS.name else plugin)
    return tuple(found)


_STABLE_1_36, _INCUBATING_1_36 = (allocator.rules for allocator in V1_36.facts.devices.allocators)
_CHANGES: Final[dict[str, Any]] = {
    "counter_scope": CounterScope.POOL,
    "counters_reach_every_node": False,
    "shared_use": SharedUse.BY_SHARE,
    "selectors_see_lists": True,
    "all_counts_used_up_devices": True,
    "capacity_is_checked": True,
    "limit_names_the_request": True,
    "selector_errors_name_the_device": True,
}
_INCUBATING: Final = replace(_INCUBATING_1_36, distinct_values=DistinctValues.EVERY_DEVICE, **_CHANGES)
_EXPERIMENTAL: Final = replace(_INCUBATING, lists_are_sets=True, looks_at_node_operations=True)
_ALPHA: Final = frozenset(
    {
        "DRADerivedAttributes",
        "DRADeviceCompatibilityGroups",
        "DRAListTypeAttributes",
        "DRAOptionalNodeOperations",
    }
)
_BETA: Final = frozenset(
    {"DRAConsumableCapacity", "DRADeviceBindingConditions", "DRAFractionalCapacityRange"}
)
_DEVICES: Final = replace(
    V1_36.facts.devices,
    allocators=(
        AllocatorImplementation(lacks=_ALPHA | _BETA, rules=replace(_STABLE_1_36, **_CHANGES)),
        AllocatorImplementation(lacks=_ALPHA, rules=_INCUBATING),
        AllocatorImplementation(lacks=frozenset(), rules=_EXPERIMENTAL),
    ),
    mapped_claims_have_overhead=True,
    alpha_fields_exist=True,
    rule_needs_a_selector=True,
)

VERSION: Final = V1_36.successor(
    "1.37",
    gates={
        "AtomicWriteVolumeUserFields": OFF_ALPHA,
        "ClusterTrustBundle": ON_GA,
        "ClusterTrustBundleProjection": ON_GA.needing("ClusterTrustBundle"),
        "CompositePodGroup": OFF_ALPHA.needing("GenericWorkload", "TopologyAwareWorkloadScheduling"),
        "DRADerivedAttributes": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "DRADeviceCompatibilityGroups": OFF_ALPHA.needing(
            "DynamicResourceAllocation", "DRAPartitionableDevices"
        ),
        "DRADeviceTaintRules": ON_GA.needing("DRADeviceTaints"),
        "DRADeviceTaints": ON_GA.needing("DynamicResourceAllocation"),
        "DRAExtendedResource": LOCKED.needing("DynamicResourceAllocation"),
        "DRAFractionalCapacityRange": OFF_BETA.needing("DRAConsumableCapacity"),
        "DRAOptionalNodeOperations": OFF_ALPHA.needing("DynamicResourceAllocation", "NodeDeclaredFeatures"),
        "DRAPartitionableDevicesType": OFF_ALPHA.needing(
            "DynamicResourceAllocation", "DRAPartitionableDevices", "DRAResourcePoolStatus"
        ),
        "DRAPrioritizedList": LOCKED.needing("DynamicResourceAllocation"),
        "DRAResourceClaimDeviceStatus": LOCKED,
        "DRAWorkloadResourceClaims": OFF_BETA.needing("DynamicResourceAllocation", "GenericWorkload"),
        "EmptyDirVolumeMode": OFF_ALPHA,
        "EvictionRequestAPI": OFF_ALPHA,
        "GRPCContainerProbeTLS": OFF_ALPHA,
        "GenericWorkload": OFF_BETA,
        "H2CContainerProbe": OFF_ALPHA,
        "HPAConfigurableTolerance": LOCKED,
        "HPAGeneration": ON_BETA,
        "HPAScaleToZero": ON_BETA,
        "HostnameOverride": LOCKED,
        "InPlacePodVerticalScalingInitContainers": LOCKED.needing(
            "InPlacePodVerticalScaling", "NodeDeclaredFeatures"
        ),
        "InPlacePodVerticalScalingMemoryBackedVolumes": OFF_ALPHA.needing(
            "InPlacePodVerticalScaling", "NodeDeclaredFeatures"
        ),
        "InPlacePodVerticalScalingSchedulerPreemption": OFF_ALPHA.needing("InPlacePodVerticalScaling"),
        "InterPodAffinityHostnameFastPath": OFF_ALPHA,
        "KubeletInUserNamespace": ON_BETA,
        "MaxUnavailableStatefulSet": ON_BETA,
        "NodeDeclaredFeatures": LOCKED,
        "PodCertificateRequest": ON_GA,
        "PodGroupPreemptionPolicy": OFF_ALPHA.needing("GenericWorkload"),
        "PodLevelResourcesFixDefaulting": ON_BETA.needing("PodLevelResources"),
        "PodLevelResourcesFixKubeletQOSClass": ON_BETA.needing("PodLevelResources"),
        "SELinuxMount": ON_GA,
        "SchedulerPreQueueingHints": OFF_ALPHA,
        "StatefulSetRecreateStrategy": OFF_ALPHA,
        "StorageCapacityScoring": ON_BETA,
        "VolumeBindMountOptions": OFF_ALPHA,
        "VolumeLimitScaling": ON_BETA,
    },
    without_gates=(
        "AnyVolumeDataSource",
        "GangScheduling",
        "JobBackoffLimitPerIndex",
        "JobPodReplacementPolicy",
        "JobSuccessPolicy",
        "PodLifecycleSleepAction",
        "PodLifecycleSleepActionAllowZero",
        "RelaxedDNSSearchValidation",
        "SchedulerQueueingHints",
        "SidecarContainers",
        "WorkloadAwarePreemption",
    ),
    plugins=_plugins,
    lacking={"GangScheduling": frozenset({P.RESERVE})},
    image_volumes=ImageVolumes.COUNTED,
    in_use_by_whole_pod=True,
    declared_features=V1_36.facts.declared_features | {"VolumeBindMountOptions"},
    known_features=(V1_36.facts.known_features or frozenset())
    | {
        "DRANodeAllocatableResources",
        "DRAOptionalNodeOperations",
        "InPlacePodVerticalScalingMemoryBackedVolumes",
        "VolumeBindMountOptions",
    },
    devices=_DEVICES,
    deallocation_is_told=False,
    api_versions={
        "CompositePodGroup": ("v1alpha3",),
        "DeviceTaintRule": ("v1", "v1beta2", "v1alpha3"),
        "PodGroup": ("v1beta1", "v1alpha3"),
        "VolumeAttributesClass": ("v1",),
        "Workload": ("v1beta1", "v1alpha3"),
    },
    preemption_is_told=True,
    unknown_points=frozenset(),
    terms_keep_their_namespace_selector=False,
    every_budget_is_charged=False,
    unstarted_pods_read_the_clock=False,
    group_cycle=GroupCycle.OF_GROUPS,
    group_condition="PodGroupInitiallyScheduled",
    group_priority_gate="GenericWorkload",
    unscheduled_pod_event="UnscheduledPod",
    target_pod_event="TargetPod",
    taints_wake_whom_nodes_wake=False,
    any_anti_term_wakes=True,
    gated_pods_are_nominated=True,
    deleted_claims_wake=True,
    admission=replace(
        V1_36.facts.admission,
        owners_are_told_by_position=True,
        projected_files_have_a_user=True,
        shared_processes_are_told_at_spec=True,
    ),
    nominated_pods_take_hints=False,
    batches_score_the_last_node_again=True,
)
