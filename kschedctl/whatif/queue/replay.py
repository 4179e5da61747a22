"""The queue replayed: pods arrive, change and end at their times, and how long they wait is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace as with_fields

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.run.api_server import ApiServer
from kschedctl.run.entries import Entry
from kschedctl.run.queued_pod import Pool
from kschedctl.run.story import Happening, RunEvent
from kschedctl.run.written_entries import carry_out
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.queue.arrivals import Arrival
from kschedctl.whatif.queue.in_flight import InFlight
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads import WorkloadKey, with_generated_claims

_NANOSECONDS: Final = 1_000_000_000


class Replay(Struct, frozen=True):
    """How the queue is replayed.

    Attributes:
        arrivals: what comes at its time beside the pending pods of the cluster.
        until: seconds after which it ends; None: when nothing is left to happen.
    """

    arrivals: Sequence[Arrival] = ()
    until: float | None = None


class QueueLength(Struct, frozen=True):
    """How many pods wait once nothing is left to do at an instant.

    Attributes:
        at: seconds since the beginning.
        backoff: those that back off.
        unschedulable: those that wait for something to happen.
        gated: those that a plugin keeps out of the queue.
    """

    at: float
    backoff: int
    unschedulable: int
    gated: int


class PodWait(Struct, frozen=True):
    """How long a pod waited.

    Attributes:
        task: the pod.
        arrived: seconds since the beginning.
        scheduled: when it found its first node; None: never.
        attempts: how often it was tried.
    """

    task: Task
    arrived: float
    scheduled: float | None
    attempts: int


class Waiting(Struct, frozen=True):
    """A pod that waits at the end.

    Attributes:
        task: the pod.
        pool: where.
        gated: whether a plugin keeps it out of the queue.
        plugins: the plugins that rejected it, or keep it out; none after an error.
    """

    task: Task
    pool: Pool
    gated: bool
    plugins: tuple[AnyPlugin, ...]


class QueueResult(Struct, frozen=True):
    """How a replay went.

    Attributes:
        waits: of every pod that came, in order of arrival.
        lengths: of the queue, whenever they changed.
        waiting: who waits at the end.
        to_come: changes and ends of pods that were still to come at the end.
        seconds: how long it went on.
    """

    waits: Sequence[PodWait]
    lengths: Sequence[QueueLength]
    waiting: Sequence[Waiting]
    to_come: int
    seconds: float


class _Times(Struct):
    arrived: float
    scheduled: float | None = None
    attempts: int = 0


class ReplayRunner(InFlight):
    """Lets pods come at their times.

    Pending pods of the cluster come by their `creationTimestamp`; what manifests and changes bring comes when the last
    of them has.

    Args:
        session: the cluster and its scheduler; changed by the run.
        workload_of: whose pod a pod is.
        replay: what comes besides, and when it ends.
        inspect: applied to the decisions that `inspect_all` or a failure asks for.
        inspect_all: also for pods that are placed.
        observer: is told the progress.
        tells: whether what happens is kept, in `story`.
    """

    def __init__(
        self,
        session: Session,
        workload_of: Callable[[Pod], WorkloadKey],
        replay: Replay,
        *,
        inspect: Inspect | None = None,
        inspect_all: bool = False,
        observer: Observer = SILENT,
        tells: bool = False,
    ) -> None:
        self._times: dict[int, _Times] = {}
        self._durations: dict[int, float] = {}
        self._lengths: list[QueueLength] = []
        self._began = _began(session, replay.arrivals)
        super().__init__(
            session,
            workload_of,
            inspect=inspect,
            inspect_all=inspect_all,
            observer=observer,
            began=self._began,
            rested=self._measure,
            until=replay.until,
            tells=tells,
        )
        self._last = 0.0
        for arrival in replay.arrivals:
            self.run.later(Entry(arrival.at.since(self._began), self._carried_out(arrival)))

    def submit(self, tasks: Iterable[Task]) -> None:
        """Let pods come when they were made, or now."""
        batch = list(tasks)
        ages = [self._created(task) for task in batch]
        self._last = max([self._last, *(age for age in ages if age is not None)])
        for task, age in zip(batch, ages, strict=True):
            self.run.later(Entry(max(self._last if age is None else age, self.seconds), self._coming(task)))

    def _created(self, task: Task) -> float | None:
        """Seconds since the beginning at which a pending pod was made; None: not known, or it is new."""
        at = start_of(task.pod.metadata.creation_timestamp) if task.origin is PodOrigin.PENDING else NO_START
        return None if at == NO_START else at / _NANOSECONDS - self._began

    def _coming(self, task: Task) -> Callable[[ApiServer], None]:
        return lambda api: self._come(task)

    def _come(self, task: Task) -> None:
        self._times[id(task)] = _Times(self.seconds)
        super().submit([task])

    def _carried_out(self, arrival: Arrival) -> Callable[[ApiServer], None]:
        if arrival.pod is None:
            return lambda api: carry_out(arrival.action, api, self.session.admission)
        return lambda api: self._arrive(arrival)

    def _arrive(self, arrival: Arrival) -> None:
        assert arrival.pod is not None
        api, pod = self.run.api, arrival.pod
        pod, claims = with_generated_claims(pod, api.objects.find)
        task = Task(pod, None, self._workload_of(pod), PodOrigin.NEW)
        entered = self.session.enter_pending(pod)
        if isinstance(entered, Invalid) or pod.full_name in api.pods:
            task.outcome = Outcome.INVALID
            task.message = (
                str(entered) if isinstance(entered, Invalid) else f"pods {pod.name!r} already exists"
            )
            self.tasks.append(task)
            return
        for claim in claims:
            api.put_object(claim, None)
        task.record = entered
        if arrival.duration is not None:
            self._durations[id(task)] = arrival.duration
        self._come(task)
        if arrival.end is not None:
            self._end_at(arrival.end.since(self._began), task, pod.full_name)

    def _end_at(self, at: float, task: Task, key: str) -> None:
        self.run.later(Entry(max(at, self.seconds), lambda api: self._end(task, key)))

    def _end(self, task: Task, key: str) -> None:
        """Let a pod end that is still there: it has run, or is deleted without."""
        if self._at.get(key) is not task:
            return
        del self._at[key]
        if task.placed:
            self.run.api.complete(key)
            return
        task.message = f"it was to end {self.seconds:g} s after the beginning, and had found no node"
        self._delete(self.run.api.pods[key], None, task)

    def _hears(self, event: RunEvent) -> None:
        task = self._at.get(event.pod)
        times = None if task is None else self._times.get(id(task))
        if task is not None and times is not None:
            times.attempts += event.happening in (Happening.SCHEDULED, Happening.FAILED)
        super()._hears(event)

    def _has_got_a_node(self, task: Task, key: str, node: str) -> None:
        """Also of a pod that names its node, of which the scheduler hears nothing."""
        times = self._times.get(id(task))
        if times is not None:
            times.scheduled = self.seconds if times.scheduled is None else times.scheduled
            if id(task) in self._durations:
                self._end_at(self.seconds + self._durations[id(task)], task, key)
        super()._has_got_a_node(task, key, node)

    def _measure(self) -> None:
        queue, gated = self.run.queue, self.run.kept_out
        now = QueueLength(self.seconds, queue.backing_off, queue.unschedulable - gated, gated)
        before = self._lengths[-1] if self._lengths else None
        if before is not None and with_fields(now, at=before.at) == before:
            return
        if before is not None and before.at == now.at:
            self._lengths.pop()
        self._lengths.append(now)

    @property
    def queue_result(self) -> QueueResult:
        """How it went, once nothing moves any more."""
        waits = [
            PodWait(task, times.arrived, times.scheduled, times.attempts)
            for task in self.tasks
            if (times := self._times.get(id(task))) is not None
        ]
        until = self.seconds if self._until is None else self._until
        return QueueResult(waits, self._lengths, list(self._waiting()), self.run.to_come, until)

    def _waiting(self) -> Iterable[Waiting]:
        for key, task in self._at.items():
            queued = self.run.queue.find(key)
            if queued is None or queued.pool is None:
                continue
            framework = self.session.scheduler.frameworks[queued.record.pod.spec.scheduler_name]
            plugins = tuple(plugin for plugin in framework.plugins if plugin.name in queued.rejectors)
            yield Waiting(task, queued.pool, bool(queued.gate), plugins)


def _began(session: Session, arrivals: Sequence[Arrival]) -> float:
    """When the replay begins, in seconds since 1970: with the oldest pending pod, or the first date in a file."""
    dates = [arrival.at.seconds for arrival in arrivals if arrival.at.dated]
    pending = (start_of(record.pod.metadata.creation_timestamp) for record in session.pending())
    dates += [at / _NANOSECONDS for at in pending if at != NO_START]
    at = session.cluster.looked_at
    return min(dates, default=0.0 if at is None else at / _NANOSECONDS)
