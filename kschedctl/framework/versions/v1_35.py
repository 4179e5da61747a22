"""What Kubernetes 1.35 changed (spec 06)."""

from typing import Final

from msgspec.structs import replace

from kschedctl.dra.rules import (
    AllocatorImplementation,
    CapacityRefusal,
    CounterScope,
    DistinctValues,
    ExtendedResourceRules,
    SharedUse,
)
from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.versions.default_plugin import DefaultPlugin
from kschedctl.framework.versions.gates import LOCKED, OFF_ALPHA, OFF_BETA, ON_BETA
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.version import PatchRelease
from kschedctl.objects.fault import Fault


def _plugins(before: tuple[DefaultPlugin, ...]) -> tuple[DefaultPlugin, ...]:
    scoring = DefaultPlugin("DynamicResources", 2, gate="DynamicResourceAllocation")
    return (
        *(scoring if plugin.name == scoring.name else plugin for plugin in before),
        DefaultPlugin("NodeDeclaredFeatures", gate="NodeDeclaredFeatures"),
        DefaultPlugin("GangScheduling", gate="GangScheduling"),
    )


_INCUBATING: Final = replace(
    V1_34.facts.devices.allocators[0].rules,
    sees_whole_pools=True,
    uses_incomplete_pools=False,
    invalid_pools_are_fatal=False,
    counter_scope=CounterScope.POOL_NAME,
    counters_reach_every_node=True,
    every_taint_blocks=False,
)
_EXPERIMENTAL: Final = replace(
    _INCUBATING,
    conditional_slices_last=True,
    selectors_see_sharing=True,
    shared_use=SharedUse.BY_CAPACITY,
    distinct_values=DistinctValues.LAST_OF_EACH_REQUEST,
    capacity_refusal=CapacityRefusal.BY_ALTERNATIVE,
    devices_bind_to_nodes=True,
)
_DEVICES: Final = replace(
    V1_34.facts.devices,
    allocators=(
        AllocatorImplementation(
            lacks=frozenset({"DRAConsumableCapacity", "DRADeviceBindingConditions"}), rules=_INCUBATING
        ),
        AllocatorImplementation(lacks=frozenset(), rules=_EXPERIMENTAL),
    ),
    extended=ExtendedResourceRules(
        scores_count_devices=True,
        implicit_names=True,
        explicit_name_is_the_only_one=False,
        an_entry_is_an_offer=False,
        own_offers_are_requested=False,
        containers_share=True,
        scalars_pass_where_none_is_extended=False,
    ),
    results_are_paired_by_position=Fault(
        issue="kubernetes/kubernetes#139016",
        text="with a claim that has its devices beside one that has none yet no node can be scored",
        mended="1.36.2",
    ),
    scores_ask_the_gate=False,
    taint_rules_gate="DRADeviceTaintRules",
)

