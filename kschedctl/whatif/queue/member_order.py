"""Members of a stateful set are created one after another (`podManagementPolicy: OrderedReady`, spec 02 E.1)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.apps import StatefulSet
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads.readiness import is_ready
from kschedctl.workloads.stateful_set import creates_in_order, ordinal_of, ordinals_of


class MemberOrder:
    """Holds members back until all before them are ready, and hands them out when their turn comes.

    Members that wait in the cluster as loaded exist already and are not held. A set that is not in the input, and one
    whose policy is Parallel, has no order.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lines: dict[tuple[str, str], _Line | None] = {}

    def enter(self, members: Sequence[Task]) -> list[Task]:
        """Learn of pods that are to be scheduled; returns those that exist or are created now."""
        for member in members:
            if (line := self._line(member)) is not None:
                line.enter(member)
        return [m for m in members if (line := self._line(m)) is None or not line.holds(m)]

    def placed(self, member: Task) -> list[Task]:
        """The pods whose turn has come now that one is placed."""
        line = self._line(member)
        return [] if line is None else line.next()

    def lost(self, member: Task) -> None:
        """Note that a pod has lost its node, and with it its place in the line."""
        if (line := self._line(member)) is not None:
            line.enter(member)

    def tell(self) -> None:
        """Say of all that are held what they wait for."""
        for line in self._lines.values():
            if line is not None:
                line.tell()

    def _line(self, member: Task) -> _Line | None:
        owner = member.pod.metadata.controller
        if owner is None or owner.kind != "StatefulSet":
            return None
        key = (member.pod.namespace, owner.name)
        if key not in self._lines:
            found = self._session.cluster.objects.find(StatefulSet, owner.name, member.pod.namespace)
            ordered = found is not None and creates_in_order(found)
            self._lines[key] = _Line(self._session, found) if found is not None and ordered else None
        return self._lines[key]


class _Line:
    """The members of one set that have no node yet, and running ones that are not ready."""

    def __init__(self, session: Session, owner: StatefulSet) -> None:
        self._pods = session.cluster.pods
        numbers = ordinals_of(owner)
        there = [(i, record) for i, record in session.numbered(owner.namespace, owner.name) if i in numbers]
        self._unready = [(i, record) for i, record in there if _is_unready(record)]
        self._members: dict[int, Task] = {}
        self._unplaced: list[int] = []
        self._held: list[int] = []

    def enter(self, member: Task) -> None:
        """Put a member without a node into the line."""
        ordinal = ordinal_of(member.pod.name)
        self._members[ordinal] = member
        heapq.heappush(self._unplaced, ordinal)

    def holds(self, member: Task) -> bool:
        """Whether a member that is to be created has to wait; then it is held."""
        ordinal = ordinal_of(member.pod.name)
        if member.origin is PodOrigin.PENDING or self._first_not_ready() >= ordinal:
            return False
        heapq.heappush(self._held, ordinal)
        return True

    def next(self) -> list[Task]:
        """The held member whose turn has come, if it has."""
        if not self._held or self._first_not_ready() < self._held[0]:
            return []
        member = self._members[heapq.heappop(self._held)]
        member.waits_for = ""
        return [member]

    def tell(self) -> None:
        """Say of all that are held what they wait for."""
        if not self._held:
            return
        first = self._first_not_ready()
        running = next((record for i, record in self._unready if i == first and self._runs(record)), None)
        text = self._members[first].pod.name if running is None else _told(running)
        for ordinal in self._held:
            self._members[ordinal].waits_for = text

    def _first_not_ready(self) -> int:
        """The lowest number of a member that is not ready, very high where all are."""
        while self._unplaced and self._members[self._unplaced[0]].placed:
            heapq.heappop(self._unplaced)
        waiting = self._unplaced[:1]
        running = next(([i] for i, record in self._unready if self._runs(record)), [])
        return min(waiting + running, default=2**31)

    def _runs(self, record: PodRecord) -> bool:
        return bool(self._pods.node[record.id] >= 0)


def _is_unready(record: PodRecord) -> bool:
    """Whether a member is on a node and not ready there; those on none are in the line if anybody places them."""
    source = record.pod.source
    return bool(record.pod.node_name) and source is not None and not is_ready(source)


def _told(record: PodRecord) -> str:
    return f"{record.name}, which is {'terminating' if record.pod.is_terminating else 'not ready'}"
