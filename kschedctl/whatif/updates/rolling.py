"""Rolling updates: new pods come and old ones go, step by step, until done or stuck."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import DaemonSet, Deployment, StatefulSet
from kschedctl.objects.pod import Pod
from kschedctl.whatif.queue.runner import Runner
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.updates.rolling_daemons import DaemonRoll
from kschedctl.whatif.updates.rolling_deployment import DeploymentRoll
from kschedctl.whatif.updates.rolling_members import MembersRoll, in_turn
from kschedctl.whatif.updates.rolling_update import OldPod, Roll, RollingUpdate, stuck_text, take_away
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

    A strategy or a partition may keep the others, and a deployment scales its old replica sets down step by step:
    what ends these makes their controller make them anew.
    """
    match workload:
        case Deployment() if not _recreates(workload):
            return []
        case StatefulSet():
            return [pod for pod, _ in in_turn(workload, new, old)]
        case DaemonSet() if replaces_on_delete(workload):
            return []
        case _:
            return list(old)


class _WholeRoll:
    """An update without steps of its own: the old pods go first, then the new ones come."""

    def __init__(
        self, runner: Runner, workload: Workload, new: Sequence[Task], old: Sequence[OldPod]
    ) -> None:
        self._runner = runner
        self._workload = workload
        self._new = new
        self._old = list(old)
        self._begun = self._created = False

    def step(self) -> bool:
        """Delete the old pods, then create the new ones."""
        if self._old and not self._begun:
            self._begun = True
            take_away(self._runner, self._old)
            return True
        if self._created:
            return False
        self._created = True
        self._runner.submit(self._new)
        return True

    def result(self) -> RollingUpdate:
        """How it went."""
        placed = sum(task.placed for task in self._new)
        return RollingUpdate(key_of(self._workload), 1, placed, 0, stuck_text(self._new))


def roll_of(runner: Runner, workload: Workload, new: Sequence[Task], old: Sequence[OldPod]) -> Roll:
    """The rolling update of a workload, not begun.

    Args:
        runner: schedules the new pods; others that wait may use what becomes free.
        workload: the workload as it is to be.
        new: its new pods, in the order in which they are created.
        old: its old pods.
    """
    match workload:
        case Deployment() if not _recreates(workload):
            return DeploymentRoll(runner, workload, new, old)
        case StatefulSet():
            return MembersRoll(runner, workload, new, old)
        case DaemonSet():
            return DaemonRoll(runner, workload, new, old)
        case _:
            return _WholeRoll(runner, workload, new, old)


def _recreates(workload: Deployment) -> bool:
    return workload.spec.strategy is not None and workload.spec.strategy.type == "Recreate"