VERSION: Final = V1_34.successor(
    "1.35",
    gates={
        "CSIServiceAccountTokenSecrets": ON_BETA,
        "ClearingNominatedNodeNameAfterBinding": ON_BETA,
        "ClusterTrustBundleProjection": OFF_BETA.needing("ClusterTrustBundle"),
        "ContainerRestartRules": ON_BETA,
        "DRAAdminAccess": ON_BETA.needing("DynamicResourceAllocation"),
        "DRAConsumableCapacity": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "DRADeviceBindingConditions": OFF_ALPHA.needing(
            "DynamicResourceAllocation", "DRAResourceClaimDeviceStatus"
        ),
        "DRADeviceTaintRules": OFF_ALPHA.needing("DRADeviceTaints"),
        "DRADeviceTaints": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "DRAExtendedResource": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "DRAPartitionableDevices": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "DRAPrioritizedList": ON_BETA.needing("DynamicResourceAllocation"),
        "DRASchedulerFilterTimeout": ON_BETA.needing("DynamicResourceAllocation"),
        "DeploymentReplicaSetTerminatingReplicas": ON_BETA,
        "DynamicResourceAllocation": LOCKED,
        "EnvFiles": ON_BETA,
        "GangScheduling": OFF_ALPHA.needing("GenericWorkload"),
        "GenericWorkload": OFF_ALPHA,
        "HPAConfigurableTolerance": ON_BETA,
        "HostnameOverride": ON_BETA,
        "ImageVolume": ON_BETA,
        "InPlacePodLevelResourcesVerticalScaling": OFF_ALPHA.needing(
            "InPlacePodVerticalScaling", "PodLevelResources", "NodeDeclaredFeatures"
        ),
        "InPlacePodVerticalScaling": LOCKED,
        "JobManagedBy": LOCKED,
        "MatchLabelKeysInPodTopologySpreadSelectorMerge": ON_BETA.needing(
            "MatchLabelKeysInPodTopologySpread"
        ),
        "MaxUnavailableStatefulSet": OFF_BETA,
        "MutableCSINodeAllocatableCount": ON_BETA,
        "MutablePVNodeAffinity": OFF_ALPHA,
        "MutablePodResourcesForSuspendedJobs": OFF_ALPHA,
        "MutableSchedulingDirectivesForSuspendedJobs": OFF_ALPHA,
        "NodeDeclaredFeatures": OFF_ALPHA,
        "NominatedNodeNameForExpectation": ON_BETA,
        "OpportunisticBatching": ON_BETA,
        "PodCertificateRequest": OFF_BETA,
        "PodLifecycleSleepActionAllowZero": LOCKED.needing("PodLifecycleSleepAction"),
        "PodObservedGenerationTracking": LOCKED,
        "PodTopologyLabelsAdmission": ON_BETA,
        "ProcMountType": ON_BETA.needing("UserNamespacesSupport"),
        "ResourceHealthStatus": OFF_ALPHA.needing("DynamicResourceAllocation"),
        "RestartAllContainersOnContainerExits": OFF_ALPHA.needing(
            "ContainerRestartRules", "NodeDeclaredFeatures"
        ),
        "SupplementalGroupsPolicy": LOCKED,
        "TaintTolerationComparisonOperators": OFF_ALPHA,
        "UserNamespacesHostNetworkSupport": OFF_ALPHA.needing("UserNamespacesSupport"),
        "VolumeLimitScaling": OFF_ALPHA,
    },
    without_gates=(
        "PodIndexLabel",
        "ProbeHostPodSecurityStandards",
        "StatefulSetAutoDeletePVC",
        "UserNamespacesPodSecurityStandards",
    ),
    plugins=_plugins,
    lacking={
        "NodeName": frozenset({P.PRE_FILTER}),
        "NodeUnschedulable": frozenset({P.PRE_FILTER}),
        "TaintToleration": frozenset({P.PRE_FILTER}),
        "NodeResourcesFit": frozenset({P.PLACEMENT_SCORE}),
        "DynamicResources": frozenset({P.POD_GROUP_POST_FILTER}),
        "DefaultPreemption": frozenset({P.POD_GROUP_POST_FILTER}),
        "DeferredPodScheduling": None,
        "TopologyPlacementGenerator": None,
        "PodGroupPodsCount": None,
    },
    patches=(
        PatchRelease(until=0, gates={"SchedulerAsyncAPICalls": ON_BETA}),
        PatchRelease(until=3, gates={"MaxUnavailableStatefulSet": ON_BETA}),
    ),
    ties_are_random=False,
    node_order_is_random=True,
    devices=_DEVICES,
    binding_timeout_is_known=True,
    declared_features=frozenset({"RestartAllContainersOnContainerExits"}),
    binding_frees_nomination=False,
    api_versions={
        **V1_34.facts.api_versions,
        "VolumeAttributesClass": ("v1", "v1beta1"),
        "Workload": ("v1alpha1",),
    },
    terminating_victims_are_left_alone=True,
    admission=replace(
        V1_34.facts.admission,
        label_limits_in_bytes=True,
        ordered_operators_exist=True,
        missing_driver_is_told_twice=False,
        group_is_a_label=True,
    ),
)
