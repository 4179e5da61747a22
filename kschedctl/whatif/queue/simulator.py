"""Many pods, one after another: the queue, what placing and evicting changes, and retries (spec 01 §8)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.cluster.group_members import GroupMembers
from kschedctl.cluster.pods import PodRecord
from kschedctl.dra.cluster_devices import ClusterDevices
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceClaim
from kschedctl.observer import SILENT, Observer
from kschedctl.run.story import RunEvent
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import (
    after_refusal,
    carry_out_post_filter,
    evict_and_retry,
    place,
    settle_nomination,
)
from kschedctl.whatif.queue.kubelet import Kubelet, is_made_anew
from kschedctl.whatif.queue.member_order import MemberOrder
from kschedctl.whatif.queue.quotas import QuotaLedger
from kschedctl.whatif.queue.task import Eviction, Task, without
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.world import PodOrigin, successor
from kschedctl.workloads import WorkloadKey, with_generated_claims
from kschedctl.workloads.controllers import is_daemon, is_recreated, is_static
from kschedctl.workloads.daemon_set import pinned
from kschedctl.workloads.succession import is_replaced_once_gone, named_node

_FIRST: Final[tuple[int, tuple[Any, ...]]] = (0, ())
"""Comes before every priority."""

Inspect = Callable[[Decision], Any]
"""Makes something of a decision while the cluster is as it was decided in."""


class _Failure(Struct):
    """Equal pods that failed alike since something moved.

    Attributes:
        decision: the decision for the first of them.
        tasks: all of them.
        inspected: what `inspect` made of the decision; made once nothing moves any more.
    """

    decision: Decision
    tasks: list[Task]
    inspected: Any = None


class Simulator:
    """Schedules pods in the order of the queue: higher priority first, then order of arrival.

    A pod that preempts has its victims removed at once, is decided once more with the node nominated, and placed.
    Victims that a controller would make anew join the queue. Pods that found no node are tried again as long as a
    pass placed or evicted something.

    Args:
        session: the cluster and its scheduler; changed by the run.
        workload_of: whose pod a pod is.
        single_pass: try each pod once.
        recreate_victims: let controllers make victims anew.
        inspect: applied to the decisions that `inspect_all` or a failure asks for.
        inspect_all: also for pods that are placed.
        observer: is told the progress.

    Attributes:
        quotas: what keeps new pods from being created; None: nothing does.
    """

    quotas: QuotaLedger | None = None

    def __init__(
        self,
        session: Session,
        workload_of: Callable[[Pod], WorkloadKey],
        *,
        single_pass: bool = False,
        recreate_victims: bool = True,
        inspect: Inspect | None = None,
        inspect_all: bool = False,
        observer: Observer = SILENT,
    ) -> None:
        self.session = session
        self.tasks: list[Task] = []
        self.evictions: list[Eviction] = []
        self.passes = 0
        self._workload_of = workload_of
        self._single_pass = single_pass
        self._recreate_victims = recreate_victims
        self._inspect = inspect
        self._inspect_all = inspect_all
        self._observer = observer
        self._queue: list[tuple[tuple[int, tuple[Any, ...]], int, Task]] = []
        self._arrivals = 0
        self._waiting: list[Task] = []
        self._moves = 0
        self._failures: dict[tuple[int, str], _Failure] = {}
        self._uninspected: list[_Failure] = []
        self._task_of: dict[int, Task] = {}
        self._order = MemberOrder(session)
        self._kubelet = Kubelet(session.scheduler.configuration)
        self._retiring: set[int] = set()
        self._successors: dict[int, Task] = {}
        self._attempts = 0

    @property
    def story(self) -> Sequence[RunEvent]:
        """Nothing: all of it happens at once."""
        return ()

    @property
    def group_messages(self) -> None:
        """Groups are not looked at: every pod is tried by itself."""
        return None

    @property
    def hints_taken(self) -> int:
        """None: every pod is scored."""
        return 0

    @property
    def seconds(self) -> float:
        """No time passes."""
        return 0.0

    def submit(self, tasks: Iterable[Task]) -> None:
        """Put pods into the queue; those that the API server refuses are recorded and not tried.

        Members of a stateful set that its controller does not create yet follow once their turn comes.
        """
        batch = list(tasks)
        self.tasks += batch
        for task in batch:
            if task.record is not None:
                self._task_of[task.record.id] = task
                GroupMembers.of(self.session.cluster).arrive(task.record)
        self._enqueue_all(self._order.enter(batch))

    def settle(self) -> None:
        """Schedule until nothing moves any more, or once through where a single pass is asked for."""
        while self._queue or self._waiting:
            for task in self._waiting:
                self._enqueue(task)
            self._waiting = []
            before = self._moves
            self._pass()
            if self._moves == before or self._single_pass:
                break
        self._inspect_failures()

    def finish(self) -> None:
        """Say of members that were not created what they wait for."""
        self._order.tell()

    def runs(self, pod: int) -> bool:
        """Whether a pod is on a node; preemption may have taken it off."""
        return bool(self.session.cluster.pods.node[pod] >= 0)

    def retire(self, pods: Iterable[int]) -> None:
        """Note pods that a rolling update is to replace: when preempted they are not made anew as they were."""
        self._retiring.update(pods)

    def take_off(self, pod: int) -> None:
        """Take a pod away, as its controller or a drain does; room is made for those that wait.

        One that this run was to schedule is no part of it any more.
        """
        task = self._task_of.pop(pod, None)
        if task is not None:
            self.tasks.remove(task)
        if task in self._waiting:
            self._waiting.remove(task)
        if self.session.cluster.nominated_node(pod):
            self.session.cluster.drop_nomination(pod)
            self._moved()
        if self.runs(pod):
            self.session.cluster.remove(pod)
            self._moved()
        self._gone(self.session.cluster.pods.records[pod])

    def withdraw(self, task: Task) -> None:
        """Delete a pod of this run for good, as its controller does."""
        without(self.evictions, task)
        assert task.record is not None
        if self.quotas is not None:
            self.quotas.forget(task)
        self.take_off(task.record.id)

    def evict(self, pod: int) -> None:
        """Evict a pod as a drain does; its controller makes it anew."""
        record, row = self.session.cluster.pods.records[pod], int(self.session.cluster.pods.node[pod])
        self.take_off(pod)
        if is_recreated(record.pod):
            node = self.session.cluster.nodes.names[row]
            self._successors[pod] = self._task_anew(_source(record), node, PodOrigin.DISPLACED)
            self.submit([self._successors[pod]])

    def successor(self, pod: int) -> Task | None:
        """The pod that a controller made in the place of another; None: none does."""
        return self._successors.get(pod)

    def _task_anew(self, pod: Pod, node: str, origin: PodOrigin) -> Task:
        """The pod that a controller makes in the place of one that left its node; to be submitted."""
        fresh = self._with_claims(self._made_anew(pod, node))
        record = self.session.cluster.add_pod(self.session.admission.admit_existing(fresh))
        if self.quotas is not None:
            self.quotas.take(record.pod)
        return Task(fresh, record, self._workload_of(pod), origin, running_on=node)

    @property
    def unplaced(self) -> list[Task]:
        """Pods that are on no node, in order of arrival; those that are not even created come last."""
        return sorted((task for task in self.tasks if not task.placed), key=lambda task: not task.pending)

    def _enqueue_all(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            if task.record is not None and self._may_create(task):
                self._enqueue(task)

    def _may_create(self, task: Task) -> bool:
        """Whether quotas let the pod of a task be created; else it follows once they do."""
        return self.quotas is None or task.origin is PodOrigin.PENDING or self.quotas.admits(task)

    def _gone(self, pod: PodRecord) -> None:
        """Let pods be created for which there is room in quotas now."""
        for task in self.quotas.gone(pod.pod) if self.quotas is not None else ():
            self._enqueue(task)

    def _enqueue(self, task: Task) -> None:
        assert task.record is not None
        self._arrivals += 1
        # A pod that names its node is bound as it is made, before any scheduler has its turn.
        order = (
            _FIRST
            if task.record.pod.node_name
            else (1, self.session.scheduler.queue_order(task.record, self.session.cluster))
        )
        heapq.heappush(self._queue, (order, self._arrivals, task))

    def _pass(self) -> None:
        self.passes += 1
        while self._queue:
            task = heapq.heappop(self._queue)[2]
            self._attempts += 1
            if self._attempts % 64 == 0:
                self._observer.progress("pods", self._attempts, self._attempts + len(self._queue))
            if not self._try(task) and _may_fare_better(task):
                self._waiting.append(task)

    def _try(self, task: Task) -> bool:
        assert task.record is not None
        if task.record.pod.node_name:
            return self._bind(task, task.record)
        decision = self._decide(task.record)
        if decision.outcome is Outcome.SCHEDULED:
            return self._place(task, decision)
        if decision.preemption is not None and decision.preemption.nominated is not None:
            return self._preempt(task, decision)
        self._fail(task, decision)
        return False

    def _decide(self, pod: PodRecord) -> Decision:
        """Take the decision, and once more after every claim that it frees."""
        decision = self.session.scheduler.decide(pod, self.session.cluster)
        while carry_out_post_filter(decision):
            self._moved()
            if decision.preemption is not None and decision.preemption.nominated is not None:
                break  # the next try comes with the evictions
            decision = self.session.scheduler.decide(pod, self.session.cluster)
        return decision

    def _bind(self, task: Task, pod: PodRecord) -> bool:
        """Put a pod on the node that it names, if the kubelet there admits it."""
        cluster, node = self.session.cluster, pod.pod.node_name
        task.refusal = self._kubelet.refusal(pod, cluster)
        if task.refusal is not None:
            task.message = str(task.refusal)
            return False
        cluster.assume(pod.id, cluster.nodes.row_of[node])
        task.outcome, task.node, task.message = Outcome.SCHEDULED, node, ""
        self._has_got_a_node(task)
        return True

    def _place(self, task: Task, decision: Decision) -> bool:
        inspected = self._inspect(decision) if self._inspect is not None and self._inspect_all else None
        refused = place(decision)
        if refused is not None:
            self._fail(task, after_refusal(decision, refused))
            return False
        if inspected is not None:
            task.inspected = inspected
        return self._placed(task, decision)

    def _placed(self, task: Task, decision: Decision) -> bool:
        task.outcome, task.node, task.message = Outcome.SCHEDULED, decision.selected_node, ""
        self._has_got_a_node(task)
        return True

    def _preempt(self, task: Task, decision: Decision) -> bool:
        preemption = decision.preemption
        assert preemption is not None
        assert preemption.nominated is not None
        cluster = self.session.cluster
        node = cluster.nodes.names[preemption.nominated]
        victims = [cluster.pods.records[v] for v in preemption.candidates[preemption.nominated].evicted]
        if self._inspect is not None and self._inspect_all:
            task.inspected = self._inspect(decision)
        again = evict_and_retry(self.session.scheduler, decision)
        failed = self._inspect is not None and again.outcome is not Outcome.SCHEDULED
        inspected = self._inspect(again) if self._inspect is not None and failed else None
        self._moved()
        for victim in victims:
            self._evicted(victim, node, task)
        if again.outcome is Outcome.SCHEDULED:
            refused = place(again)
            if refused is None:
                return self._placed(task, again)
            again = after_refusal(again, refused)
        self._fail(task, again, inspected)
        return False

    def _evicted(self, victim: PodRecord, node: str, by: Task) -> None:
        by.evicted.append(victim.full_name)
        mine = self._task_of.get(victim.id)
        again = self._again(victim, node, mine)
        if again is not None:
            self._successors[victim.id] = again
        workload = mine.workload if mine else self._workload_of(_source(victim))
        pod = mine.pod if mine else _source(victim)
        self.evictions.append(
            Eviction(
                victim.full_name,
                workload,
                victim.priority,
                node,
                by.name,
                again,
                pod,
                placed_here=mine is not None,
                retired=victim.id in self._retiring,
            )
        )
        if mine is not None:
            mine.node, mine.outcome = None, Outcome.UNSCHEDULABLE
            mine.message = f"preempted by {by.name}"
            self._order.lost(mine)
        if again is not mine:
            self._gone(victim)
        if again is not None and again is mine:
            self._enqueue(again)
        elif again is not None:
            self.submit([again])

    def _again(self, victim: PodRecord, node: str, mine: Task | None) -> Task | None:
        """The pod that takes the place of a victim: the same task, a new one, or none."""
        pod = mine.pod if mine else _source(victim)
        if not self._recreate_victims or victim.id in self._retiring:
            return None
        if victim.pod.is_terminating and not is_replaced_once_gone(pod, self.session.cluster.objects.find):
            return None
        if pod.metadata.controller is None or is_static(pod):
            return None
        if mine is not None:
            return mine
        return self._task_anew(pod, node, PodOrigin.PREEMPTED)

    def _made_anew(self, pod: Pod, node: str) -> Pod:
        """The pod that a controller makes in the place of a victim; a daemon belongs to its node."""
        fresh = successor(pod, node=named_node(pod, self.session.cluster.objects.find))
        return replace(fresh, spec=pinned(fresh.spec, node)) if is_daemon(pod) else fresh

    def _with_claims(self, pod: Pod) -> Pod:
        """The pod once the claims for its devices are made; volumes of the old one stay, by their names."""
        cluster = self.session.cluster
        ready, claims = with_generated_claims(pod, cluster.objects.find)
        for claim in claims:
            if isinstance(claim, ResourceClaim):
                ClusterDevices.of(cluster).add_claim(claim)
        return ready

    def _fail(self, task: Task, decision: Decision, inspected: Any = None) -> None:
        """Note that a pod found no node; `inspected` where the cluster has moved since the decision."""
        assert task.record is not None
        message = decision.event or decision.message
        task.outcome, task.message = decision.outcome, message
        known = self._failures.get((task.record.pod_class.index, message))
        if known is not None and known.decision.evaluation is decision.evaluation:
            known.tasks.append(task)
            task.inspected = known.inspected
        elif inspected is not None:
            task.inspected = inspected
        else:
            failure = self._failures[task.record.pod_class.index, message] = _Failure(decision, [task])
            self._uninspected.append(failure)
        nominated = self.session.cluster.nominated_node(task.record.id)
        if nominated or self._single_pass or task.outcome is not Outcome.UNSCHEDULABLE:
            self._inspect_failures()  # there is no later try, or none in the same cluster
        if settle_nomination(decision):
            self._moved()

    def _inspect_failures(self) -> None:
        """Inspect what failed since the last move: the cluster is still as it was decided in."""
        for failure in self._uninspected:
            if self._inspect is not None:
                failure.inspected = self._inspect(failure.decision)
            for task in failure.tasks:
                task.inspected = failure.inspected
        self._uninspected.clear()

    def _has_got_a_node(self, task: Task) -> None:
        self._moved()
        self._enqueue_all(self._order.placed(task))

    def _moved(self) -> None:
        """Something that a decision reads has changed."""
        self._moves += 1
        self._failures.clear()
        self._uninspected.clear()


def _may_fare_better(task: Task) -> bool:
    """Whether a pod that found no node is there, or made anew, to be tried again."""
    if task.refusal is not None:
        return is_made_anew(task.pod)
    return task.outcome is Outcome.UNSCHEDULABLE


def _source(record: PodRecord) -> Pod:
    source = record.pod.source
    assert source is not None
    return source
