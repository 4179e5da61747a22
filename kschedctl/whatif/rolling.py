"""Rolling updates: new pods come and old ones go, step by step, until done or stuck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedctl.objects.apps import DaemonSet, Deployment, StatefulSet
from kschedctl.objects.int_or_percent import scaled
from kschedctl.workloads import Workload, WorkloadKey, replicas_of
from kschedctl.workloads.daemon_set import pinned_node
from kschedctl.workloads.stateful_set import ordinal_of

from .simulator import Simulator, Task

_DEFAULT_SHARE = "25%"


@dataclass(frozen=True, slots=True)
class RollingUpdate:
    """How a rolling update went.

    Attributes:
        workload: the workload.
        steps: how many times pods were created or taken away.
        updated: new pods that are placed.
        old: old pods that are still there.
        stuck: why it cannot go on, empty where it is done.
    """

    workload: WorkloadKey
    steps: int
    updated: int
    old: int
    stuck: str = ""


def roll(
    simulator: Simulator, workload: Workload, key: WorkloadKey, new: Sequence[Task], old: Sequence[int]
) -> RollingUpdate:
    """Replace the old pods of a workload by its new ones.

    Args:
        simulator: places the new pods; its other waiting pods may use what becomes free.
        workload: the workload as it is to be.
        key: its identity.
        new: its new pods, in the order in which they are created.
        old: pod table ids of its running pods.
    """
    match workload:
        case Deployment() if workload.spec.strategy is None or workload.spec.strategy.type != "Recreate":
            simulator.retire(old)
            return _roll_deployment(simulator, workload, key, list(new), list(old))
        case StatefulSet():
            return _roll_one_by_one(simulator, key, _from_the_highest(workload, new, old, simulator))
        case DaemonSet():
            return _roll_one_by_one(simulator, key, _by_node(new, old, simulator))
        case _:  # no rollout of its own: the old ones go first
            for pod in old:
                simulator.take_off(pod)
            simulator.submit(new)
            simulator.settle()
            placed = sum(task.placed for task in new)
            return RollingUpdate(key, 1, placed, 0, _stuck_text(new))


def surge_and_unavailable(workload: Deployment, replicas: int) -> tuple[int, int]:
    """How many pods a rollout may have too many, and too few; never both 0."""
    update = workload.spec.strategy.rolling_update if workload.spec.strategy else None
    surge = update.max_surge if update and update.max_surge is not None else _DEFAULT_SHARE
    missing = update.max_unavailable if update and update.max_unavailable is not None else _DEFAULT_SHARE
    most, fewest = scaled(surge, replicas, up=True), scaled(missing, replicas, up=False)
    return (most, fewest) if most or fewest else (0, 1)


def _roll_deployment(
    simulator: Simulator, workload: Deployment, key: WorkloadKey, new: list[Task], old: list[int]
) -> RollingUpdate:
    wanted = replicas_of(workload) or 0
    surge, unavailable = surge_and_unavailable(workload, wanted)
    created: list[Task] = []
    left = old
    steps = 0
    while len(created) < len(new) or left:
        room = max(wanted + surge - len(left) - len(created), 0)
        fresh = new[len(created) : len(created) + room]
        simulator.submit(fresh)
        created += fresh
        simulator.settle()
        left = [pod for pod in left if simulator.runs(pod)]  # new ones may have preempted some
        available = len(left) + sum(task.placed for task in created)
        spare = min(max(available - (wanted - unavailable), 0), len(left))
        for pod in left[:spare]:
            simulator.take_off(pod)
        left = left[spare:]
        if not fresh and not spare:
            break
        steps += 1
    simulator.settle()
    left = [pod for pod in left if simulator.runs(pod)]
    stuck = _stuck_text(created)
    if left and not stuck:
        stuck = f"{len(left)} old pods cannot go without too few being available"
    return RollingUpdate(key, steps, sum(task.placed for task in created), len(left), stuck)


_Pair = tuple[int | None, Task | None]
"""The old pod that goes and the new one that comes in its place."""


def _roll_one_by_one(simulator: Simulator, key: WorkloadKey, pairs: Sequence[_Pair]) -> RollingUpdate:
    updated = 0
    simulator.retire(old for old, _ in pairs if old is not None)
    for step, (old, new) in enumerate(pairs):
        if old is not None and simulator.runs(old):
            simulator.take_off(old)
        if new is None:
            continue
        simulator.submit([new])
        simulator.settle()
        if not new.placed:
            left = sum(old is not None and simulator.runs(old) for old, _ in pairs[step + 1 :])
            return RollingUpdate(key, step + 1, updated, left, _stuck_text([new]))
        updated += 1
    return RollingUpdate(key, len(pairs), updated, 0)


def _from_the_highest(
    workload: StatefulSet, new: Sequence[Task], old: Sequence[int], simulator: Simulator
) -> list[_Pair]:
    """Missing pods in ascending order first; then from the highest ordinal down to the partition."""
    records = simulator.session.cluster.pods.records
    running = {ordinal_of(records[pod].name): pod for pod in old}
    update = workload.spec.update_strategy
    if update is not None and update.type == "OnDelete":
        partition = 2**31
    else:
        partition = (update.rolling_update.partition if update and update.rolling_update else None) or 0
    fresh = {ordinal_of(task.pod.name): task for task in new}
    missing: list[_Pair] = [(None, fresh[i]) for i in sorted(fresh) if i not in running]
    too_many: list[_Pair] = [(running[i], None) for i in sorted(running, reverse=True) if i not in fresh]
    both = [i for i in sorted(fresh, reverse=True) if i in running and i >= partition]
    return [*missing, *too_many, *((running[i], fresh[i]) for i in both)]


def _by_node(new: Sequence[Task], old: Sequence[int], simulator: Simulator) -> list[_Pair]:
    """The old and the new daemon of each node; on new nodes there is no old one, on others no new one."""
    cluster = simulator.session.cluster
    running = {cluster.nodes.names[cluster.pods.node[pod]]: pod for pod in old if cluster.pods.node[pod] >= 0}
    pairs: list[_Pair] = [(running.pop(pinned_node(task.pod), None), task) for task in new]
    return [*pairs, *((pod, None) for pod in running.values())]


def _stuck_text(tasks: Sequence[Task]) -> str:
    waiting = [task for task in tasks if not task.placed]
    return f"{waiting[0].name}: {waiting[0].message}" if waiting else ""
