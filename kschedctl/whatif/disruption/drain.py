"""Draining nodes: who is evicted, in which order budgets allow it, and where everything goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.disruption.budgets import Budget, Budgets
from kschedctl.whatif.disruption.drain_plan import Deadlock, Drained, DrainPlan, Treatment
from kschedctl.whatif.disruption.waves import Waves
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.queue.in_flight import InFlight
from kschedctl.whatif.queue.runner import Runner
from kschedctl.whatif.queue.simulator import Inspect, Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, changed_world, run
from kschedctl.whatif.world.changes import Change
from kschedctl.whatif.world.node_edits import with_cordon
from kschedctl.whatif.world.targets import find_nodes
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.whatif.world.world import World
from kschedctl.workloads.controllers import is_daemon, is_recreated, is_static


def drain(
    loaded: Session,
    options: SchedulingOptions,
    targets: Sequence[str],
    *,
    force: bool = False,
    manifests: Sequence[TopLevel] = (),
    changes: Sequence[Change] = (),
    one_by_one: bool = False,
    tells: bool = False,
    effects: EffectsModel = EffectsModel.IN_FLIGHT,
    inspector: Callable[[Session], Inspect] | None = None,
    observer: Observer = SILENT,
) -> DrainPlan:
    """Drain nodes: cordon all of them, then evict in waves, each as large as the budgets allow.

    Pods that are pending are placed first, where they can be, and again after each wave: the scheduler goes on
    while a drain waits. A budget counts them, and the replacements that found a node, before the next wave.

    Args:
        loaded: the cluster as loaded; not changed.
        options: what to do where the real scheduler leaves room.
        targets: nodes by name or selector.
        force: delete pods that nothing controls.
        manifests: applied first, in order.
        changes: applied after the manifests, in order.
        one_by_one: let the pods of a node leave once those of the nodes before it have.
        tells: whether what happens is kept, in `DrainPlan.story`.
        effects: what an eviction does.
        inspector: makes the function that is applied to failed decisions.
        observer: is told the progress.

    Raises:
        UsageError: there is no such node.
    """
    world = changed_world(loaded.objects, Plan(manifests, changes=changes))
    nodes = list(dict.fromkeys(node.name for target in targets for node in find_nodes(world, target)))
    for name in nodes:
        for node in find_nodes(world, name):
            world.put(with_cordon(node, True))
    pods = _classified(world, nodes, force=force)
    for drained in pods:
        if drained.treatment is Treatment.EVICT:
            world.renew_volume_claims(drained.pod)
    session = loaded.with_objects(world.objects, options)
    inspect = inspector(session) if inspector else None
    runner: Runner
    if effects is EffectsModel.IN_FLIGHT:
        runner = InFlight(session, world.workload_of, tells=tells, inspect=inspect, observer=observer)
    else:
        runner = Simulator(session, world.workload_of, inspect=inspect, observer=observer)
    waves = Waves(runner, Budgets(world))
    run(world, runner)
    pods = [drained for drained in pods if waves.is_still_there(drained)]
    count, left = 0, list[tuple[str, ...]]()
    for part in [[d for d in pods if d.node == name] for name in nodes] if one_by_one else [pods]:
        count = waves.run(part, count)
        left.append(tuple(task.name for task in runner.unplaced))
    runner.finish()
    return DrainPlan(
        nodes=tuple(nodes),
        pods=pods,
        waves=count,
        left=left,
        deadlocks=_deadlocks(pods, runner.tasks),
        tasks=runner.tasks,
        evictions=runner.evictions,
        effects=effects,
        group_messages=runner.group_messages,
        story=runner.story,
        seconds=runner.seconds,
        world=world,
        session=session,
        before=Utilization.of(loaded.cluster),
        after=Utilization.of(session.cluster),
    )


def _classified(world: World, nodes: Sequence[str], *, force: bool) -> list[Drained]:
    finished = [pod for pod in world.all(Pod) if pod.is_terminal and pod.spec.node_name in nodes]
    pods = [*world.pods_on(nodes), *finished]
    found = [Drained(pod, world.workload_of(pod), treatment_of(pod, force=force)) for pod in pods]
    return sorted(found, key=lambda d: (nodes.index(d.node), d.pod.namespace, d.pod.name))


def treatment_of(pod: Pod, *, force: bool) -> Treatment:
    """What `kubectl drain` does with a pod; `force`: pods that nothing controls are deleted."""
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
            waiting=tuple(t.name for t in tasks if t.pending and budget.covers(t.pod)),
        )
        for budget, stuck in held.values()
    ]
