"""The queue of 1.36: members wait one by one, and the one that is taken pulls the others along (spec 07 §12)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from kschedctl.cluster.group_members import GroupMembers, group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.gangs.group import Group
from kschedctl.gangs.queue_state import MemberState
from kschedctl.objects.groups import PodGroup
from kschedctl.scheduling.cycle import Scheduler


class _Queued(Struct, eq=False):
    """A pod in the queue.

    Attributes:
        pod: the pod.
        since: when it came, or failed last; the clock is a count of events.
        entered: when it was first ready to be tried, None: never yet.
        state: where it waits.
    """

    pod: PodRecord
    since: int
    entered: int | None = None
    state: MemberState = MemberState.GATED


class MemberQueue:
    """Pods by priority, then by how long they wait."""

    def __init__(self, scheduler: Scheduler, cluster: ClusterState) -> None:
        self._scheduler = scheduler
        self._cluster = cluster
        self._members = GroupMembers.of(cluster)
        self._queued: dict[int, _Queued] = {}
        self._clock = 0

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def enter(self, pod: PodRecord) -> None:
        """A pod arrives; it may complete its gang, whose gated members are then let in."""
        self._queued[pod.id] = own = _Queued(pod, self._tick())
        self._let_in(own)
        key = group_of(pod)
        if key is not None:
            for member in self._waiting(key, MemberState.GATED):
                self._let_in(member)

    def _waiting(self, key: tuple[str, str], *states: MemberState) -> list[_Queued]:
        """Queued members in some states, those that wait longest first."""
        found = map(self._queued.get, self._members.known(key))
        return sorted((m for m in found if m is not None and m.state in states), key=lambda m: m.since)

    def _let_in(self, member: _Queued) -> bool:
        framework = self._scheduler.framework(member.pod.pod.spec.scheduler_name)
        assert framework is not None
        if framework.pre_enqueue(member.pod, self._cluster) is not None:
            member.state = MemberState.GATED
            return False
        if member.entered is None:
            member.entered = self._tick()
            if node := member.pod.pod.nominated_node_name:
                self._cluster.nominate(member.pod.id, node)
        member.state = MemberState.ACTIVE
        return True

    def pop(self) -> PodRecord | Group | None:
        """The next pod or group to be tried, which leaves the queue; None: nothing is ready."""
        ready = [member for member in self._queued.values() if member.state is MemberState.ACTIVE]
        if not ready:
            return None
        first = min(ready, key=lambda member: (-member.pod.priority, member.since))
        key = group_of(first.pod)
        if key is None:
            first.state = MemberState.OUT
            return first.pod
        others = self._waiting(key, MemberState.ACTIVE, MemberState.GATED, MemberState.BACKING_OFF)
        members = [m for m in others if m.state is MemberState.ACTIVE or self._let_in(m)]
        members.sort(key=lambda member: (-member.pod.priority, member.entered or 0))
        for member in members:
            member.state = MemberState.OUT
        found = self._cluster.objects.find(PodGroup, key[1], key[0])
        return Group(key, found, tuple(member.pod for member in members))

    def back(self, pod: PodRecord) -> None:
        """A pod failed, and comes back to wait until its time is over."""
        own = self._queued[pod.id]
        own.since, own.state = self._tick(), MemberState.BACKING_OFF

    def activate(self, pods: Iterable[PodRecord]) -> None:
        """Let pods that wait be tried at once."""
        for pod in pods:
            own = self._queued[pod.id]
            if own.state in (MemberState.GATED, MemberState.BACKING_OFF):
                self._let_in(own)

    def permit_waits(self, group: Group) -> None:
        """A placed member waits for others: those that are back are tried at once."""
        self.activate(
            member.pod for member in self._waiting(group.key, MemberState.BACKING_OFF, MemberState.GATED)
        )

    def cycle_ended(self, *, succeeded: bool) -> None:
        """Members come back one by one: there is nothing left to do."""
