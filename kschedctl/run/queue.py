"""The scheduling queue: active, backing off, unschedulable, gated (spec 01 §8, spec 08 §2)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final, Protocol

from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.cluster_event import Action, ClusterEvent, Resource
from kschedctl.run.backoff import Backoff
from kschedctl.run.clock import SECOND, Clock
from kschedctl.run.queued_pod import Pool, QueuedPod
from kschedctl.run.unschedulable import HelpedKinds, UnschedulablePods, WaitingKind

BACKOFF_COMPLETE: Final = "BackoffComplete"
FORCE_ACTIVATE: Final = "ForceActivate"
UNSCHEDULABLE_TIMEOUT: Final = ClusterEvent(Resource.ANYTHING, Action.UPDATE, name="UnschedulableTimeout")
MAX_UNSCHEDULABLE: Final = 300 * SECOND
"""How long a pod stays in the unschedulable pool without an event that helps it."""


class Wakes(Protocol):
    """What decides whether an event may help a pod."""

    def helps(self, pod: QueuedPod, event: ClusterEvent) -> bool:
        """Whether one of the rejecting plugins says so; a pod without any is always worth a try."""

    def listeners(self, event: ClusterEvent) -> Iterable[str]:
        """The plugins that want to hear of an event."""

    def kind_of(self, pod: QueuedPod) -> Hashable:
        """What a pod has in common with those that are helped by the same events, but for events of their own."""

    def answers(self, event: ClusterEvent) -> HelpedKinds | None:
        """What is known of events like this one, to be completed; None: no other one is like it."""


class Listener(Protocol):
    """Who is told what happens in the queue."""

    def queued(self, pod: QueuedPod, pool: Pool, by: str) -> None:
        """A pod came to the active queue or to back-off, by an event or a flush of that name."""

    def gated(self, pod: QueuedPod) -> None:
        """A plugin keeps a pod out; it may have said so before."""


Order = tuple[Any, ...]
QueueSort = Callable[[PodRecord], Order]
"""What pods are sorted by, the smallest first."""


class _Heap(Struct):
    """Pods by a key; those that moved meanwhile are passed over."""

    pool: Pool
    _entries: list[tuple[Order, int, int, QueuedPod]] = field(default_factory=list)
    _count: int = 0

    def push(self, pod: QueuedPod, key: Order) -> None:
        self._count += 1
        heapq.heappush(self._entries, (key, self._count, pod._turn, pod))

    def peek(self) -> QueuedPod | None:
        while self._entries:
            _, _, turn, pod = self._entries[0]
            if pod._turn == turn and pod.pool is self.pool:
                return pod
            heapq.heappop(self._entries)
        return None


class SchedulingQueue:
    """Pods that wait, and what moves them.

    Args:
        clock: the time.
        backoff: how long failures make a pod wait.
        gate: the plugin that keeps a pod out of the queue, empty for none; the one named is asked first.
        wakes: decides whether an event may help a pod.
        sort: what pods are sorted by.
        listener: is told of every move.
    """

    def __init__(
        self,
        clock: Clock,
        backoff: Backoff,
        gate: Callable[[PodRecord, str], str],
        wakes: Wakes,
        sort: QueueSort,
        listener: Listener,
    ) -> None:
        self._clock = clock
        self._backoff = backoff
        self._gate = gate
        self._wakes = wakes
        self._sort = sort
        self._listener = listener
        self._stirs = 0
        self._pods: dict[str, QueuedPod] = {}
        self._unschedulable = UnschedulablePods()
        self._backing_off = 0
        self._active = _Heap(Pool.ACTIVE)
        self._waiting = _Heap(Pool.BACKOFF)
        self._failed = _Heap(Pool.BACKOFF)
        self._in_flight: dict[str, int] = {}
        self._events: list[tuple[ClusterEvent, str]] = []

    # What is there

    def find(self, key: str) -> QueuedPod | None:
        """A pod that waits, by `namespace/name`; None where it does not."""
        return self._pods.get(key)

    def pool_of(self, key: str) -> Pool | None:
        """Where a pod waits, None where it does not."""
        pod = self._pods.get(key)
        return None if pod is None else pod.pool

    @property
    def ready(self) -> bool:
        """Whether a pod can be popped now."""
        return self._next() is not None

    @property
    def waiting(self) -> int:
        """How many pods are in the queue."""
        return len(self._pods)

    @property
    def hears(self) -> bool:
        """Whether an event can matter to any pod: one waits for events, or is in its cycle."""
        return bool(self._unschedulable or self._in_flight)

    @property
    def backing_off(self) -> int:
        """How many pods back off."""
        return self._backing_off

    @property
    def unschedulable(self) -> int:
        """How many pods are in the unschedulable pool, gated ones included."""
        return len(self._unschedulable)

    # Pods come, change and go

    def add(self, record: PodRecord, by: str) -> QueuedPod:
        """Enter a new pod."""
        pod = QueuedPod(record, self._clock.moment)
        self._to_active(pod, by)
        return pod

    def update(self, record: PodRecord, events: Iterable[ClusterEvent], by: str) -> None:
        """Take over a change of a pod.

        One that cannot be scheduled is tried again where the change may help it; one in its cycle is judged at
        its failure; one that nobody knows enters.

        Args:
            record: the pod as it is now.
            events: what changed.
            by: the name under which an unknown pod enters.
        """
        key = record.full_name
        if key in self._in_flight:
            self._events += [(event, key) for event in events]
            return
        pod = self._pods.get(key)
        if pod is None:
            self.add(record, by)
            return
        pod.record = record
        if pod.pool is not Pool.UNSCHEDULABLE:
            return
        self._to_unschedulable(pod)  # it may be of another kind now
        for event in events:
            if self._wakes.helps(pod, event):
                self._requeue(pod, event.name)
                if pod.pool is not Pool.UNSCHEDULABLE:
                    break

    def delete(self, key: str) -> None:
        """Forget a pod, wherever it waits."""
        pod = self._pods.pop(key, None)
        if pod is not None:
            self._leave(pod)

    # Cycles

    def pop(self) -> QueuedPod | None:
        """Take the next pod out for its cycle, None where there is none."""
        pod = self._next()
        return None if pod is None else self.take(pod)

    def take(self, pod: QueuedPod) -> QueuedPod:
        """Take a pod out for a cycle, whether or not it is its turn."""
        self._leave(pod)
        del self._pods[pod.key]
        pod.attempts += 1
        self._in_flight[pod.key] = len(self._events)
        return pod

    def done(self, pod: QueuedPod) -> None:
        """Note that the cycle of a pod has ended."""
        self._in_flight.pop(pod.key, None)
        if not self._in_flight:
            self._events.clear()

    def fail(self, pod: QueuedPod, record: PodRecord, rejectors: frozenset[str], by: str) -> Pool | None:
        """Put a pod back whose cycle failed.

        What happened during the cycle counts as if it happened now.

        Args:
            pod: from `pop`.
            record: the pod as it is now.
            rejectors: the plugins that rejected it, none for an error.
            by: the name of the failure.
        """
        pod.record, pod.rejectors = record, rejectors
        if rejectors:
            pod.rejections, pod.errors = pod.rejections + 1, 0
        else:
            pod.errors += 1
        pod.timestamp = self._clock.moment
        self._pods[pod.key] = pod
        if not rejectors or any(self._wakes.helps(pod, event) for event in self._missed(pod)):
            self._requeue(pod, by)
        else:
            self._to_unschedulable(pod)
        self.done(pod)
        return pod.pool

    def come_back(
        self, pod: QueuedPod, record: PodRecord, by: str, *, at_once: bool, error: bool
    ) -> Pool | None:
        """Put a member back whose group was tried: to back off, never to wait for events (spec 07 §4.5).

        Args:
            pod: from `pop` or `take`.
            record: the pod as it is now.
            by: the name of the failure.
            at_once: the group was scheduled without it: it is tried again before anything else of its priority.
            error: whether the group failed with an error.
        """
        pod.record, pod.rejectors, pod.stirred = record, frozenset(), self._stirs
        self._pods[pod.key] = pod
        if at_once:
            self._to_active(pod, by)
        else:
            pod.timestamp = self._clock.moment
            pod.rejections, pod.errors = (
                (pod.rejections, pod.errors + 1) if error else (pod.rejections + 1, 0)
            )
            self._to_backoff(pod, by)
        self.done(pod)
        return pod.pool

    def next_worthwhile(self) -> int | None:
        """When the back-off of a member ends whose group may fare better, since something has happened meanwhile."""
        return min(
            (
                self._expiry(pod)
                for pod in self._pods.values()
                if pod.pool is Pool.BACKOFF and 0 <= pod.stirred < self._stirs
            ),
            default=None,
        )

    def _missed(self, pod: QueuedPod) -> list[ClusterEvent]:
        """What happened since a pod was popped, changes of other pods' own left out."""
        since = self._in_flight.get(pod.key, len(self._events))
        return [event for event, own in self._events[since:] if own in ("", pod.key)]

    # What moves pods

    def move(self, event: ClusterEvent, among: Callable[[PodRecord], bool] | None = None) -> None:
        """Try those pods again that an event may help.

        Args:
            event: what happened.
            among: which pods are asked; None: all.
        """
        self._stirs += 1
        for pod in self._helped(event):
            if among is None or among(pod.record):
                self._requeue(pod, event.name)
        if self._in_flight:
            self._events.append((event, ""))

    def _helped(self, event: ClusterEvent) -> list[QueuedPod]:
        """Unschedulable pods that an event may help, in the order of their keys."""
        listeners = self._wakes.listeners(event)
        subjects = self._subjects(event)

        def helps(kind: WaitingKind) -> bool:
            other = next((pod for key, pod in kind.pods.items() if key not in subjects), None)
            return other is not None and self._may_help(other, event, listeners)

        rejectors = None if event.resource is Resource.ANYTHING else listeners
        known = None if subjects else self._wakes.answers(event)
        kinds = self._unschedulable.helped(helps, rejectors, known or HelpedKinds())
        found = [pod for kind in kinds for key, pod in kind.pods.items() if key not in subjects]
        found += [pod for pod in subjects.values() if self._may_help(pod, event, listeners)]
        return sorted(found, key=lambda pod: pod.key)

    def _subjects(self, event: ClusterEvent) -> dict[str, QueuedPod]:
        """Unschedulable pods that an event is about: each is asked for itself."""
        keys = {own.full_name for own in (event.old, event.new) if isinstance(own, PodRecord)}
        waiting = {key: self._pods[key] for key in keys if key in self._pods}
        return {key: pod for key, pod in waiting.items() if pod.pool is Pool.UNSCHEDULABLE}

    def _may_help(self, pod: QueuedPod, event: ClusterEvent, listeners: Iterable[str]) -> bool:
        return not (pod.gate and pod.gate not in listeners) and self._wakes.helps(pod, event)

    def activate(self, key: str) -> None:
        """Try a pod again at once, whatever it waits for."""
        pod = self._pods.get(key)
        if pod is not None and pod.pool is not Pool.ACTIVE:
            self._to_active(pod, FORCE_ACTIVATE, from_backoff=pod.pool is Pool.BACKOFF)

    def flush_backoff(self) -> None:
        """Let those go whose wait is over; due at every whole second."""
        now = self._clock.moment
        over: list[QueuedPod] = []
        for heap in (self._waiting, self._failed):
            while (pod := heap.peek()) is not None and self._backoff.has_ended(self._expiry(pod), now):
                self._leave(pod)
                over.append(pod)
        for pod in over:
            self._to_active(pod, BACKOFF_COMPLETE, from_backoff=True)

    def flush_unschedulable(self) -> None:
        """Try those again that failed more than five minutes ago; due every 30 seconds."""
        now = self._clock.moment
        for pod in self._unschedulable:
            if now - pod.timestamp > MAX_UNSCHEDULABLE and not pod.gate:
                self._requeue(pod, UNSCHEDULABLE_TIMEOUT.name)

    # From pool to pool

    def _next(self) -> QueuedPod | None:
        pod = self._active.peek()
        if pod is None and self._backoff.pops_when_idle:
            pod = self._waiting.peek()
        return pod

    def _requeue(self, pod: QueuedPod, by: str) -> None:
        """To the active queue, or first to back-off while the wait for the last failure lasts."""
        if self._backoff.has_ended(self._expiry(pod), self._clock.moment):
            self._to_active(pod, by)
        else:
            self._to_backoff(pod, by)

    def _to_active(self, pod: QueuedPod, by: str, *, from_backoff: bool = False) -> None:
        # Who comes from back-off was asked for gates on the way in, where back-off may be left at any time.
        asked = from_backoff and self._backoff.pops_when_idle
        if not asked and self._is_gated(pod):
            self._to_unschedulable(pod)
            return
        self._enter(pod, Pool.ACTIVE)
        pod.entered = pod.entered or self._clock.moment
        self._active.push(pod, self._order(pod))
        self._listener.queued(pod, Pool.ACTIVE, by)

    def _to_backoff(self, pod: QueuedPod, by: str) -> None:
        if self._backoff.pops_when_idle and self._is_gated(pod):
            self._to_unschedulable(pod)
            return
        self._enter(pod, Pool.BACKOFF)
        self._backing_off += 1
        heap = self._waiting if pod.rejectors else self._failed
        order = self._order(pod) if self._backoff.pops_when_idle else ()
        heap.push(pod, (self._expiry(pod), order))
        self._listener.queued(pod, Pool.BACKOFF, by)

    def _to_unschedulable(self, pod: QueuedPod) -> None:
        self._enter(pod, Pool.UNSCHEDULABLE)
        self._unschedulable.add(pod, (pod.gate, self._wakes.kind_of(pod)))

    def _is_gated(self, pod: QueuedPod) -> bool:
        """Ask the plugins that may keep a pod out; who does is one of those that rejected it from now on."""
        gate = self._gate(pod.record, pod.gate)
        if gate:
            self._leave(pod)
            pod.rejectors |= {gate}
        pod.gate = gate
        if gate:
            self._listener.gated(pod)
        return bool(gate)

    def _order(self, pod: QueuedPod) -> Order:
        return (self._sort(pod.record), pod.timestamp)

    def _enter(self, pod: QueuedPod, pool: Pool) -> None:
        self._leave(pod)
        pod.pool = pool
        self._pods[pod.key] = pod

    def _leave(self, pod: QueuedPod) -> None:
        if pod.pool is Pool.UNSCHEDULABLE:
            self._unschedulable.remove(pod.key)
        elif pod.pool is Pool.BACKOFF:
            self._backing_off -= 1
        pod.pool = None
        pod._turn += 1

    def _expiry(self, pod: QueuedPod) -> int:
        return self._backoff.expiry(pod.timestamp, pod.failures)
