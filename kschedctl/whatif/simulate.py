"""What happens to many pods after some changes: a release, a drain, a lost zone, another number of replicas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.group_members import GroupKey
from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.errors import UsageError
from kschedctl.framework.configuration.profile import SchedulerConfiguration
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import plural
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.run.story import RunEvent
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.queue.in_flight import InFlight
from kschedctl.whatif.queue.quotas import QuotaLedger
from kschedctl.whatif.queue.replay import QueueResult, Replay, ReplayRunner
from kschedctl.whatif.queue.runner import Runner
from kschedctl.whatif.queue.simulator import Inspect, Simulator
from kschedctl.whatif.queue.task import Eviction, Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.updates.rolling import replaced, roll_of, takes_away_pending
from kschedctl.whatif.updates.rolling_update import Roll, RollingUpdate, old_pods
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.changes import Change, apply_changes
from kschedctl.whatif.world.release import apply_manifests, create_deployed
from kschedctl.whatif.world.room import most_to_make
from kschedctl.whatif.world.settled import settled_objects
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.whatif.world.world import Created, PodOrigin, World
from kschedctl.workloads import Workload, WorkloadKey
from kschedctl.workloads.deletion_order import replica_deletion_order


class Plan(Struct, frozen=True):
    """What is asked of a cluster.

    Attributes:
        manifests: objects to apply, in order.
        rollout: what happens to the running pods of workloads that the manifests replace.
        changes: applied after the manifests, in order.
        single_pass: try each pod once; effects are immediate then.
        effects: what an eviction does.
        replay: how the queue is replayed; None: all that waits is there at once.
        tells: whether what happens is kept, in `SimulationResult.story`.
        counts: whether equal pods that no node can hold are only counted.
        at_least: so many of each workload are made all the same.
    """

    manifests: Sequence[TopLevel] = ()
    rollout: RolloutMode = RolloutMode.RECREATE
    changes: Sequence[Change] = ()
    single_pass: bool = False
    effects: EffectsModel = EffectsModel.IN_FLIGHT
    replay: Replay | None = None
    tells: bool = False
    counts: bool = False
    at_least: int = 0

    @property
    def model(self) -> EffectsModel:
        """The model of effects that is used."""
        return EffectsModel.IMMEDIATE if self.single_pass else self.effects


class SimulationResult(Struct, frozen=True):
    """What came of a plan.

    Attributes:
        session: the cluster at the end.
        world: its objects after the changes, as they were before anything was scheduled.
        tasks: every pod that was to be scheduled, in order of arrival.
        evictions: what preemption took off its node, in order.
        rollouts: rolling updates.
        lost: pods that the changes took away and that nothing brings back.
        notes: what a person should know.
        passes: how often the queue was gone through.
        effects: what evictions did.
        group_messages: every group that was tried -> the text of its last status; None: groups are not looked at.
        story: what happened, in order, where that was asked for; nothing where effects are immediate.
        seconds: how long it takes until nothing moves any more.
        queue: how a replay of the queue went; None: there was none.
        before: the cluster as loaded.
        after: the cluster at the end.
    """

    session: Session
    world: World
    tasks: Sequence[Task]
    evictions: Sequence[Eviction]
    rollouts: Sequence[RollingUpdate]
    lost: Sequence[Pod]
    notes: Sequence[str]
    passes: int
    effects: EffectsModel
    group_messages: Mapping[GroupKey, str] | None
    story: Sequence[RunEvent]
    seconds: float
    queue: QueueResult | None
    before: Utilization
    after: Utilization

    @property
    def pending(self) -> list[Task]:
        """Pods that wait for a node; those that are not even created do not count."""
        return [task for task in self.tasks if task.pending]

    @property
    def refused(self) -> list[Task]:
        """Pods that name their node, and that the kubelet there refuses."""
        return [task for task in self.tasks if task.refusal is not None]

    @property
    def not_created(self) -> list[Task]:
        """Pods whose controller waits for another one before it creates them."""
        return [task for task in self.tasks if task.waits_for]

    @property
    def stuck(self) -> list[RollingUpdate]:
        """Rolling updates that cannot go on."""
        return [update for update in self.rollouts if update.stuck]


def simulate(
    loaded: Session,
    options: SchedulingOptions,
    plan: Plan,
    *,
    inspector: Callable[[Session], Inspect] | None = None,
    inspect_all: bool = False,
    observer: Observer = SILENT,
) -> SimulationResult:
    """Apply a plan to a cluster and schedule everything that is then pending.

    Args:
        loaded: the cluster as loaded; not changed.
        options: what to do where the real scheduler leaves room.
        plan: manifests and changes.
        inspector: makes the function that is applied to decisions, once the cluster is there.
        inspect_all: apply it to placements too, not only to failures.
        observer: is told the progress.

    Raises:
        UsageError: a change is about something that is not there.
        InputError: an object cannot be used.
    """
    world = changed_world(loaded.objects, plan, loaded.scheduler.configuration)
    session = loaded.with_objects(world.objects, options)
    inspect = inspector(session) if inspector else None
    runner = _runner(plan, session, world, inspect, observer, inspect_all=inspect_all)
    runner.quotas = quotas = QuotaLedger(session, loaded)
    rollouts = run(world, runner)
    runner.finish()
    _enter_counted(world, runner.tasks)
    return SimulationResult(
        session=session,
        world=world,
        tasks=runner.tasks,
        evictions=runner.evictions,
        rollouts=[roll.result() for roll in rollouts],
        lost=world.lost,
        notes=[*world.notes, *quotas.notes, *_batching_notes(runner.hints_taken)],
        passes=runner.passes,
        effects=plan.model,
        group_messages=runner.group_messages,
        story=runner.story,
        seconds=runner.seconds,
        queue=runner.queue_result if isinstance(runner, ReplayRunner) else None,
        before=Utilization.of(loaded.cluster),
        after=Utilization.of(session.cluster),
    )


def _batching_notes(hints_taken: int) -> list[str]:
    """That pods were not scored, and how to have them scored."""
    if not hints_taken:
        return []
    return [
        f"{plural(hints_taken, 'pod')} went where the scores of an equal pod led (OpportunisticBatching), which "
        "kube-scheduler forgets after 500 ms, a time that passes nowhere here; without: --feature-gates "
        "OpportunisticBatching=false"
    ]


def _runner(
    plan: Plan,
    session: Session,
    world: World,
    inspect: Inspect | None,
    observer: Observer,
    *,
    inspect_all: bool,
) -> Runner:
    whose = world.workload_of
    told: _Told = {"inspect": inspect, "inspect_all": inspect_all, "observer": observer}
    if plan.replay is not None:
        if plan.model is EffectsModel.IMMEDIATE:
            raise UsageError(
                "effects cannot be immediate where the queue is replayed",
                hint="Leave --effects immediate or --single-pass out: a replay is about what happens in time.",
            )
        return ReplayRunner(session, whose, plan.replay, tells=plan.tells, **told)
    if plan.model is EffectsModel.IN_FLIGHT:
        return InFlight(session, whose, tells=plan.tells, **told)
    return Simulator(session, whose, single_pass=plan.single_pass, **told)


class _Told(TypedDict):
    inspect: Inspect | None
    inspect_all: bool
    observer: Observer


def settled_session(found: SimulationResult) -> Session:
    """The cluster some time later: what was placed runs, with its volumes bound."""
    scheduler = found.session.scheduler
    objects = settled_objects(found.world, found.session.cluster)
    return found.session.with_objects(objects, scheduler.options)


def _enter_counted(world: World, tasks: Sequence[Task]) -> None:
    """Let the last pod of a workload that is on no node stand for those that are only counted."""
    unplaced = {task.workload: task for task in tasks if not task.placed}
    for key, count in world.counted.items():
        if key in unplaced:
            unplaced[key].counted = count


def changed_world(
    objects: Sequence[TopLevel], plan: Plan, configuration: SchedulerConfiguration | None = None
) -> World:
    """The objects after a plan's manifests and changes; the pods of its workloads are to be created.

    Args:
        objects: the cluster as loaded.
        plan: manifests and changes.
        configuration: who schedules; needed where equal pods are to be counted.
    """
    world = World(objects)
    apply_manifests(world, plan.manifests, plan.rollout)
    apply_changes(world, plan.changes)
    counts = plan.counts and plan.replay is None  # a replay may bring nodes
    most = most_to_make(world.nodes, configuration) if counts and configuration is not None else None
    create_deployed(world, None if most is None else max(most, plan.at_least))
    return world


def run(world: World, runner: Runner) -> list[Roll]:
    """Schedule all that a world has pending, while controllers roll their workloads side by side.

    In rounds: every controller creates and deletes what its rules allow now, and then the scheduler goes on until
    nothing moves any more. It ends with a round in which no controller does anything.

    Returns:
        The rolling updates, at their end.
    """
    rolled = _rolled_while_pending(world)
    pending = [
        task
        for task in pending_tasks(runner.session, world)
        if (task.pod.namespace, task.pod.name) not in rolled
    ]
    batches: dict[WorkloadKey, list[Task]] = {key: [] for key, d in world.deployed.items() if d.old}
    daemons: list[Task] = []
    others: list[Task] = []
    for created in world.created:
        task = enter(runner.session, world, created)
        if created.batch is not None:
            batches[created.batch].append(task)
        else:
            (daemons if created.origin is PodOrigin.DAEMON else others).append(task)
    for key, tasks in batches.items():
        old = old_pods(runner, world.deployed[key].old)
        runner.retire(pod.id for pod in replaced(_workload(world, key), tasks, old))
    runner.submit([*daemons, *pending, *others])
    rolls = [_begun(runner, world, key, tasks) for key, tasks in batches.items()]
    settled = False
    while True:
        steps = [roll.step() for roll in rolls]
        if settled and not any(steps):
            return rolls
        runner.settle()
        settled = True


def enter(session: Session, world: World, created: Created) -> Task:
    """Put a pod that is to be created through admission."""
    pod = created.pod
    entered = session.enter_pending(pod)
    came_from = world.came_from.get((pod.namespace, pod.name), "")
    task = Task(pod, None, world.workload_of(pod), created.origin, running_on=came_from)
    if isinstance(entered, Invalid):
        task.outcome, task.message = Outcome.INVALID, str(entered)
    else:
        task.record = entered
    return task


def pending_tasks(session: Session, world: World) -> list[Task]:
    """Pods that wait in the cluster, the oldest first, else in the order of the input.

    Those being deleted are not scheduled any more.
    """
    tasks = []
    for record in sorted(session.pending(), key=lambda record: _created_at(record.pod)):
        pod = record.pod.source
        if pod is None or pod.is_terminating:
            continue
        key = (pod.namespace, pod.name)
        origin = world.origins.get(key, PodOrigin.PENDING)
        task = Task(pod, record, world.workload_of(pod), origin, running_on=world.came_from.get(key, ""))
        tasks.append(task)
    return tasks


def _created_at(pod: AdmittedPod) -> int:
    """Nanoseconds since 1970; a pod whose age is not known is older than all others."""
    at = start_of(pod.metadata.creation_timestamp)
    return -1 if at == NO_START else at


def _rolled_while_pending(world: World) -> set[tuple[str, str]]:
    """Old pods that are not scheduled any more where they are pending, since their rolling update removes them."""
    rolled = ((world.ownership.workload(key), deployed.old) for key, deployed in world.deployed.items())
    return {
        (pod.namespace, pod.name)
        for workload, old in rolled
        if workload is not None
        for pod in old
        if takes_away_pending(workload, pod)
    }


def _begun(runner: Runner, world: World, key: WorkloadKey, tasks: list[Task]) -> Roll:
    workload = _workload(world, key)
    pods = replica_deletion_order(world.deployed[key].old)
    for pod in pods:  # those that end are none of the controller's any more, and soon gone
        record = runner.session.find(pod.namespace, pod.name) if pod.is_terminating else None
        if record is not None:
            runner.take_off(record.id)
    pods = [pod for pod in pods if not pod.is_terminating]
    return roll_of(runner, workload, tasks, old_pods(runner, pods))


def _workload(world: World, key: WorkloadKey) -> Workload:
    workload = world.ownership.workload(key)
    assert workload is not None
    return workload
