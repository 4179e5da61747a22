"""Pods: the fields of `spec` and `status` that scheduling, preemption or admission read."""

from __future__ import annotations

from kschedctl.objects.constraints import Affinity, Toleration, TopologySpreadConstraint
from kschedctl.objects.containers import Container, ResourceRequirements
from kschedctl.objects.meta import (
    Condition,
    Int32,
    Int64,
    KubeObject,
    ObjectMeta,
    RawQuantity,
    ResourceList,
    TopLevel,
)
from kschedctl.objects.pod_volumes import Volume


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
