"""Draining nodes: who is evicted, in which order budgets allow it, and where everything goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.workloads import WorkloadKey

from .changes import Change, with_cordon
from .disruption import Budget, Budgets, is_healthy
from .release import create_deployed
from .session import Session
from .simulate import pending_tasks
from .simulator import Eviction, Inspect, Simulator, Task
from .targets import find_nodes
from .utilization import Utilization
from .world import Origin, World, is_daemon, is_recreated, is_static, on_nodes


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


@dataclass(slots=True, eq=False)
class Drained:
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


@dataclass(frozen=True, slots=True)
class Deadlock:
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


@dataclass(frozen=True, slots=True)
class DrainPlan:
    """How a drain goes.

    Attributes:
        nodes: names of the drained nodes.
        pods: every pod on them, by node, namespace and name.
        waves: how many waves of evictions it takes.
        deadlocks: budgets that hold pods for ever.
        tasks: every pod that was to be scheduled: replacements, victims, and what was pending before.
        evictions: who is preempted by the replacements.
        session: the cluster at the end.
        before: the cluster as loaded.
        after: the cluster at the end.
    """

    nodes: tuple[str, ...]
    pods: Sequence[Drained]
    waves: int
    deadlocks: Sequence[Deadlock]
    tasks: Sequence[Task]
    evictions: Sequence[Eviction]
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
        return [t for t in self.tasks if not t.placed and t.origin is not Origin.PENDING]

    @property
    def possible(self) -> bool:
        """Whether the nodes become empty and every pod finds another node."""
        return not self.refused and not self.held and not self.pending


def drain(
    objects: Sequence[TopLevel],
    configuration: SchedulerConfiguration,
    options: SchedulingOptions,
    targets: Sequence[str],
    *,
    force: bool = False,
    changes: Sequence[Change] = (),
    inspector: Callable[[Session], Inspect] | None = None,
    observer: Observer = SILENT,
) -> DrainPlan:
    """Drain nodes: cordon all of them, then evict in waves, each as large as the budgets allow.

    A budget gets back what the replacements that found a node give it, before the next wave.

    Args:
        objects: the cluster as loaded.
        configuration: the scheduler.
        options: what to do where the real scheduler leaves room.
        targets: nodes by name or selector.
        force: delete pods that nothing controls.
        changes: applied first, in order.
        inspector: makes the function that is applied to failed decisions.
        observer: is told the progress.

    Raises:
        UsageError: there is no such node.
    """
    world = World(objects)
    for change in changes:
        change.apply(world)
    create_deployed(world)
    nodes = list(dict.fromkeys(node.name for target in targets for node in find_nodes(world, target)))
    for name in nodes:
        for node in find_nodes(world, name):
            world.put(with_cordon(node, True))
    pods = _classified(world, nodes, force=force)
    budgets = Budgets(world)
    replacements = {id(d): world.successor_of(d.pod) for d in pods if d.treatment is Treatment.EVICT}
    before = Session(objects, configuration, options).cluster
    session = Session(world.objects, configuration, options)
    simulator = Simulator(
        session, world.workload_of, inspect=inspector(session) if inspector else None, observer=observer
    )
    simulator.submit(pending_tasks(session, world))
    simulator.settle()
    waves = _Waves(simulator, budgets, replacements).run(pods)
    return DrainPlan(
        nodes=tuple(nodes),
        pods=pods,
        waves=waves,
        deadlocks=_deadlocks(pods, simulator.tasks),
        tasks=simulator.tasks,
        evictions=simulator.evictions,
        session=session,
        before=Utilization.of(before),
        after=Utilization.of(session.cluster),
    )


class _Waves:
    """Evicts what the budgets allow, places it, and does so again."""

    def __init__(self, simulator: Simulator, budgets: Budgets, replacements: dict[int, Pod]) -> None:
        self._simulator = simulator
        self._budgets = budgets
        self._replacements = replacements
        cluster = simulator.session.cluster
        self._ids = {(r.namespace, r.name): r.id for r in cluster.pods.records if r.pod.node_name}
        self._running: set[int] = set()
        self._seen_evictions = 0

    def run(self, pods: Sequence[Drained]) -> int:
        """Evict all that can go; returns the number of waves."""
        left = [pod for pod in pods if pod.goes]
        wave = 0
        while left:
            going = [pod for pod in left if self._lets_go(pod)]
            if not going:
                return wave
            wave += 1
            for pod in going:
                pod.wave = wave
            self._simulator.submit([task for pod in going if (task := self._replace(pod)) is not None])
            self._simulator.settle()
            self._follow_budgets(pods)
            left = [pod for pod in left if not pod.wave]
        return wave

    def _lets_go(self, drained: Drained) -> bool:
        refusing = self._budgets.refusing(drained.pod)
        if refusing:
            drained.waited_for += [b for b in refusing if b not in drained.waited_for]
            return False
        if is_healthy(drained.pod):
            self._budgets.lose(drained.pod)
        self._simulator.take_off(self._ids[drained.pod.namespace, drained.pod.name])
        return True

    def _replace(self, drained: Drained) -> Task | None:
        pod = self._replacements.get(id(drained))
        if pod is None:
            return None
        session = self._simulator.session
        record = session.cluster.add_pod(session.admission.admit_existing(pod))
        drained.task = Task(pod, record, drained.workload, Origin.DISPLACED, running_on=drained.node)
        return drained.task

    def _follow_budgets(self, pods: Sequence[Drained]) -> None:
        """Charge for preempted pods, and credit for those that found a node."""
        evictions = self._simulator.evictions
        for eviction in evictions[self._seen_evictions :]:
            if eviction.placed_here:
                self._running.discard(id(eviction.successor))
                self._budgets.lose(eviction.pod)
            elif is_healthy(eviction.pod):
                self._budgets.lose(eviction.pod)
        self._seen_evictions = len(evictions)
        made = [p.task for p in pods if p.task is not None]
        made += [e.successor for e in evictions if e.successor is not None]
        for task in made:
            if task.placed and id(task) not in self._running:
                self._running.add(id(task))
                self._budgets.recover(task.pod)


def _classified(world: World, nodes: Sequence[str], *, force: bool) -> list[Drained]:
    finished = [pod for pod in world.all(Pod) if pod.is_terminal]
    pods = [*on_nodes(world.pods, nodes), *on_nodes(finished, nodes)]
    found = [Drained(pod, world.workload_of(pod), _treatment(pod, force=force)) for pod in pods]
    return sorted(found, key=lambda d: (nodes.index(d.node), d.pod.namespace, d.pod.name))


def _treatment(pod: Pod, *, force: bool) -> Treatment:
    if pod.is_terminal:
        return Treatment.FINISHED
    if is_static(pod):
        return Treatment.STATIC
    if is_daemon(pod):
        return Treatment.DAEMON
    if pod.is_terminating:
        return Treatment.ENDING
    if is_recreated(pod):
        return Treatment.EVICT
    return Treatment.DELETE if force else Treatment.REFUSE


def _deadlocks(pods: Sequence[Drained], tasks: Sequence[Task]) -> list[Deadlock]:
    held: dict[int, tuple[Budget, list[Drained]]] = {}
    for drained in pods:
        if drained.goes and not drained.wave:
            for budget in drained.waited_for:
                held.setdefault(id(budget), (budget, []))[1].append(drained)
    return [
        Deadlock(
            budget=budget.name,
            pods=tuple(d.pod.full_name for d in stuck),
            several=all(len(d.waited_for) > 1 for d in stuck),
            state=budget.state(),
            waiting=tuple(t.name for t in tasks if not t.placed and budget.covers(t.pod)),
        )
        for budget, stuck in held.values()
    ]
