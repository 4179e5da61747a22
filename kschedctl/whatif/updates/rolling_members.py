"""Rolling update of a stateful set: one member after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kschedctl.objects.apps import StatefulSet
from kschedctl.whatif.queue.runner import Runner
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.updates.rolling_update import (
    ON_DELETE,
    OldPod,
    RollingUpdate,
    still_there,
    stuck_text,
    take_away,
)
from kschedctl.workloads import key_of
from kschedctl.workloads.stateful_set import creates_in_order, ordinal_of, ordinals_of
from kschedctl.workloads.stateful_set_update import partition_of, replaces_on_delete

Replaced: TypeAlias = tuple[OldPod, Task | None]
"""The old pod that goes and the new one that comes in its place."""


class MembersRoll:
    """A rolling update of a stateful set under way: missing members come first; those that no new one replaces stay.

    Args:
        runner: schedules the new members.
        workload: the set as it is to be.
        new: its new members.
        old: its old members.
    """

    def __init__(
        self, runner: Runner, workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]
    ) -> None:
        self._runner = runner
        self._workload = workload
        self._pairs = in_turn(workload, new, old)
        running = {ordinal_of(pod.name) for pod in old}
        self._missing = [task for task in new if ordinal_of(task.pod.name) not in running]
        self._created: list[Task] = []
        self._left = list(old)
        self._steps = 0

    def step(self) -> bool:
        """Create the members that are missing, or else replace one, once those that were created are placed."""
        if self._missing:
            self._steps += len(self._missing)
            self._create(self._missing)
            self._missing = []
            return True
        if vacated := self._vacated():
            self._steps += len(vacated)
            self._create(vacated)
            return True
        if not self._pairs or self._broken() or stuck_text(self._created):
            return False
        (gone, fresh), *self._pairs = self._pairs
        self._steps += 1
        take_away(self._runner, [gone])
        self._left.remove(gone)
        if fresh is not None:
            self._create([fresh])
        return True

    def _vacated(self) -> list[Task]:
        """The new members in the place of old ones that something else took away before their turn came."""
        there = {pod.id for pod in still_there(self._runner, self._left)}
        lost = [(gone, fresh) for gone, fresh in self._pairs if gone.id not in there]
        self._pairs = [pair for pair in self._pairs if pair not in lost]
        self._left = [pod for pod in self._left if all(pod is not gone for gone, _ in lost)]
        take_away(self._runner, [gone for gone, _ in lost])  # one that still ends leaves its name free then
        return [fresh for _, fresh in reversed(lost) if fresh is not None]

    def _broken(self) -> str:
        """The first old member that is not ready, for which a set that keeps the order waits; empty: none."""
        if not self._pairs or not creates_in_order(self._workload):
            return ""
        wanted = ordinals_of(self._workload)
        old = still_there(self._runner, self._left)
        broken = [pod for pod in old if not pod.ready and ordinal_of(pod.name) in wanted]
        if not broken:
            return ""
        first = min(broken, key=lambda pod: ordinal_of(pod.name))
        return f"{self._workload.namespace}/{first.name}: not ready, and OrderedReady waits for it"

    def _create(self, members: Sequence[Task]) -> None:
        self._created += members
        self._runner.submit(members)

    def result(self) -> RollingUpdate:
        """How it went."""
        left = still_there(self._runner, self._left)
        stuck = stuck_text(self._created) or self._broken()
        kept = _why_kept(self._workload) if left and not stuck else ""
        updated = sum(task.placed for task in self._created)
        return RollingUpdate(key_of(self._workload), self._steps, updated, len(left), stuck, kept)


def _why_kept(workload: StatefulSet) -> str:
    return ON_DELETE if replaces_on_delete(workload) else f"below partition {partition_of(workload)}"


def in_turn(workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]) -> list[Replaced]:
    """Members that are too many, then those that are replaced, each from the highest down."""
    running = {ordinal_of(pod.name): pod for pod in old}
    fresh = {ordinal_of(task.pod.name): task for task in new}
    wanted = ordinals_of(workload)
    too_many: list[Replaced] = [(running[i], None) for i in sorted(running, reverse=True) if i not in wanted]
    both: list[Replaced] = [(running[i], fresh[i]) for i in sorted(fresh, reverse=True) if i in running]
    return [*too_many, *both]
