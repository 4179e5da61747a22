"""What Kubernetes 1.36 changed (spec 06)."""

from typing import Any, Final

from msgspec.structs import replace

from kschedctl.dra.rules import AllocatorImplementation
from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.versions.default_plugin import DefaultPlugin
from kschedctl.framework.versions.facts import GroupCycle, ImageVolumes
from kschedctl.framework.versions.gates import LOCKED, LOCKED_OFF, OFF_ALPHA, OFF_BETA, ON_BETA, ON_GA
from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.framework.versions.version import PatchRelease


def _plugins(before: tuple[DefaultPlugin, ...]) -> tuple[DefaultPlugin, ...]:
    return (
        *before,
        DefaultPlugin("TopologyPlacementGenerator", gate="TopologyAwareWorkloadScheduling"),
        DefaultPlugin("PodGroupPodsCount", 1, gate="TopologyAwareWorkloadScheduling"),
    )


_INCUBATING_1_35, _EXPERIMENTAL_1_35 = (allocator.rules for allocator in V1_35.facts.devices.allocators)
_STABLE: Final = replace(
    _INCUBATING_1_35,
    alternatives_are_mixed_up=False,
    shared_devices_hold_counters=True,
    refusals_leave_no_trace=True,
)
_INCUBATING: Final = replace(
    _EXPERIMENTAL_1_35,
    alternatives_are_mixed_up=False,
    shared_devices_hold_counters=True,
    refusals_leave_no_trace=True,
    conditional_slices_last=False,
    slices_go_by_name=True,
    search_goes_on=True,
)


def _allocators(**rules: Any) -> tuple[AllocatorImplementation, ...]:
    """The allocators of 1.36, with other rules for some patch releases."""
    beyond_stable = frozenset({"DRAConsumableCapacity", "DRADeviceBindingConditions"})
    return (
        AllocatorImplementation(lacks=beyond_stable, rules=replace(_STABLE, **rules)),
        AllocatorImplementation(lacks=frozenset(), rules=replace(_INCUBATING, **rules)),
    )


_DEVICES: Final = replace(
    V1_35.facts.devices,
    allocators=_allocators(),
    results_are_paired_by_position=None,
    scores_ask_the_gate=True,
    owner_is_capitalised=True,
)
_DEVICES_TO_2: Final = replace(_DEVICES, allocators=_allocators(refusals_leave_no_trace=False))
_DEVICES_TO_1: Final = replace(
    _DEVICES,
    allocators=_allocators(refusals_leave_no_trace=False, shared_devices_hold_counters=False),
    results_are_paired_by_position=V1_35.facts.devices.results_are_paired_by_position,
    scores_ask_the_gate=False,
)

_INFERRED: Final = frozenset({"RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"})

