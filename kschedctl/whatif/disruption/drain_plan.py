"""The plan of a drain: what becomes of each pod, in which wave, and what holds it up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from kschedctl.cluster.group_members import GroupKey
from kschedctl.objects.pod import Pod
from kschedctl.run.story import RunEvent
from kschedctl.whatif.disruption.budgets import Budget
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.queue.task import Eviction, Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.whatif.world.world import PodOrigin, World
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_daemon


class Treatment(StrEnum):
    """What `kubectl drain` does with a pod."""

    EVICT = "evict"
    """Evicted; its controller makes it anew elsewhere."""
    DELETE = "delete"
    """Evicted for good: nothing controls it, and --force is given."""
    REFUSE = "refuse"
    """Nothing controls it: without --force the drain does not begin."""
    DAEMON = "daemon"
    """A daemon: it stays (--ignore-daemonsets)."""
    STATIC = "static"
    """Run by the kubelet from a file: it stays."""
    FINISHED = "finished"
    """Has ended: deleted."""
    ENDING = "ending"
    """Is being deleted already."""


class Drained(Struct, eq=False):
    """A pod of a drained node.

    Attributes:
        pod: the pod.
        workload: whose pod it is.
        treatment: what becomes of it.
        wave: in which wave it is evicted, counted from 1; 0: never.
        waited_for: budgets that held it back before its wave, or for ever.
        task: the pod that takes its place.
    """

    pod: Pod
    workload: WorkloadKey
    treatment: Treatment
    wave: int = 0
    waited_for: list[Budget] = field(default_factory=list)
    task: Task | None = None

    @property
    def node(self) -> str:
        """The node it is on."""
        return self.pod.spec.node_name

    @property
    def goes(self) -> bool:
        """Whether it is to be evicted."""
        return self.treatment in (Treatment.EVICT, Treatment.DELETE)


class Deadlock(Struct, frozen=True):
    """A budget that lets no more pods go.

    Attributes:
        budget: the budget.
        pods: the pods that it holds.
        several: whether it is that more than one budget covers them, which the eviction API refuses.
        state: how the budget stood at the end.
        waiting: pods of the budget that found no new node, for which it waits.
    """

    budget: str
    pods: tuple[str, ...]
    several: bool
    state: str
    waiting: tuple[str, ...]


class DrainPlan(Struct, frozen=True):
    """How a drain goes.

    Attributes:
        nodes: names of the drained nodes.
        pods: every pod on them, by node, namespace and name.
        waves: how many waves of evictions it takes.
        left: the pods without a node once all have left, or once those of each node have where nodes go one by one.
        deadlocks: budgets that hold pods for ever.
        tasks: every pod that was to be scheduled: replacements, victims, and what was pending before.
        evictions: who is preempted, by replacements or by what was pending before.
        effects: what evictions did.
        group_messages: every group that was tried -> the text of its last status; None: groups are not looked at.
        story: what happened, in order, where that was asked for; nothing where effects are immediate.
        seconds: how long it takes until nothing moves any more.
        world: the objects, with the nodes cordoned, as they were before anything was evicted.
        session: the cluster at the end.
        before: the cluster as loaded.
        after: the cluster at the end.
    """

    nodes: tuple[str, ...]
    pods: Sequence[Drained]
    waves: int
    left: Sequence[tuple[str, ...]]
    deadlocks: Sequence[Deadlock]
    tasks: Sequence[Task]
    evictions: Sequence[Eviction]
    effects: EffectsModel
    group_messages: Mapping[GroupKey, str] | None
    story: Sequence[RunEvent]
    seconds: float
    world: World
    session: Session
    before: Utilization
    after: Utilization

    @property
    def refused(self) -> list[Drained]:
        """Pods that stop the drain before it begins."""
        return [pod for pod in self.pods if pod.treatment is Treatment.REFUSE]

    @property
    def held(self) -> list[Drained]:
        """Pods that no wave evicts."""
        return [pod for pod in self.pods if pod.goes and not pod.wave]

    @property
    def pending(self) -> list[Task]:
        """Pods that find no new node, whether evicted by the drain or preempted because of it."""
        return [t for t in self.tasks if not t.placed and t.origin is not PodOrigin.PENDING]

    @property
    def returning(self) -> list[Task]:
        """Pods that come to a drained node all the same, since they tolerate the cordon; daemons do not count."""
        return [task for task in self.tasks if task.node in self.nodes and not is_daemon(task.pod)]

    @property
    def possible(self) -> bool:
        """Whether the nodes become empty and every pod finds another node."""
        return not (self.refused or self.held or self.pending or self.returning)
