"""Rolling updates: new pods come and old ones go, step by step, until done or stuck."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import DaemonSet, Deployment, StatefulSet
from kschedctl.objects.pod import Pod
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.updates.rolling_daemons import DaemonRoll
from kschedctl.whatif.updates.rolling_deployment import roll_deployment
from kschedctl.whatif.updates.rolling_members import in_turn, roll_members
from kschedctl.whatif.updates.rolling_update import OldPod, RollingUpdate, stuck_text, take_away
from kschedctl.workloads import Workload, key_of
from kschedctl.workloads.daemon_set_update import replaces_on_delete
from kschedctl.workloads.stateful_set import creates_in_order, ordinal_of
from kschedctl.workloads.stateful_set_update import is_replaced


def takes_away_pending(workload: Workload, pod: Pod) -> bool:
    """Whether the rolling update of a workload removes an old pod that is pending, instead of waiting for it."""
    match workload:
        case StatefulSet():
            return not creates_in_order(workload) and is_replaced(workload, ordinal_of(pod.name))
        case DaemonSet():
            return not replaces_on_delete(workload)
        case _:
            return True


def replaced(workload: Workload, new: Sequence[Task], old: Sequence[OldPod]) -> list[OldPod]:
    """The old pods in whose place the rolling update of a workload puts new ones, or none at all.

    A strategy or a partition may keep the others: what ends these makes their controller make them anew.
    """
    match workload:
        case StatefulSet():
            return [pod for pod, _ in in_turn(workload, new, old)]
        case DaemonSet() if replaces_on_delete(workload):
            return []
        case _:
            return list(old)


def roll(
    simulator: Simulator, workload: Workload, new: Sequence[Task], old: Sequence[OldPod]
) -> RollingUpdate:
    """Replace the old pods of a workload by its new ones.

    Args:
        simulator: places the new pods; its other waiting pods may use what becomes free.
        workload: the workload as it is to be.
        new: its new pods, in the order in which they are created.
        old: its old pods.
    """
    match workload:
        case Deployment() if workload.spec.strategy is None or workload.spec.strategy.type != "Recreate":
            return roll_deployment(simulator, workload, new, old)
        case StatefulSet():
            return roll_members(simulator, workload, new, old)
        case DaemonSet():
            return DaemonRoll(simulator, workload, new, old).run()
        case _:  # no rollout of its own: the old ones go first
            take_away(simulator, old)
            simulator.submit(new)
            simulator.settle()
            placed = sum(task.placed for task in new)
            return RollingUpdate(key_of(workload), 1, placed, 0, stuck_text(new))