VERSION: Final = V1_35.successor(
    "1.36",
    gates={
        "ExtendWebSocketsToKubelet": ON_BETA.needing("NodeDeclaredFeatures"),
        "CSIServiceAccountTokenSecrets": LOCKED,
        "DRAAdminAccess": LOCKED.needing("DynamicResourceAllocation"),
        "DRAConsumableCapacity": ON_BETA.needing("DynamicResourceAllocation"),
        "DRADeviceBindingConditions": ON_BETA.needing(
            "DynamicResourceAllocation", "DRAResourceClaimDeviceStatus"
        ),
        "DRADeviceTaintRules": OFF_BETA.needing("DRADeviceTaints"),
        "DRADeviceTaints": ON_BETA.needing("DynamicResourceAllocation"),
        "DRAExtendedResource": ON_BETA.needing("DynamicResourceAllocation"),
        "DRAListTypeAttributes": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "DRANodeAllocatableResources": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "DRAPartitionableDevices": ON_BETA.needing("DynamicResourceAllocation"),
        "DRAPrioritizedList": ON_GA.needing("DynamicResourceAllocation"),
        "DRAResourceClaimGranularStatusAuthorization": ON_BETA.needing(
            "DynamicResourceAllocation", "DRAResourceClaimDeviceStatus"
        ),
        "DRAWorkloadResourceClaims": OFF_ALPHA.needing("DynamicResourceAllocation", "GenericWorkload"),
        "GitRepoVolumeDriver": LOCKED_OFF,
        "ImageVolume": LOCKED,
        "ImageVolumeWithDigest": OFF_ALPHA.needing("ImageVolume"),
        "InPlacePodLevelResourcesVerticalScaling": ON_BETA.needing(
            "InPlacePodVerticalScaling", "PodLevelResources", "NodeDeclaredFeatures"
        ),
        "InPlacePodVerticalScalingInitContainers": ON_BETA.needing(
            "InPlacePodVerticalScaling", "NodeDeclaredFeatures"
        ),
        "MutableCSINodeAllocatableCount": LOCKED,
        "MutablePodResourcesForSuspendedJobs": ON_BETA,
        "MutableSchedulingDirectivesForSuspendedJobs": ON_BETA,
        "NodeDeclaredFeatures": ON_BETA,
        "ProcMountType": LOCKED.needing("UserNamespacesSupport"),
        "ResourceHealthStatus": ON_BETA.needing("DynamicResourceAllocation"),
        "ResourceHealthStatusMessage": ON_BETA.needing("ResourceHealthStatus"),
        "RestartAllContainersOnContainerExits": ON_BETA.needing(
            "ContainerRestartRules", "NodeDeclaredFeatures"
        ),
        "SELinuxChangePolicy": LOCKED,
        "SELinuxMountReadWriteOncePod": LOCKED,
        "StaleControllerConsistencyDaemonSet": ON_BETA,
        "StaleControllerConsistencyJob": ON_BETA,
        "StaleControllerConsistencyStatefulSet": ON_BETA,
        "StrictIPCIDRValidation": ON_BETA,
        "TopologyAwareWorkloadScheduling": OFF_ALPHA.needing("GenericWorkload"),
        "UserNamespacesHostNetworkSupport": OFF_ALPHA.needing(
            "UserNamespacesSupport", "NodeDeclaredFeatures"
        ),
        "UserNamespacesSupport": LOCKED,
        "VolumeAttributesClass": LOCKED,
        "WorkloadAwarePreemption": OFF_ALPHA.needing("GangScheduling"),
        "WorkloadWithJob": OFF_ALPHA.needing("GenericWorkload"),
    },
    without_gates=("CSIMigrationPortworx",),
    plugins=_plugins,
    lacking={
        "NodeName": frozenset({P.PRE_FILTER}),
        "NodeUnschedulable": frozenset({P.PRE_FILTER}),
        "TaintToleration": frozenset({P.PRE_FILTER}),
        "DynamicResources": frozenset({P.POD_GROUP_POST_FILTER}),
        "DefaultPreemption": frozenset({P.POD_GROUP_POST_FILTER}),
        "GangScheduling": frozenset({P.RESERVE}),
        "DeferredPodScheduling": None,
    },
    patches=(
        PatchRelease(until=2, facts={"devices": _DEVICES_TO_2}),
        PatchRelease(until=1, facts={"devices": _DEVICES_TO_1}),
    ),
    balance_is_relative=True,
    devices=_DEVICES,
    image_volumes=ImageVolumes.SUMMED,
    every_csi_driver_must_be_present=False,
    portworx_by_annotation=False,
    declared_features_reason_lists_them=False,
    declared_features=_INFERRED,
    api_versions={
        **V1_35.facts.api_versions,
        "DeviceTaintRule": ("v1beta2", "v1alpha3"),
        "PodGroup": ("v1alpha2",),
        "Workload": ("v1alpha2",),
    },
    known_features=_INFERRED
    | {
        "ExtendWebSocketsToKubelet",
        "InPlacePodLevelResourcesVerticalScaling",
        "InPlacePodVerticalScalingInitContainers",
    },
    strategy_needs_its_curve=True,
    overflow_names_the_scores=True,
    unknown_points=frozenset({P.POD_GROUP_POST_FILTER}),
    group_cycle=GroupCycle.OF_MEMBERS,
    group_condition="PodGroupScheduled",
    group_priority_gate="WorkloadAwarePreemption",
    nominations_wake_by_topology=True,
    repelled_pods_wake=True,
    admission=replace(
        V1_35.facts.admission,
        restart_policy_is_of_the_pod=True,
        plain_init_containers_resize_in_place=True,
        restart_actions_are_all_told=True,
        group_is_a_label=False,
    ),
)
