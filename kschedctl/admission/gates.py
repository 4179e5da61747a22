"""What of a version and its feature gates changes what the API server accepts and says (spec 06 §1.2, §6)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class AdmissionFacts(Struct, frozen=True, kw_only=True):
    """Rules and texts that are not the same in all versions, each by a name that says what holds."""

    label_limits_in_bytes: bool
    """Limits of label keys and values are told in bytes, and keys are called label keys."""
    ordered_operators_exist: bool
    """Lt and Gt are told as operators of tolerations even where the gate does not let them pass."""
    missing_driver_is_told_twice: bool
    """The missing driver of a CSI volume is also told as one whose name is no subdomain."""
    restart_policy_is_of_the_pod: bool
    """What is said of resize policies calls the restart policy that of the pod."""
    plain_init_containers_resize_in_place: bool
    """Init containers that are no sidecars must not be restarted for a resize."""
    restart_actions_are_all_told: bool
    """All actions of restart rules that are supported are told, and how many rules there are."""
    group_is_a_label: bool
    """The name of a group is an RFC 1123 label, and the reference to it is `workloadRef`."""
    owners_are_told_by_position: bool
    """What is said of an owner names it by its position, and empty fields are told as required."""
    projected_files_have_a_user: bool
    """Sources of projected volumes can say whose the file is."""
    shared_processes_are_told_at_spec: bool
    """What is said of shareProcessNamespace names the field where it is."""


class GroupGates(Struct, frozen=True):
    """Which parts of a group the API server keeps; the defaults are those of all versions."""

    priority: bool = False
    """The priority of a group and how it is disrupted count."""
    preemption_policy: bool = False
    """PodGroupPreemptionPolicy."""
    topology: bool = False
    """TopologyAwareWorkloadScheduling."""
    claims: bool = False
    """DRAWorkloadResourceClaims."""
    composite: bool = False
    """CompositePodGroup."""


class AdmissionGates(Struct, frozen=True, kw_only=True):
    """Feature gates that change what the API server accepts, and the facts of its version.

    Without the gate of a field the API server drops the field.
    """

    pod_level_resources: bool
    """PodLevelResources."""
    pod_level_limits: bool
    """PodLevelResourcesFixDefaulting: pod-level requests and limits are completed whichever of them is written."""
    toleration_comparison_operators: bool
    """TaintTolerationComparisonOperators: tolerations may use Lt and Gt."""
    user_namespaces_host_network: bool
    """UserNamespacesHostNetworkSupport: `hostUsers: false` goes with `hostNetwork: true`."""
    merge_spread_selectors: bool
    """MatchLabelKeysInPodTopologySpread and its SelectorMerge: keys of spread constraints are merged on creation."""
    spread_label_keys: bool
    """MatchLabelKeysInPodTopologySpread: spread constraints have label keys."""
    container_restart_rules: bool
    """ContainerRestartRules: containers have restart policies of their own."""
    restart_all_containers: bool
    """RestartAllContainersOnContainerExits: a rule may restart the whole pod, and sidecars may have rules."""
    env_files: bool
    """EnvFiles: variables come from files."""
    hostname_override: bool
    """HostnameOverride."""
    image_volumes: bool
    """ImageVolume."""
    bind_mount_options: bool
    """VolumeBindMountOptions: mounts have options of their own."""
    pod_groups: bool
    """GenericWorkload: pods refer to groups."""
    cluster_trust_bundles: bool
    """ClusterTrustBundleProjection."""
    pod_certificates: bool
    """PodCertificateRequest."""
    stop_signals: bool
    """ContainerStopSignals."""
    selinux_mount: bool
    """SELinuxMount: the policy for changing labels may be another one than Recursive."""
    pod_deletion_cost: bool
    """PodDeletionCost: the annotation is checked."""
    dynamic_resources: bool
    """DynamicResourceAllocation: pods have claims."""
    strict_addresses: bool
    """StrictIPCIDRValidation: addresses have neither leading zeros nor IPv4 in IPv6."""
    groups: GroupGates
    """Those that concern groups of pods."""
    facts: AdmissionFacts

    @classmethod
    def of(
        cls, enabled: Callable[[str], bool], facts: AdmissionFacts, groups: GroupGates | None = None
    ) -> AdmissionGates:
        """The gates of a version.

        Args:
            enabled: whether the gate of a name is on.
            facts: those of the version.
            groups: those that concern groups of pods; None: no part of a group is kept.
        """
        return cls(
            pod_level_resources=enabled("PodLevelResources"),
            pod_level_limits=enabled("PodLevelResourcesFixDefaulting"),
            toleration_comparison_operators=enabled("TaintTolerationComparisonOperators"),
            user_namespaces_host_network=enabled("UserNamespacesHostNetworkSupport"),
            merge_spread_selectors=enabled("MatchLabelKeysInPodTopologySpread")
            and enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge"),
            spread_label_keys=enabled("MatchLabelKeysInPodTopologySpread"),
            container_restart_rules=enabled("ContainerRestartRules"),
            restart_all_containers=enabled("RestartAllContainersOnContainerExits"),
            env_files=enabled("EnvFiles"),
            hostname_override=enabled("HostnameOverride"),
            image_volumes=enabled("ImageVolume"),
            bind_mount_options=enabled("VolumeBindMountOptions"),
            pod_groups=enabled("GenericWorkload"),
            cluster_trust_bundles=enabled("ClusterTrustBundleProjection"),
            pod_certificates=enabled("PodCertificateRequest"),
            stop_signals=enabled("ContainerStopSignals"),
            selinux_mount=enabled("SELinuxMount"),
            pod_deletion_cost=enabled("PodDeletionCost"),
            dynamic_resources=enabled("DynamicResourceAllocation"),
            strict_addresses=enabled("StrictIPCIDRValidation"),
            groups=groups or GroupGates(),
            facts=facts,
        )
