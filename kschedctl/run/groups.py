"""Groups of pods in a run: who waits with whom, and the cycle of a group (spec 07 §4, §8, §12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kschedctl.cluster.group_members import GroupKey, GroupMembers, group_of
from kschedctl.cluster.group_tree import (
    ancestry,
    leaves_below,
    missing_ancestor,
)
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.versions import GroupCycle
from kschedctl.gangs import group_cycle, member_cycle
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.decision import GroupCondition, GroupDecision
from kschedctl.gangs.group import Group, group_of_members
from kschedctl.objects.groups import PodGroup
from kschedctl.plugins.gang_scheduling import GangScheduling
from kschedctl.run.queue import SchedulingQueue
from kschedctl.run.queued_pod import QueuedPod
from kschedctl.run.scheduler_view import SchedulerView
from kschedctl.scheduling.cycle import Scheduler

GANGS: Final = GangScheduling.spec.name


class RunGroups:
    """What a run knows of groups; made only where the version schedules them as one and the gate is on.

    Args:
        scheduler: decides.
        view: what the scheduler knows.

    Attributes:
        messages: the text of the last status of every group that was tried; empty where it was scheduled.
    """

    def __init__(self, scheduler: Scheduler, view: SchedulerView) -> None:
        self._scheduler = scheduler
        self._view = view
        self._conditions: dict[GroupKey, GroupCondition] = {}
        self.messages: dict[GroupKey, str] = {}
        self.as_one: Final = scheduler.configuration.gates.group_cycle is GroupCycle.OF_GROUPS
        """Whether all members of a topmost group wait as one entity."""

    @classmethod
    def of(cls, scheduler: Scheduler, view: SchedulerView) -> RunGroups | None:
        """Those of a scheduler; None where it schedules pods one by one."""
        return None if scheduler.configuration.gates.group_cycle is GroupCycle.NONE else cls(scheduler, view)

    @property
    def _cluster(self) -> ClusterState:
        return self._view.cluster

    def is_set_aside(self, pod: PodRecord) -> bool:
        """Whether a group above a pod is not there, so that it does not come to the queue at all."""
        key = group_of(pod)
        return self.as_one and key is not None and missing_ancestor(self._cluster, key) is not None

    def companions(self, pod: PodRecord) -> Iterator[PodRecord]:
        """The other members, known to the scheduler, of what is tried together with a pod."""
        key = group_of(pod)
        if key is None:
            return
        members, records = GroupMembers.of(self._cluster), self._cluster.pods.records
        for leaf in self._leaves(key):
            for member in members.known(leaf):
                if member != pod.id:
                    yield records[member]

    def _leaves(self, key: GroupKey) -> list[GroupKey]:
        above = ancestry(self._cluster, key) if self.as_one else []
        if not above:
            return [key]
        return [(leaf.namespace, leaf.name) for leaf in leaves_below(self._cluster, above[-1])]

    def release(self, queue: SchedulingQueue, pod: PodRecord) -> None:
        """Let those in that were kept out for the lack of a pod, or for its sake."""
        if group_of(pod) is not None:
            self._let_in(queue, self.companions(pod))

    def release_all(self, queue: SchedulingQueue) -> None:
        """Let members in whose groups are there by now."""
        self._let_in(queue, [pod for pod in self._view.records.values() if group_of(pod) is not None])

    def _let_in(self, queue: SchedulingQueue, pods: Iterator[PodRecord] | Sequence[PodRecord]) -> None:
        for pod in list(pods):
            queued = queue.find(pod.full_name)
            if queued is not None and queued.gate:
                queue.activate(pod.full_name)

    def taken_along(self, queue: SchedulingQueue, first: QueuedPod) -> list[QueuedPod]:
        """A pod that was popped, and those that are tried together with it, which leave the queue."""
        found = [first]
        for pod in self.companions(first.record):
            queued = queue.find(pod.full_name)
            if queued is not None and not queued.gate:
                found.append(queue.take(queued))
        return found

    def decide(self, pods: Sequence[QueuedPod]) -> GroupDecision:
        """The decision for pods that are tried together."""
        first = pods[0].record
        framework = self._scheduler.framework(first.pod.spec.scheduler_name)
        assert framework is not None
        context = GroupContext(self._scheduler, framework, self._cluster, self._conditions)
        key = group_of(first)
        assert key is not None
        if self.as_one:
            root = ancestry(self._cluster, key)[-1]
            ordered = sorted(
                pods, key=lambda pod: (-pod.record.priority, -pod.attempts, pod.timestamp, pod.record.name)
            )
            group = group_of_members(root, [pod.record for pod in ordered], self._cluster)
            decision = group_cycle.decide_group(context, group)
        else:
            found = self._cluster.objects.find(PodGroup, key[1], key[0])
            members = sorted(pods, key=lambda pod: (-pod.record.priority, pod.entered))
            decision = member_cycle.decide_group(
                context, Group(key, found, tuple(pod.record for pod in members))
            )
        for verdict in decision.verdicts:
            self.messages[verdict.group.key] = verdict.message
            if verdict.condition is not None:
                self._conditions[verdict.group.key] = verdict.condition
        return decision
