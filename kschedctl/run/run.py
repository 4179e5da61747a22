"""The run: the scheduler's loop over a cluster in which things happen at their times (spec 08 §1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from heapq import heappop, heappush
from typing import Final

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.errors import EndlessError
from kschedctl.framework.cluster_event import Action, Resource
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.run.api_server import ApiServer, Controllers
from kschedctl.run.attempts import ATTEMPT_FAILED, Attempts
from kschedctl.run.backoff import Backoff
from kschedctl.run.clock import EPOCH, SECOND, Clock
from kschedctl.run.delivery import Delivery
from kschedctl.run.entries import Entry
from kschedctl.run.event_names import EventNames
from kschedctl.run.groups import GANGS, RunGroups
from kschedctl.run.queue import SchedulingQueue
from kschedctl.run.queued_pod import Pool, QueuedPod
from kschedctl.run.scheduler_view import SchedulerView
from kschedctl.run.story import Happening, RunEvent, Story
from kschedctl.run.wakes import PluginWakes
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision

MAX_CYCLES: Final = 3000
"""Cycles within one instant after which nothing will ever be quiet, beside some for each pod."""
CYCLES_A_POD: Final = 100
MOST_EVICTIONS: Final = 1000
"""Evictions while nothing comes from outside after which they will never end, beside some for each pod."""
EVICTIONS_A_POD: Final = 20
_FLUSH_UNSCHEDULABLE: Final = 30
_CIRCLES: Final = "Look for pods that evict each other's replacements: give them room, or equal priorities."


class RunOptions(Struct, frozen=True):
    """How the world around the scheduler behaves.

    Attributes:
        controllers: who makes pods anew; None: nobody.
        exit_after: seconds in which pods exit, where their grace is longer.
        shortest_end: seconds that the end of a pod on a node takes at least. Where they are 0, a pod without a grace
            period is gone before the next cycle; real deletions mostly take longer than a few cycles.
        refused_bindings: keys of pods whose first binding fails.
        rebuilt: called when what is kept of claims and volumes is made anew.
        waiting: the pods that are in the queue when the run begins, in order of arrival; None: all that are on no
            node, by their keys.
        hears: is told each event as it happens.
        keeps: whether the story is kept.
        decided: is told every decision, before anything is done about it.
        rested: is called whenever nothing is left to do at an instant.
        epoch: the date at which it begins.
    """

    controllers: Controllers | None = None
    exit_after: float | None = None
    shortest_end: float = 0.0
    refused_bindings: Iterable[str] = ()
    rebuilt: Callable[[ClusterState], None] | None = None
    waiting: Sequence[PodRecord] | None = None
    hears: Callable[[RunEvent], None] | None = None
    keeps: bool = True
    decided: Callable[[Decision], object] | None = None
    rested: Callable[[], object] | None = None
    epoch: datetime = EPOCH


class Run:
    """A cluster, its scheduler, and the time.

    Args:
        cluster: the cluster as the run begins; changed by the run.
        scheduler: decides.
        options: how the world behaves.

    Attributes:
        api: the objects.
        queue: the pods that wait.
        view: the cluster as the scheduler knows it.
        story: what happened.
        clock: the time.
        groups: what is known of groups that are scheduled as one; None: pods are scheduled one by one.
        passes: at how many instants pods were tried.
    """

    def __init__(
        self, cluster: ClusterState, scheduler: Scheduler, options: RunOptions | None = None
    ) -> None:
        options = options or RunOptions()
        configuration = scheduler.configuration
        self.clock = Clock(options.epoch)
        self.passes = 0
        self.story = Story(options.hears, options.keeps)
        self.api = ApiServer(
            cluster,
            self.clock,
            options.controllers,
            exit_after=options.exit_after,
            shortest_end=options.shortest_end,
            clears_nomination=configuration.gates.enabled("ClearingNominatedNodeNameAfterBinding"),
            refused_bindings=options.refused_bindings,
        )
        self.view = SchedulerView(cluster, options.rebuilt)
        self._scheduler = scheduler
        facts = configuration.version.facts
        self._names = EventNames(facts.target_pod_event, facts.unscheduled_pod_event)
        self._gated: dict[str, str] = {}
        self._entries: list[tuple[float, int, Entry]] = []
        self._entered = 0
        self._rested = options.rested
        wakes = PluginWakes(
            scheduler.frameworks, cluster, taints_wake_whom_nodes_wake=facts.taints_wake_whom_nodes_wake
        )
        self.groups = RunGroups.of(scheduler, self.view)
        self.queue = SchedulingQueue(
            self.clock,
            Backoff.of(configuration),
            self._gate_of,
            wakes,
            lambda pod: scheduler.queue_order(pod, cluster),
            self,
        )
        self._delivery = Delivery(
            self.api,
            self.view,
            self.queue,
            self._names,
            scheduler.frameworks.keys(),
            groups=self.groups,
            binding_frees_nomination=facts.binding_frees_nomination,
            gated_are_nominated=facts.gated_pods_are_nominated,
            lost=self._lost,
        )
        self._attempts = Attempts(
            scheduler,
            self.api,
            self.view,
            self.queue,
            self._names,
            self.clock,
            self.story,
            options.decided,
            self.groups,
        )
        self._forget_nominations()
        self.enter(_by_key(cluster.pods.records) if options.waiting is None else options.waiting)

    def _forget_nominations(self) -> None:
        """Pods that enter nominate themselves again, as far as the scheduler hears of it."""
        cluster = self.view.cluster
        for pod in [pod for nominated in cluster.nominations.values() for pod in nominated]:
            cluster.drop_nomination(pod)

    def enter(self, pods: Iterable[PodRecord]) -> None:
        """Let pods of the cluster's table that are on no node come to the queue, one after another."""
        self._settle()
        for record in pods:
            self.clock.tick()
            if not record.pod.node_name:
                key = record.full_name
                self.api.pods[key] = record.pod
                self.view.records[key] = record
                self._delivery.enter(record)
        self.story.end_step()

    def start(self, pod: PodRecord) -> None:
        """Let a pod of the cluster's table come that names its node: it is there at once."""
        self._settle()
        self.clock.tick()
        self.api.pods[pod.full_name] = pod.pod
        self._delivery.start(pod)
        self.story.end_step()

    def run(self, timeline: Sequence[Entry] = (), until: float | None = None) -> None:
        """Let things happen until nothing is left to happen, or up to a time; what was written meanwhile comes first.

        Args:
            timeline: changes from outside, in the order in which equal times come.
            until: seconds; None: once no change and no termination is left and nothing can be popped.

        Raises:
            EndlessError: pods move each other in circles.
        """
        for entry in timeline:
            self.later(entry)
        self._settle()
        if not self._entries or self._entries[0][0] > self.clock.seconds:
            self._schedule()
        while (instant := self._next_instant(until)) is not None:
            self.clock.move_to(instant)
            self._flush(instant)
            while self.api.terminations and self.api.terminations[0].at <= instant:
                if gone := self.api.end_next():
                    self.story.tell(RunEvent(instant, Happening.GONE, gone))
                self._settle()
            while self._entries and self._entries[0][0] <= instant:
                heappop(self._entries)[2].apply(self.api)
                self.api.evicted.clear()
                self._settle()
            if self._attempts.time_out(instant):
                self._settle()
            self._schedule()

    def later(self, entry: Entry) -> None:
        """Let a change come from outside, after others of the same time."""
        self._entered += 1
        heappush(self._entries, (entry.at, self._entered, entry))

    @property
    def to_come(self) -> int:
        """How many changes from outside and ends of pods are still to come."""
        return len(self._entries) + len(self.api.terminations)

    @property
    def kept_out(self) -> int:
        """How many pods are kept out of the queue."""
        return len(self._gated)

    def _next_instant(self, until: float | None) -> float | None:
        """When something happens next, None where nothing does before the end."""
        now = self.clock.seconds
        times = [entry[0] for entry in self._entries[:1]] + [end.at for end in self.api.terminations[:1]]
        wait = self._attempts.waiting.next_end(for_ever=until is None)
        next_ = min(times if wait is None else [*times, wait], default=math.inf)
        if self.queue.backing_off and (until is not None or next_ < math.inf):
            next_ = min(next_, math.floor(now) + 1)
        if self.queue.unschedulable and until is not None:
            next_ = min(next_, (math.floor(now / _FLUSH_UNSCHEDULABLE) + 1) * _FLUSH_UNSCHEDULABLE)
        if next_ == math.inf and until is None and (end := self.queue.next_worthwhile()) is not None:
            next_ = max(math.ceil(end / SECOND), math.floor(now) + 1)
        return None if next_ == math.inf or (until is not None and next_ > until) else next_

    def _flush(self, instant: float) -> None:
        if instant == math.floor(instant):
            self.queue.flush_backoff()
            if instant % _FLUSH_UNSCHEDULABLE == 0:
                self.queue.flush_unschedulable()
            self.story.end_step()

    def _schedule(self) -> None:
        """Cycles until nothing can be popped."""
        tried: dict[str, int] = {}
        cycles = 0
        while (pod := self._pop()) is not None:
            self.passes += not cycles
            tried[pod.key] = tried.get(pod.key, 0) + 1
            cycles += 1
            if cycles > MAX_CYCLES + CYCLES_A_POD * len(self.api.pods):
                raise _endless(tried, self.clock.seconds)
            self._attempts.attempt(pod)
            self._settle()
        if self.api.evicted.total() > MOST_EVICTIONS + EVICTIONS_A_POD * len(self.api.pods):
            raise _endless_evictions(self.api.evicted, self.clock.seconds)
        if self._rested is not None:
            self._rested()

    def _pop(self) -> QueuedPod | None:
        self.clock.tick()
        return self.queue.pop()

    def _settle(self) -> None:
        """Let the scheduler hear of everything that was written, one change after another."""
        while self.api.changes:
            change = self.api.changes.popleft()
            self.clock.tick()
            if isinstance(change.old, AdmittedPod) and change.new is None:
                self._gated.pop(change.old.full_name, None)
            self._delivery.deliver(change)
        self.story.end_step()

    @property
    def hints_taken(self) -> int:
        """How many pods went to the node that the scores of an equal one led to (OpportunisticBatching)."""
        return self._attempts.hints_taken

    def waits(self, key: str) -> bool:
        """Whether a pod has a node reserved and waits for Permit."""
        return self._attempts.waiting.by_key(key) is not None

    def _lost(self, key: str) -> None:
        self._attempts.lose(key)

    # What the queue asks and tells

    def _gate_of(self, pod: PodRecord, known: str) -> str:
        """The plugin that keeps a pod out of the queue; the one that did so before is asked first."""
        plugins = self._scheduler.frameworks[pod.pod.spec.scheduler_name].at(ExtensionPoint.PRE_ENQUEUE)
        for plugin in sorted(plugins, key=lambda plugin: plugin.name != known) if known else plugins:
            if plugin.pre_enqueue(pod, self.view.cluster):
                return plugin.name
        return "" if self.groups is None else self._gate_of_group(pod, self.groups)

    def _gate_of_group(self, pod: PodRecord, groups: RunGroups) -> str:
        """What keeps a pod out for the sake of its group: that it is not there, or a gate of another member."""
        if groups.is_set_aside(pod):
            return GANGS
        if not groups.as_one:
            return ""
        for other in groups.companions(pod):
            framework = self._scheduler.framework(other.pod.spec.scheduler_name)
            if self.view.cluster.pods.node[other.id] >= 0 or framework is None:
                continue
            for plugin in framework.at(ExtensionPoint.PRE_ENQUEUE):
                if plugin.pre_enqueue(other, self.view.cluster):
                    return plugin.name
        return ""

    def queued(self, pod: QueuedPod, pool: Pool, by: str) -> None:
        """Tell that a pod came to the active queue or to back-off; a new one brings its nomination."""
        if by == ATTEMPT_FAILED:
            return
        self._gated.pop(pod.key, None)
        new = by == self._names.name(Resource.UNSCHEDULED_POD, Action.ADD)
        if new:
            self.view.nominate(pod.record, pod.record.pod.nominated_node_name)
        event = RunEvent(self.clock.seconds, Happening.QUEUED, pod.key, queue=pool.value, by=by)
        self.story.tell(event, new=new)

    def gated(self, pod: QueuedPod) -> None:
        """Tell that a plugin keeps a pod out, unless that is known."""
        if self._gated.get(pod.key) != pod.gate:
            self._gated[pod.key] = pod.gate
            self.story.tell(RunEvent(self.clock.seconds, Happening.GATED, pod.key, plugins=(pod.gate,)))


def _by_key(pods: Iterable[PodRecord]) -> list[PodRecord]:
    return sorted(pods, key=lambda record: record.full_name)


def _endless_evictions(evicted: Counter[str], at: float) -> EndlessError:
    most = ", ".join(f"pods of {who} ({times} times)" for who, times in evicted.most_common(3))
    return EndlessError(
        f"pods evict each other's replacements without end: {at:g} s after the beginning {most} were evicted",
        hint=_CIRCLES,
    )


def _endless(tried: Mapping[str, int], at: float) -> EndlessError:
    most = ", ".join(f"{key} ({times} times)" for key, times in Counter(tried).most_common(3))
    return EndlessError(
        f"pods do not come to rest {at:g} s after the beginning: most often tried were {most}",
        hint=_CIRCLES,
    )
