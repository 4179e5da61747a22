"""Pods: the fields of `spec` and `status` that scheduling, preemption or admission read."""

from __future__ import annotations

from msgspec import field

from kschedctl.objects.meta import (
    Condition,
    Int32,
    Int64,
    KubeObject,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    ObjectMeta,
    RawQuantity,
    ResourceList,
    TopLevel,
)


class ContainerPort(KubeObject, frozen=True):
    """A port of a container."""

    name: str = ""
    container_port: Int32 = 0
    host_port: Int32 = 0
    host_ip: str = field(default="", name="hostIP")
    protocol: str = ""


class ContainerResourceClaim(KubeObject, frozen=True):
    """A reference from a container to an entry of `spec.resourceClaims`."""

    name: str = ""
    request: str = ""


class ResourceRequirements(KubeObject, frozen=True):
    """Requests and limits."""

    requests: ResourceList = {}
    limits: ResourceList = {}
    claims: tuple[ContainerResourceClaim, ...] = ()


class ContainerRestartRule(KubeObject, frozen=True):
    """One entry of `restartPolicyRules`."""

    action: str = ""


class VolumeMount(KubeObject, frozen=True):
    """What is read of a volume in a container."""

    bind_mount_options: tuple[str, ...] = ()


class Container(KubeObject, frozen=True):
    """A container or an init container."""

    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str | None = None
    restart_policy_rules: tuple[ContainerRestartRule, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()

    @property
    def is_sidecar(self) -> bool:
        """Whether an init container keeps running: `restartPolicy: Always`."""
        return self.restart_policy == "Always"


class Toleration(KubeObject, frozen=True):
    """A toleration; an empty operator means Equal."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: Int64 | None = None


class PreferredSchedulingTerm(KubeObject, frozen=True):
    """A weighted node selector term."""

    weight: Int32 = 0
    preference: NodeSelectorTerm = NodeSelectorTerm()


class NodeAffinity(KubeObject, frozen=True):
    """`spec.affinity.nodeAffinity`."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: tuple[PreferredSchedulingTerm, ...] = ()

    @property
    def required(self) -> NodeSelector | None:
        """The required selector, None where there is none."""
        return self.required_during_scheduling_ignored_during_execution

    @property
    def preferred(self) -> tuple[PreferredSchedulingTerm, ...]:
        """The preferred terms."""
        return self.preferred_during_scheduling_ignored_during_execution


class PodAffinityTerm(KubeObject, frozen=True):
    """A term of inter-pod affinity or anti-affinity."""

    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    topology_key: str = ""
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class WeightedPodAffinityTerm(KubeObject, frozen=True):
    """A preferred term with its weight."""

    weight: Int32 = 0
    pod_affinity_term: PodAffinityTerm = PodAffinityTerm()


class PodAffinity(KubeObject, frozen=True):
    """`spec.affinity.podAffinity` or `podAntiAffinity`: the two have one shape."""

    required_during_scheduling_ignored_during_execution: tuple[PodAffinityTerm, ...] = ()
    preferred_during_scheduling_ignored_during_execution: tuple[WeightedPodAffinityTerm, ...] = ()

    @property
    def required(self) -> tuple[PodAffinityTerm, ...]:
        """The required terms."""
        return self.required_during_scheduling_ignored_during_execution

    @property
    def preferred(self) -> tuple[WeightedPodAffinityTerm, ...]:
        """The preferred terms."""
        return self.preferred_during_scheduling_ignored_during_execution


class Affinity(KubeObject, frozen=True):
    """`spec.affinity`."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class TopologySpreadConstraint(KubeObject, frozen=True):
    """One spread constraint, of a pod or of the plugin's arguments."""

    max_skew: Int32 = 0
    topology_key: str = ""
    when_unsatisfiable: str = ""
    label_selector: LabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: tuple[str, ...] = ()


class SchedulingGate(KubeObject, frozen=True):
    """A gate that keeps a pod out of the queue."""

    name: str = ""


class PodSchedulingGroup(KubeObject, frozen=True):
    """`spec.schedulingGroup`: the gang that a pod belongs to."""

    pod_group_name: str = ""


class WorkloadReference(KubeObject, frozen=True):
    """`spec.workloadRef`, what 1.35 has instead of `schedulingGroup`."""

    name: str = ""
    pod_group: str = ""
    pod_group_replica_key: str = ""


class PodResourceClaim(KubeObject, frozen=True):
    """An entry of `spec.resourceClaims`."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PersistentVolumeClaimVolumeSource(KubeObject, frozen=True):
    """A volume that is a claim."""

    claim_name: str = ""
    read_only: bool = False


class GcePersistentDisk(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    pd_name: str = ""
    read_only: bool = False


class AwsElasticBlockStore(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_id: str = field(default="", name="volumeID")
    read_only: bool = False


class AzureDisk(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    disk_name: str = ""
    disk_uri: str = field(default="", name="diskURI")
    kind: str = ""
    """`Shared`, `Dedicated` or `Managed`; the API server writes `Shared` where it is absent."""


class Cinder(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_id: str = field(default="", name="volumeID")


class Iscsi(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    target_portal: str = ""
    iqn: str = ""
    lun: Int32 = 0
    read_only: bool = False


class Rbd(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    monitors: tuple[str, ...] = ()
    pool: str = ""
    image: str = ""
    read_only: bool = False


class CsiVolumeSource(KubeObject, frozen=True):
    """An inline CSI volume."""

    driver: str = ""
    read_only: bool = False


class ImageVolumeSource(KubeObject, frozen=True):
    """A volume that is an image."""

    reference: str = ""


class EphemeralVolumeSource(KubeObject, frozen=True):
    """A generic ephemeral volume: its claim is `<pod>-<volume>`. The template is read by workloads only."""

    volume_claim_template: dict[str, object] = {}


class VsphereVolume(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_path: str = ""


class PortworxVolume(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_id: str = field(default="", name="volumeID")


class AzureFile(KubeObject, frozen=True):
    """Legacy in-tree share."""

    secret_name: str = ""
    share_name: str = ""


class ConfigurationVolume(KubeObject, frozen=True):
    """A volume that is a ConfigMap or a Secret: that it is one is all that is read of it."""


class Volume(KubeObject, frozen=True):
    """An entry of `spec.volumes`; kinds that scheduling does not read are all None."""

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    csi: CsiVolumeSource | None = None
    image: ImageVolumeSource | None = None
    gce_persistent_disk: GcePersistentDisk | None = None
    aws_elastic_block_store: AwsElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    iscsi: Iscsi | None = None
    rbd: Rbd | None = None
    vsphere_volume: VsphereVolume | None = None
    portworx_volume: PortworxVolume | None = None
    config_map: ConfigurationVolume | None = None
    secret: ConfigurationVolume | None = None

    @property
    def has_source(self) -> bool:
        """Whether it is of a kind that decides where a pod can go."""
        return self != Volume(name=self.name, config_map=self.config_map, secret=self.secret)

    @property
    def is_configuration(self) -> bool:
        """Whether it is a ConfigMap or a Secret."""
        return self.config_map is not None or self.secret is not None


class PodSpec(KubeObject, frozen=True):
    """`spec` of a pod."""

    node_name: str = ""
    scheduler_name: str = ""
    priority: Int32 | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    overhead: ResourceList = {}
    resources: ResourceRequirements | None = None
    node_selector: dict[str, str] | None = None
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    scheduling_gates: tuple[SchedulingGate, ...] = ()
    scheduling_group: PodSchedulingGroup | None = None
    workload_ref: WorkloadReference | None = None
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    runtime_class_name: str | None = None
    host_network: bool = False
    host_users: bool | None = None
    restart_policy: str = ""
    termination_grace_period_seconds: Int64 | None = None
    active_deadline_seconds: Int64 | None = None
    hostname: str = ""
    subdomain: str = ""

    @property
    def pod_group(self) -> str:
        """The name of the gang, empty where the pod is in none."""
        if self.scheduling_group is not None:
            return self.scheduling_group.pod_group_name
        return self.workload_ref.pod_group if self.workload_ref is not None else ""


class ContainerStatus(KubeObject, frozen=True):
    """Resources that a running container really has."""

    name: str = ""
    resources: ResourceRequirements | None = None
    allocated_resources: ResourceList = {}


class PodResourceClaimStatus(KubeObject, frozen=True):
    """The claim generated for an entry of `spec.resourceClaims`."""

    name: str = ""
    resource_claim_name: str | None = None


class ExtendedResourceMapping(KubeObject, frozen=True):
    """Which request of the special claim serves which resource of which container."""

    container_name: str = ""
    resource_name: str = ""
    request_name: str = ""


class ExtendedResourceClaimStatus(KubeObject, frozen=True):
    """The claim that backs the pod's extended resources."""

    resource_claim_name: str = ""
    request_mappings: tuple[ExtendedResourceMapping, ...] = ()


class NodeAllocatableMapped(KubeObject, frozen=True):
    """How much of a node resource the devices of a claim are."""

    name: str = ""
    quantity: RawQuantity | None = None


class NodeAllocatableOverheadOfClaim(KubeObject, frozen=True):
    """How much of a node resource the devices of a claim take beside that."""

    name: str = ""
    per_pod: RawQuantity | None = None
    per_container: RawQuantity | None = None


class NodeAllocatableClaimStatus(KubeObject, frozen=True):
    """What a pod takes of its node by the devices of one claim (gate DRANodeAllocatableResources)."""

    resource_claim_name: str = ""
    containers: tuple[str, ...] = ()
    resources: ResourceList = {}
    """In 1.36; from 1.37 on there are the other two."""
    mapping: tuple[NodeAllocatableMapped, ...] = ()
    overhead: tuple[NodeAllocatableOverheadOfClaim, ...] = ()


class PodStatus(KubeObject, frozen=True):
    """`status` of a pod."""

    phase: str = ""
    nominated_node_name: str = ""
    start_time: str | None = None
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    resources: ResourceRequirements | None = None
    allocated_resources: ResourceList = {}
    resource_claim_statuses: tuple[PodResourceClaimStatus, ...] = ()
    extended_resource_claim_status: ExtendedResourceClaimStatus | None = None
    node_allocatable_resource_claim_statuses: tuple[NodeAllocatableClaimStatus, ...] = ()


class Pod(TopLevel, frozen=True):
    """A pod, existing or hypothetical."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def uid(self) -> str:
        """`metadata.uid`, `namespace/name` where none is written."""
        return self.metadata.uid or self.full_name

    @property
    def priority(self) -> int:
        """`spec.priority`, 0 where none is written."""
        return self.spec.priority or 0

    @property
    def is_terminal(self) -> bool:
        """Whether the pod is done: it does not exist for the scheduler."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def is_terminating(self) -> bool:
        """Whether deletion has begun; the pod still holds what it holds."""
        return self.metadata.deletion_timestamp is not None


class PodTemplateSpec(KubeObject, frozen=True):
    """The pod that a workload makes copies of."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
