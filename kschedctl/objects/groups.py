"""Groups of pods that are scheduled together, and the workloads that controllers make them from (spec 07 §2)."""

from __future__ import annotations

from kschedctl.objects.meta import Condition, Int32, KubeObject, TopLevel
from kschedctl.objects.pod import PodResourceClaim, PodResourceClaimStatus


class BasicPolicy(KubeObject, frozen=True):
    """Members need not be placed together."""


class GangPolicy(KubeObject, frozen=True):
    """So many members are placed, or none."""

    min_count: Int32 = 0


class PodGroupPolicy(KubeObject, frozen=True):
    """How the members of a group depend on each other; exactly one of both."""

    basic: BasicPolicy | None = None
    gang: GangPolicy | None = None


class TopologyConstraint(KubeObject, frozen=True):
    """All members go to nodes with one value of a label."""

    key: str = ""


class SchedulingConstraints(KubeObject, frozen=True):
    """Where a group may be placed."""

    topology: tuple[TopologyConstraint, ...] = ()


class Single(KubeObject, frozen=True):
    """Members are disrupted one by one."""


class Together(KubeObject, frozen=True):
    """A group is disrupted as a whole."""


class DisruptionMode(KubeObject, frozen=True):
    """How preemption may take pods of a group; exactly one of both."""

    single: Single | None = None
    all: Together | None = None


class WorkloadTemplateReference(KubeObject, frozen=True):
    """The template of a workload that a group was made from; information alone."""

    workload_name: str = ""
    template_name: str = ""
    pod_group_template_name: str = ""


class PodGroupTemplateReference(KubeObject, frozen=True):
    """The same as 1.36 writes it."""

    workload: WorkloadTemplateReference | None = None


class GroupSpec(KubeObject, frozen=True):
    """What the specs of pod groups and of composite ones have in common."""

    scheduling_constraints: SchedulingConstraints | None = None
    disruption_mode: DisruptionMode | str | None = None
    """1.36 writes a word: `Pod` or `PodGroup`."""
    priority_class_name: str = ""
    priority: Int32 | None = None
    preemption_policy: str | None = None
    workload_ref: WorkloadTemplateReference | None = None
    parent_composite_pod_group_name: str | None = None

    @property
    def topology_key(self) -> str | None:
        """The label of which all members' nodes must have the same value."""
        constraints = self.scheduling_constraints
        return constraints.topology[0].key if constraints and constraints.topology else None

    @property
    def disrupted_together(self) -> bool:
        """Whether preemption takes all pods of the group or none."""
        mode = self.disruption_mode
        return mode.all is not None if isinstance(mode, DisruptionMode) else mode == "PodGroup"


class PodGroupSpec(GroupSpec, frozen=True):
    """`spec` of a pod group."""

    scheduling_policy: PodGroupPolicy = PodGroupPolicy()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    pod_group_template_ref: PodGroupTemplateReference | None = None

    @property
    def min_count(self) -> int | None:
        """How many members must be placed at once; None: the group has no gang policy."""
        gang = self.scheduling_policy.gang
        return None if gang is None else gang.min_count


class PodGroupStatus(KubeObject, frozen=True):
    """`status` of a pod group."""

    conditions: tuple[Condition, ...] = ()
    resource_claim_statuses: tuple[PodResourceClaimStatus, ...] = ()


class PodGroup(TopLevel, frozen=True):
    """Pods that are scheduled in one cycle; they name it in `spec.schedulingGroup`."""

    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()


class CompositeGangPolicy(KubeObject, frozen=True):
    """So many child groups are placed, or none."""

    min_group_count: Int32 = 0


class CompositePolicy(KubeObject, frozen=True):
    """How the children of a composite group depend on each other; exactly one of both."""

    basic: BasicPolicy | None = None
    gang: CompositeGangPolicy | None = None


class CompositePodGroupSpec(GroupSpec, frozen=True):
    """`spec` of a composite pod group."""

    scheduling_policy: CompositePolicy = CompositePolicy()

    @property
    def min_group_count(self) -> int | None:
        """How many child groups must be placed at once; None: the group has no gang policy."""
        gang = self.scheduling_policy.gang
        return None if gang is None else gang.min_group_count


class CompositePodGroup(TopLevel, frozen=True):
    """Groups that are scheduled in one cycle; they name it as their parent."""

    spec: CompositePodGroupSpec = CompositePodGroupSpec()


class WorkloadPodGroup(KubeObject, frozen=True):
    """A gang as 1.35 writes it, within its workload."""

    name: str = ""
    policy: PodGroupPolicy = PodGroupPolicy()


class WorkloadSpec(KubeObject, frozen=True):
    """`spec` of a workload: 1.35 schedules by its groups; later, controllers make groups from its templates."""

    pod_groups: tuple[WorkloadPodGroup, ...] = ()
    pod_group_templates: tuple[dict[str, object], ...] = ()
    """Validated, and read by controllers alone."""
    composite_pod_group_templates: tuple[dict[str, object], ...] = ()
    """The same; templates of composite groups hold others."""


class Workload(TopLevel, frozen=True):
    """What controllers make groups from; only the scheduler of 1.35 reads it."""

    spec: WorkloadSpec = WorkloadSpec()
