"""Many pods as the real loop schedules them: victims terminate, controllers act meanwhile, events wake who waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace as with_fields

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.group_members import GroupKey, GroupMembers, group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceClaim
from kschedctl.observer import SILENT, Observer
from kschedctl.preemption.result import Candidate
from kschedctl.run.clock import EPOCH
from kschedctl.run.entries import as_written
from kschedctl.run.run import Run, RunOptions
from kschedctl.run.story import Happening, RunEvent
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif.judgement.group_membership import OTHERS_GATED
from kschedctl.whatif.queue.kubelet import Kubelet, is_made_anew
from kschedctl.whatif.queue.member_order import MemberOrder
from kschedctl.whatif.queue.quotas import QuotaLedger
from kschedctl.whatif.queue.replacing import Replacing
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Eviction, Task, without
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.claims_of_pods import claims_made_for, released_claims

SHORTEST_END: Final = 1.0
"""Seconds that the end of a pod takes at least: longer than the cycles of an instant."""

_Identity: TypeAlias = tuple[str, str]
"""`namespace/name` and uid of a pod: one that comes later may have the name of another."""


class _Left(Struct):
    """A pod that is going.

    Attributes:
        pod: as an object.
        origin: why its successor will be scheduled; None: it has none.
        task: the task that it was, None where this run did not place it.
        eviction: index of the eviction that ends it, -1 for none.
    """

    pod: Pod
    origin: PodOrigin | None
    task: Task | None
    eviction: int = -1


class InFlight:
    """Runs the scheduler's loop over tasks.

    Args:
        session: the cluster and its scheduler; changed by the run.
        workload_of: whose pod a pod is.
        inspect: applied to the decisions that `inspect_all` or a failure asks for.
        inspect_all: also for pods that are placed.
        observer: is told the progress.
        began: when the run begins, in seconds since 1970; None: when the cluster was as it is loaded.
        rested: is called whenever nothing is left to do at an instant.
        until: seconds after which the run ends; None: when nothing is left to happen.
        tells: whether what happens is kept, in `story`.

    Attributes:
        run: the run.
        quotas: what keeps new pods from being created; None: nothing does.
    """

    quotas: QuotaLedger | None = None

    def __init__(
        self,
        session: Session,
        workload_of: Callable[[Pod], WorkloadKey],
        *,
        inspect: Inspect | None = None,
        inspect_all: bool = False,
        observer: Observer = SILENT,
        began: float | None = None,
        rested: Callable[[], object] | None = None,
        until: float | None = None,
        tells: bool = False,
    ) -> None:
        self.session = session
        self.tasks: list[Task] = []
        self.evictions: list[Eviction] = []
        self._workload_of = workload_of
        self._inspect = inspect
        self._inspect_all = inspect_all
        self._observer = observer
        self._order = MemberOrder(session)
        self._kubelet = Kubelet(session.scheduler.configuration)
        self._replacing = Replacing(session)
        self._at: dict[str, Task] = {}
        """`namespace/name` -> the task whose pod is there."""
        self._left: dict[_Identity, _Left] = {}
        self._successors: dict[_Identity, Task] = {}
        self._retiring: set[_Identity] = set()
        self._for_a_name: dict[str, list[Task]] = {}
        self._refused: list[Task] = []
        self._cycles = 0
        self._until = until
        options = RunOptions(
            controllers=self,
            shortest_end=SHORTEST_END,
            waiting=(),
            hears=self._hears,
            keeps=tells,
            decided=self._decided,
            epoch=_epoch(session) if began is None else datetime.fromtimestamp(int(began), UTC),
            rested=rested,
            rebuilt=_leave_releases_to_the_run,
        )
        _leave_releases_to_the_run(session.cluster)
        self.run = Run(session.cluster, session.scheduler, options)

    @property
    def passes(self) -> int:
        """At how many instants pods were tried."""
        return self.run.passes

    @property
    def unplaced(self) -> list[Task]:
        """Pods that are on no node, in order of arrival; those that are not even created come last."""
        return sorted((task for task in self.tasks if not task.placed), key=lambda task: not task.pending)

    @property
    def story(self) -> Sequence[RunEvent]:
        """What happened, in order."""
        return self.run.story.events

    @property
    def group_messages(self) -> Mapping[GroupKey, str] | None:
        """Every group that was tried -> the text of its last status; None: there are no groups.

        The members of 1.35 are tried one by one, and wait for each other once they are placed.
        """
        if self.run.groups is not None:
            return self.run.groups.messages
        return {} if self.session.scheduler.configuration.gates.enabled("GenericWorkload") else None

    @property
    def hints_taken(self) -> int:
        """How many pods went to the node that the scores of an equal one led to."""
        return self.run.hints_taken

    @property
    def seconds(self) -> float:
        """How long it took so far, grace periods and all."""
        return self.run.clock.seconds

    # Pods come

    def submit(self, tasks: Iterable[Task]) -> None:
        """Let pods arrive, see `Runner`; one whose name is taken comes once the other is gone."""
        batch = list(tasks)
        self.tasks += batch
        members = GroupMembers.of(self.session.cluster)
        coming: list[PodRecord] = []
        for task in self._order.enter(batch):
            record = task.record
            if record is None or not self._may_create(task):
                continue
            key = record.full_name
            known = self.run.view.records.get(key)
            if known is not None and known is not record and key in self.run.api.pods:
                self._for_a_name.setdefault(key, []).append(task)
                continue
            members.arrive(record)
            if record.pod.node_name:
                self.run.enter(coming)
                coming = []
                self._bind(task, record)
            else:
                self._at[key] = task
                coming.append(record)
        self.run.enter(coming)

    def _bind(self, task: Task, pod: PodRecord) -> bool:
        """Put a pod on the node that it names, if the kubelet there admits it."""
        task.refusal = self._kubelet.refusal(pod, self.session.cluster)
        if task.refusal is not None:
            task.message = str(task.refusal)
            self._refused.append(task)
            return False
        self._at[pod.full_name] = task
        self.run.start(pod)
        self._has_got_a_node(task, pod.full_name, pod.pod.node_name)
        return True

    def _may_create(self, task: Task) -> bool:
        """Whether quotas let the pod of a task be created; else it follows once they do."""
        return self.quotas is None or task.origin is PodOrigin.PENDING or self.quotas.admits(task)

    def _has_got_a_node(self, task: Task, key: str, node: str) -> None:
        task.outcome, task.node, task.message = Outcome.SCHEDULED, node, ""
        for member in self._order.placed(task):
            assert member.record is not None
            if self._may_create(member):
                self._make(member, member.record.pod)

    def _make(self, task: Task, pod: AdmittedPod) -> None:
        """Let a controller create the pod of a task while the run goes on."""
        self._at[pod.full_name] = task
        self.run.api.create_pod(pod)

    # Pods go

    def runs(self, pod: int) -> bool:
        """Whether a pod is on a node and its deletion has not begun."""
        found = self._find(pod)
        return found is not None and bool(found.node_name) and not found.is_terminating

    def _find(self, pod: int) -> AdmittedPod | None:
        """A pod of the cluster as loaded; None once it is gone."""
        key, uid = self._identity(pod)
        found = self.run.api.pods.get(key)
        return found if found is not None and found.uid == uid else None

    def _identity(self, pod: int) -> _Identity:
        record = self.session.cluster.pods.records[pod]
        return record.full_name, record.pod.uid

    def retire(self, pods: Iterable[int]) -> None:
        """Note pods that a rolling update is to replace: when preempted they are not made anew as they were."""
        self._retiring.update(self._identity(pod) for pod in pods)

    def take_off(self, pod: int) -> None:
        """Delete a pod for good, as its controller does; one of this run is no part of it any more."""
        found = self._find(pod)
        if found is not None:
            self._take_off(found)

    def withdraw(self, task: Task) -> None:
        """Delete a pod of this run for good, as its controller does: it is no part of the run any more."""
        without(self.evictions, task)
        if task.waits_for and self.quotas is not None:
            self.quotas.forget(task)
            self.tasks.remove(task)
            return
        self._take_off(self.run.api.pods[next(key for key, at in self._at.items() if at is task)])

    def _take_off(self, pod: AdmittedPod) -> None:
        task = self._at.pop(pod.full_name, None)
        if task is not None:
            self.tasks.remove(task)
        self._delete(pod, None, task)

    def evict(self, pod: int) -> None:
        """Evict a pod as a drain does; its controller makes it anew."""
        found = self._find(pod)
        if found is not None:
            self._delete(found, PodOrigin.DISPLACED, self._at.get(found.full_name))

    def _delete(self, pod: AdmittedPod, origin: PodOrigin | None, task: Task | None) -> None:
        self._left.setdefault((pod.full_name, pod.uid), _Left(_source(pod), origin, task))
        self.run.api.delete_pod(pod.full_name)

    def successor(self, pod: int) -> Task | None:
        """The pod that a controller made in the place of another; None: none does, or does yet."""
        return self._successors.get(self._identity(pod))

    # What the run asks and tells

    def replacements(self, pod: AdmittedPod, *, gone: bool) -> Iterable[AdmittedPod | TopLevel]:
        """What controllers create now that the deletion of a pod has begun, or that it is gone."""
        for made in self._replaced_by(pod, gone=gone):
            if isinstance(made, AdmittedPod) and self.quotas is not None:
                self.quotas.take(made)
            yield made
        for task in self.quotas.gone(pod) if gone and self.quotas is not None else ():
            assert task.record is not None
            self._at[task.record.full_name] = task
            yield task.record.pod

    def _replaced_by(self, pod: AdmittedPod, *, gone: bool) -> Iterable[AdmittedPod | TopLevel]:
        """What comes in the place of a pod."""
        if gone:
            self._release_claims(as_written(pod))
            yield from self._who_waited_for(pod.full_name)
        identity = (pod.full_name, pod.uid)
        left = self._left.get(identity)
        if left is None:  # it was terminating as the cluster was loaded
            left = _Left(_source(pod), PodOrigin.DISPLACED, None)
        if left.origin is None or identity in self._retiring:
            return
        for made in self._replacing.replacements(pod, gone=gone):
            if not isinstance(made, AdmittedPod):
                yield made
                continue
            task = self._task_of_successor(left, made, left.origin)
            task.record = None
            self._successors[identity] = task
            if left.eviction >= 0:
                self.evictions[left.eviction] = with_fields(self.evictions[left.eviction], successor=task)
            if made.node_name:
                task.record = self.session.cluster.add_pod(made)
                self._refused.append(task)  # its kubelet is asked when everything else has come to rest
                continue
            if self._order.enter([task]):
                self._at[made.full_name] = task
                yield made
            else:
                task.record = self.session.cluster.add_pod(made)

    def _release_claims(self, pod: Pod) -> None:
        """What controllers do to the claims of a pod that is gone."""
        api = self.run.api
        find = api.objects.find
        for released in released_claims(pod, find):
            api.put_object(released, find(ResourceClaim, released.name, released.namespace))
        for made in claims_made_for(pod, find):
            api.remove_object(made)

    def _who_waited_for(self, name: str) -> Iterable[AdmittedPod]:
        """The pod that waited for its name, now that another one is gone."""
        for task in self._for_a_name.pop(name, ()):
            assert task.record is not None
            self._at[name] = task
            yield task.record.pod

    def _task_of_successor(self, left: _Left, made: AdmittedPod, origin: PodOrigin) -> Task:
        """The task of a pod that is made in the place of another, under the name by which people know that one."""
        task = left.task
        if task is not None:
            return task
        known_as = with_fields(made.metadata, name=left.pod.name)
        pod = with_fields(_source(made), metadata=known_as)
        on = left.pod.spec.node_name
        task = Task(pod, None, self._workload_of(left.pod), origin, running_on=on)
        self.tasks.append(task)
        return task

    def _decided(self, decision: Decision) -> None:
        self._cycles += 1
        if self._cycles % 64 == 0:
            self._observer.progress("pods", self._cycles, self._cycles + self.run.queue.waiting)
        if decision.preemption is not None and decision.preemption.nominated is not None:
            self._end_victims_that_end(decision.preemption.candidates[decision.preemption.nominated])
        task = self._at.get(decision.pod.full_name)
        if task is None:
            return
        task.record = decision.pod
        if self._inspect is not None and self._inspect_all:
            task.inspected = self._inspect(decision)

    def _end_victims_that_end(self, chosen: Candidate) -> None:
        """Let victims be gone at last that were terminating as the cluster was loaded, of which nobody knows when."""
        for victim in chosen.victims:
            pod = self.session.cluster.pods.records[victim].pod
            if pod.is_terminating:
                self.run.api.end_at_last(pod.full_name)

    def _hears(self, event: RunEvent) -> None:
        if event.happening is Happening.PREEMPTED:
            self._preempted(event)
            return
        task = self._at.get(event.pod)
        if task is None:
            return
        if event.happening is Happening.SCHEDULED:
            self._has_got_a_node(task, event.pod, event.node or "")
        elif event.happening is Happening.WAITS:
            waits = f"waits for {', '.join(event.plugins)}, with {event.node} reserved"
            task.outcome = Outcome.UNSCHEDULABLE
            task.message = f"{waits}: {event.message}" if event.message else waits
        elif event.happening is Happening.FAILED:
            task.outcome = Outcome.UNSCHEDULABLE if event.plugins else Outcome.ERROR
            task.message = event.message

    def _preempted(self, event: RunEvent) -> None:
        pod, by = self.run.api.pods[event.pod], self._at.get(event.by)
        record = self.run.view.records[event.pod]
        mine = self._at.pop(event.pod, None)
        identity = (event.pod, pod.uid)
        source = mine.pod if mine else _source(pod)
        left = _Left(_source(pod), PodOrigin.PREEMPTED, mine, len(self.evictions))
        self._left.setdefault(identity, left)
        victim = mine.name if mine else event.pod
        if by is not None:
            by.evicted.append(victim)
        self.evictions.append(
            Eviction(
                victim,
                mine.workload if mine else self._workload_of(source),
                record.priority,
                event.node or "",
                by.name if by else event.by,
                None,
                source,
                placed_here=mine is not None,
                retired=identity in self._retiring,
            )
        )
        if mine is not None:
            mine.node, mine.outcome = None, Outcome.UNSCHEDULABLE
            mine.message = f"preempted by {by.name if by else event.by}"
            self._order.lost(mine)

    # To the end

    def settle(self) -> None:
        """Run until nothing moves any more."""
        self.run.run(until=self._until)
        while self._admitted_at_last():
            self.run.run(until=self._until)

    def _admitted_at_last(self) -> bool:
        """Whether a kubelet admits a pod that was refused before, or rather one that is made in its place."""
        again = [task for task in self._refused if is_made_anew(task.pod)]
        self._refused = [task for task in self._refused if task not in again]
        admitted = [self._bind(task, task.record) for task in again if task.record is not None]
        return any(admitted)

    def finish(self) -> None:
        """Say why pods are without a node: as the cluster is now that nothing moves any more."""
        known: dict[tuple[int, str], tuple[Decision, Any]] = {}
        for key, task in self._at.items():
            record = self.run.view.records.get(key)
            if record is None:  # somebody else deleted it
                continue
            task.record = record
            if task.placed or self.run.waits(key):
                continue
            decision = self.session.scheduler.decide(record, self.session.cluster)
            if (
                self.run.groups is not None
                and group_of(record) is not None
                and self._told_by_group(task, decision)
            ):
                continue
            if decision.outcome is Outcome.SCHEDULED:
                continue  # the message is that of its last attempt
            task.outcome, task.message = decision.outcome, decision.event or decision.message
            if self._inspect is None:
                continue
            alike = (record.pod_class.index, task.message)
            if alike not in known or known[alike][0].evaluation is not decision.evaluation:
                known[alike] = (decision, self._inspect(decision))
            task.inspected = known[alike][1]
        self._order.tell()
        for name, waiting in self._for_a_name.items():
            for task in waiting:
                task.waits_for = f"the end of {name}, whose name it has"

    def _told_by_group(self, task: Task, alone: Decision) -> bool:
        """Whether a member's last attempt, in the cycle of its group, tells more than one by itself would."""
        if task.outcome is None and alone.outcome is Outcome.SCHEDULED:
            task.outcome, task.message = Outcome.GATED, OTHERS_GATED
        return alone.outcome is not Outcome.GATED and not task.message.startswith("0/")


def _leave_releases_to_the_run(cluster: ClusterState) -> None:
    """Claims are released by what the API is told, which the scheduler hears of."""
    if cluster.objects.all(ResourceClaim):
        from kschedctl.dra.cluster_devices import ClusterDevices  # loaded only where claims are

        ClusterDevices.of(cluster).releases = False


def _source(pod: AdmittedPod) -> Pod:
    """The object of a pod as it was written, on the node where it is now."""
    written = pod.source
    if written is None or written.metadata is not pod.metadata:
        return as_written(pod)
    return written


def _epoch(session: Session) -> datetime:
    """When the run begins."""
    at = session.cluster.looked_at
    if at is None:  # how long pods still take that are terminating is not known then: they stay
        records = (r for r in session.cluster.pods.records if r.pod.is_terminating)
        ends = (start_of(record.pod.metadata.deletion_timestamp) for record in records)
        at = max((end for end in ends if end != NO_START), default=None)
    return EPOCH if at is None else datetime.fromtimestamp(at // 1_000_000_000, UTC)
