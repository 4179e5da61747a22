"""The queue of 1.37: all queued members of a topmost group wait as one (spec 07 §4)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from kschedctl.cluster.group_members import GroupKey, group_of
from kschedctl.cluster.group_tree import AnyGroup, ancestry, missing_ancestor
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.gangs.group import Group, group_of_members
from kschedctl.gangs.queue_state import MemberState
from kschedctl.scheduling.cycle import Scheduler


class _Member(Struct, eq=False):
    """A queued pod.

    Attributes:
        pod: the pod.
        since: when it came, or failed last; the clock is a count of events.
        attempts: how many cycles it has been in.
    """

    pod: PodRecord
    since: int
    attempts: int = 0


class _Entity(Struct, eq=False):
    """What is taken from the queue at once: a pod, or the members of a topmost group.

    Attributes:
        root: the group; None for a pod of none.
        since: when its first member came, or when it failed last.
        members: in no order.
        state: where it waits.
    """

    root: AnyGroup | None
    since: int
    members: list[_Member] = field(default_factory=list)
    state: MemberState = MemberState.GATED

    @property
    def priority(self) -> int:
        """That of the group, not of its pods."""
        return self.members[0].pod.priority if self.root is None else self.root.spec.priority or 0


_Key = tuple[str, ...]


class GroupQueue:
    """Entities by priority, then by how long they wait."""

    def __init__(self, scheduler: Scheduler, cluster: ClusterState) -> None:
        self._scheduler = scheduler
        self._cluster = cluster
        self._entities: dict[_Key, _Entity] = {}
        self._members: dict[int, _Member] = {}
        self._under_way: _Entity | None = None
        self._returning: list[_Member] = []
        self._clock = 0

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def enter(self, pod: PodRecord) -> None:
        """A pod arrives, and joins the others of its topmost group; without that it is set aside."""
        if node := pod.pod.nominated_node_name:
            self._cluster.nominate(pod.id, node)
        member = self._members[pod.id] = _Member(pod, self._tick())
        key = group_of(pod)
        if key is not None and missing_ancestor(self._cluster, key) is not None:
            return
        entity = self._entity_of(member, key)
        entity.members.append(member)
        self._let_in(entity)

    def _entity_of(self, member: _Member, key: GroupKey | None) -> _Entity:
        if key is None:
            found = self._entities[("", str(member.pod.id))] = _Entity(None, member.since)
            return found
        root = ancestry(self._cluster, key)[-1]
        return self._entities.setdefault(
            (type(root).__name__, root.namespace, root.name), _Entity(root, member.since)
        )

    def _let_in(self, entity: _Entity) -> None:
        """Run PreEnqueue for all members: one that is gated keeps all others back."""
        gated = any(self._is_gated(member.pod) for member in entity.members)
        entity.state = MemberState.GATED if gated else MemberState.ACTIVE

    def _is_gated(self, pod: PodRecord) -> bool:
        framework = self._scheduler.framework(pod.pod.spec.scheduler_name)
        assert framework is not None
        return framework.pre_enqueue(pod, self._cluster) is not None

    def pop(self) -> PodRecord | Group | None:
        """The next pod or group to be tried, which leaves the queue; None: nothing is ready."""
        ready = [
            (key, entity) for key, entity in self._entities.items() if entity.state is MemberState.ACTIVE
        ]
        if not ready:
            return None
        key, first = min(ready, key=lambda item: (-item[1].priority, item[1].since))
        del self._entities[key]
        for member in first.members:
            member.attempts += 1
        if first.root is None:
            return first.members[0].pod
        self._under_way = first
        ordered = sorted(first.members, key=lambda m: (-m.pod.priority, -m.attempts, m.since, m.pod.name))
        return group_of_members(first.root, [member.pod for member in ordered], self._cluster)

    def back(self, pod: PodRecord) -> None:
        """A pod failed; a member comes back together with the others once the cycle is over."""
        member = self._members[pod.id]
        member.since = self._tick()
        if self._under_way is not None:
            self._returning.append(member)
            return
        entity = self._entities[("", str(pod.id))] = _Entity(None, self._tick(), [member])
        entity.state = MemberState.BACKING_OFF

    def cycle_ended(self, *, succeeded: bool) -> None:
        """The cycle of a group is over: the members that failed wait, or are tried at once if the group succeeded."""
        before, self._under_way = self._under_way, None
        if before is None or not self._returning:
            return
        assert before.root is not None
        entity = _Entity(before.root, before.since if succeeded else self._tick(), self._returning)
        self._returning = []
        self._entities[(type(before.root).__name__, before.root.namespace, before.root.name)] = entity
        entity.state = MemberState.BACKING_OFF
        if succeeded:
            self._let_in(entity)

    def activate(self, pods: Iterable[PodRecord]) -> None:
        """Let entities that wait be tried at once, each for any of its pods."""
        wanted = {pod.id for pod in pods}
        for entity in self._entities.values():
            mine = any(member.pod.id in wanted for member in entity.members)
            if mine and entity.state is not MemberState.ACTIVE:
                self._let_in(entity)

    def permit_waits(self, group: Group) -> None:
        """A placed member waits for others: all members of the cycle are submitted together, so none is back yet."""
