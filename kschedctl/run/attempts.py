"""One cycle of the scheduler and what it writes: a binding, or a failure with its victims and nominations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from kschedctl.cluster.group_members import group_of
from kschedctl.cluster.journal import Mark
from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.cluster_event import Action, Resource
from kschedctl.framework.configuration.duration import Duration
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.status import Code, Status
from kschedctl.gangs.decision import GroupDecision, GroupOutcome, MemberDecision
from kschedctl.run.api_server import ApiServer
from kschedctl.run.claim_writes import changed_claims, write_claims, write_unreserved
from kschedctl.run.clock import Clock
from kschedctl.run.event_names import EventNames
from kschedctl.run.groups import GANGS, RunGroups
from kschedctl.run.permits import WaitingPod, WaitingPods
from kschedctl.run.queue import SchedulingQueue
from kschedctl.run.queued_pod import QueuedPod
from kschedctl.run.scheduler_view import SchedulerView
from kschedctl.run.story import Happening, RunEvent, Story
from kschedctl.scheduling.batching import Batching
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import (
    Permission,
    after_refusal,
    carry_out_post_filter,
    give_back,
    permit,
    prepare_binding,
    reserve,
)

_NANOSECONDS: Final = 10**9
ATTEMPT_FAILED: Final = "ScheduleAttemptFailure"
"""The name under which a failed pod goes back to the queue."""

BINDING_FAILED: Final = 'running Bind plugin "DefaultBinder": etcdserver: request timed out'
NONE: Final[frozenset[str]] = frozenset()


class Attempts:
    """Runs cycles.

    Args:
        scheduler: decides.
        api: is written to.
        view: what the scheduler knows.
        queue: where pods come from and go back to.
        names: the names of events.
        clock: the time.
        story: is told.
        decided: is told every decision, before anything is done about it.
        groups: groups that are scheduled as one; None: there are none.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        api: ApiServer,
        view: SchedulerView,
        queue: SchedulingQueue,
        names: EventNames,
        clock: Clock,
        story: Story,
        decided: Callable[[Decision], object] | None = None,
        groups: RunGroups | None = None,
    ) -> None:
        self._scheduler = scheduler
        self._api = api
        self._view = view
        self._queue = queue
        self._names = names
        self._clock = clock
        self._story = story
        self._decided = decided
        self._groups = groups
        configuration, gates = scheduler.configuration, scheduler.configuration.gates
        self._batching = Batching(
            configuration.version.facts,
            gates.enabled("OpportunisticBatching") and not configuration.extenders,
        )
        self._cycles = 0
        self.waiting = WaitingPods()
        self._preempts_in_background = gates.enabled("SchedulerAsyncPreemption")
        self._tells_expected_node = gates.enabled("NominatedNodeNameForExpectation")

    @property
    def hints_taken(self) -> int:
        """How many pods went to the node that the scores of an equal one led to."""
        return self._batching.taken

    def attempt(self, pod: QueuedPod) -> None:
        """One cycle of a pod that was popped, together with its group if it has one."""
        if self._groups is not None and group_of(pod.record) is not None:
            self._attempt_group(self._groups, pod)
            return
        decision = self._decide(pod.record)
        if self._decided is not None:
            self._decided(decision)
        if decision.outcome is Outcome.SCHEDULED:
            self._bind(pod, decision)
        elif decision.outcome is Outcome.TERMINATING:
            self._queue.done(pod)
            self._tell(Happening.FAILED, pod.key, message=decision.message)
        else:
            self._reject(pod, decision)

    def _decide(self, pod: PodRecord) -> Decision:
        """The decision of the next cycle, for which an earlier one may have left a hint."""
        self._cycles += 1
        self._view.begin_cycle()
        cluster, nominated = self._view.cluster, pod.pod.nominated_node_name
        framework = self._scheduler.frameworks.get(pod.pod.spec.scheduler_name)
        signature = None if framework is None else self._batching.signature(framework, pod, cluster)
        if framework is None or signature is None:
            decision = self._scheduler.decide(pod, cluster, nominated=nominated, queued=True)
            self._batching.keep(decision, None, "", self._cycles)
            return decision
        hint = self._batching.hint(framework, pod, cluster, signature, self._cycles)
        decision = self._scheduler.decide(pod, cluster, nominated=nominated, queued=True, hint=hint)
        self._batching.keep(decision, signature, hint, self._cycles)
        return decision

    def _tell(
        self,
        happening: Happening,
        pod: str,
        node: str | None = None,
        *,
        message: str = "",
        plugins: Sequence[str] = (),
        queue: str = "",
        by: str = "",
    ) -> None:
        at = self._clock.seconds
        self._story.tell(RunEvent(at, happening, pod, node, message, tuple(plugins), queue, by))

    # Groups

    def _attempt_group(self, groups: RunGroups, first: QueuedPod) -> None:
        """The cycle of a group: its members are bound, or come back together."""
        taken = {pod.record.id: pod for pod in groups.taken_along(self._queue, first)}
        for key in [key for key, pod in taken.items() if pod.record.pod.is_terminating]:
            self._queue.done(taken.pop(key))
        if not taken:
            return
        self._view.begin_cycle()
        decision = groups.decide(list(taken.values()))
        if decision.carry_out is not None:
            decision.carry_out()
            for pod in taken.values():
                write_claims(changed_claims(pod.record, self._view.cluster, self._api), self._api)
        succeeded = groups.as_one and decision.verdict.outcome is GroupOutcome.SCHEDULED
        left = dict(taken)
        failed: list[QueuedPod] = []
        for verdict in decision.verdicts:
            for member in verdict.members:
                pod = left.pop(member.pod.id)
                if member.selected is not None:
                    assert member.attempt is not None
                    self._bind(pod, member.attempt.decision)
                    if not groups.as_one and decision.waits_on_permit(verdict.group):
                        for other in failed:
                            self._queue.activate(other.key)
                    continue
                failed.append(pod)
                self._fail_member(pod, member, at_once=succeeded)
        for pod in left.values():  # a group above is gone by now
            self._queue.done(pod)
        self._evict_for(decision)

    def _fail_member(self, pod: QueuedPod, member: MemberDecision, *, at_once: bool) -> None:
        record = self._view.records[pod.key]
        pool = self._queue.come_back(pod, record, ATTEMPT_FAILED, at_once=at_once, error=member.error)
        if member.nomination is not None:
            self._view.nominate(record, member.nomination)
        rejectors = NONE if member.attempt is None else member.attempt.decision.rejectors
        self._tell(
            Happening.FAILED,
            pod.key,
            message=member.text,
            plugins=() if member.error else sorted(rejectors or {GANGS}),
            queue=pool.value if pool is not None else "",
        )
        if member.nomination is not None:
            self._write_nomination(record, member.nomination)

    def _evict_for(self, decision: GroupDecision) -> None:
        """Let the victims of a group go, and those nominations that a member which preempts by itself comes before."""
        cluster = self._view.cluster
        for member in decision.members():
            attempt = member.attempt
            if attempt is None or not attempt.preempts or attempt.placed is None:
                continue
            for rival in list(cluster.nominations.get(cluster.nodes.names[attempt.placed], ())):
                if cluster.pods.records[rival].priority < member.pod.priority:
                    self._write_nomination(cluster.pods.records[rival], "")
        spared = self._scheduler.configuration.version.facts.terminating_victims_are_left_alone
        for victim in decision.victims:
            record, row = cluster.pods.records[victim], int(cluster.pods.node[victim])
            if row < 0 or (spared and record.pod.is_terminating):
                continue
            by = f"group {decision.root.full_name}"
            self._tell(Happening.PREEMPTED, record.full_name, cluster.nodes.names[row], by=by)
            self._api.evict(record.full_name)

    # A node was found

    def _bind(self, pod: QueuedPod, decision: Decision) -> None:
        cluster = self._view.cluster
        start = cluster.mark()
        self._view.touch(decision.selected_node or "")
        permission = Permission()
        refused = reserve(decision)
        if refused is None:
            permission = permit(decision, self.waiting.of)
            # What a pod holds that waits is held as if it were bound: nobody else may have it.
            refused = permission.status or prepare_binding(decision)
        if refused is not None:
            cluster.undo_to(start)
            self._refuse(pod, decision, refused)
        elif permission.waits:
            why = ", ".join(wait.reason for wait in permission.waits.values() if wait.reason)
            self.waiting.hold(pod, decision, permission.waits, self._clock.seconds)
            plugins = sorted(permission.waits)
            self._tell(Happening.WAITS, pod.key, decision.selected_node, message=why, plugins=plugins)
        else:
            self._write_binding(pod, decision, start)
        for other in permission.activates:
            self._queue.activate(cluster.pods.records[other].full_name)
        for plugin, other in permission.lets_go:
            if (freed := self.waiting.let_go(other, plugin)) is not None:
                self._write_binding(freed.queued, freed.decision, None)
        for plugin, other in permission.turns_away:
            if other in self.waiting:
                status = Status(Code.UNSCHEDULABLE, (f'rejected by plugin "{plugin}"',), plugin)
                self._turn_away(self.waiting.take(other), status)

    def _refuse(self, pod: QueuedPod, decision: Decision, refused: Status) -> None:
        ended = after_refusal(decision, refused)
        rejected = ended.outcome is not Outcome.ERROR and bool(refused.plugin)
        blamed = frozenset((refused.plugin,)) if rejected else NONE
        self._fail(pod, ended.event or ended.message, blamed, "")

    def _write_binding(self, pod: QueuedPod, decision: Decision, start: Mark | None) -> None:
        """Bind a pod.

        Args:
            pod: the pod.
            decision: where to.
            start: the state before anything was reserved; None where others came since, as for one that waited.
        """
        cluster, node = self._view.cluster, decision.selected_node
        assert node is not None
        claims = changed_claims(pod.record, cluster, self._api)
        if self._tells_expected_node and _has_work_before_binding(decision):
            self._write_nomination(pod.record, node)
        write_claims(claims, self._api)
        if self._api.bind(pod.key, node):
            self._queue.done(pod)
            self._tell(Happening.SCHEDULED, pod.key, node)
            return
        if start is None:
            give_back(decision)
        else:
            cluster.undo_to(start)
        cluster.drop_nomination(pod.record.id)
        write_unreserved(claims, self._api)
        self._queue.done(pod)
        self._free(pod, node)
        self._fail(pod, BINDING_FAILED, NONE, "")

    def _free(self, pod: QueuedPod, node: str) -> None:
        """Let others hear that a pod is not on its node after all."""
        self._view.touch(node)
        was = PodRecord(pod.record.id, replace(pod.record.pod, node_name=node), pod.record.pod_class)
        self._queue.move(self._names.event(Resource.ASSIGNED_POD, Action.DELETE, was))

    # Pods that wait for Permit

    def time_out(self, now: float) -> bool:
        """Reject the pods that waited too long; whether there were any."""
        over = self.waiting.overdue(now)
        for waiting in over:
            _, after, plugin = waiting.ends
            text = f"rejected due to timeout after waiting {Duration(round(after * _NANOSECONDS))} at plugin {plugin}"
            self._turn_away(waiting, Status(Code.UNSCHEDULABLE, (text,), plugin))
        return bool(over)

    def _turn_away(self, waiting: WaitingPod, status: Status) -> None:
        """Give back what a pod holds, and put it back into the queue; then others hear of it."""
        node = waiting.decision.selected_node
        assert node is not None
        give_back(waiting.decision)
        self._refuse(waiting.queued, waiting.decision, status)
        self._free(waiting.queued, node)

    def lose(self, key: str) -> None:
        """Forget a pod that is deleted while it waits."""
        waiting = self.waiting.by_key(key)
        if waiting is None:
            return
        self.waiting.take(waiting.decision.pod.id)
        give_back(waiting.decision)
        self._queue.done(waiting.queued)
        self._free(waiting.queued, waiting.decision.selected_node or "")

    # No node was found

    def _reject(self, pod: QueuedPod, decision: Decision) -> None:
        if decision.outcome is not Outcome.UNSCHEDULABLE:
            self._fail(pod, decision.message, NONE, "")
            return
        if carry_out_post_filter(decision):
            write_claims(changed_claims(pod.record, self._view.cluster, self._api), self._api)
        if decision.makes_room:
            self._preempt(decision)
        self._fail(pod, decision.event, decision.rejectors, nomination_after(decision))

    def _preempt(self, decision: Decision) -> None:
        """Let the victims go, and those nominations that the preemptor comes before."""
        preemption, cluster = decision.preemption, self._view.cluster
        assert preemption is not None
        assert preemption.nominated is not None
        node = cluster.nodes.names[preemption.nominated]
        victims = [cluster.pods.records[v] for v in preemption.candidates[preemption.nominated].victims]
        spared = self._scheduler.configuration.version.facts.terminating_victims_are_left_alone
        staying = [victim for victim in victims if not (spared and victim.pod.is_terminating)]
        if staying or not self._preempts_in_background:
            for rival in list(cluster.nominations.get(node, ())):
                record = cluster.pods.records[rival]
                if record.priority < decision.pod.priority:
                    self._write_nomination(record, "")
        for victim in staying:
            if victim.id in self.waiting:
                self._turn_away(self.waiting.take(victim.id), Status(Code.UNSCHEDULABLE, ("preempted",)))
                continue
            self._tell(Happening.PREEMPTED, victim.full_name, node, by=decision.pod.full_name)
            self._api.evict(victim.full_name)

    def _fail(self, pod: QueuedPod, message: str, rejectors: frozenset[str], nomination: str | None) -> None:
        """Put a pod back, and say so.

        Args:
            pod: the pod.
            message: why.
            rejectors: the plugins that rejected it, none for an error.
            nomination: the node that is kept for it from now on, empty for none, None: as before.
        """
        record = self._view.records[pod.key]
        pool = self._queue.fail(pod, record, rejectors, ATTEMPT_FAILED)
        self._view.nominate(record, record.pod.nominated_node_name if nomination is None else nomination)
        self._tell(
            Happening.FAILED,
            pod.key,
            message=message,
            plugins=sorted(rejectors),
            queue=pool.value if pool is not None else "",
        )
        if nomination is not None:
            self._write_nomination(record, nomination)

    def _write_nomination(self, pod: PodRecord, node: str) -> None:
        """Write the node that is kept for a pod, where the scheduler has not seen it written yet."""
        if pod.pod.nominated_node_name != node and self._api.nominate(pod.full_name, node):
            self._tell(Happening.NOMINATED, pod.full_name, node)


def _has_work_before_binding(decision: Decision) -> bool:
    """Whether a plugin has something to write before the pod is bound."""
    framework, phase = decision.framework, decision.phase
    assert framework is not None
    assert phase is not None
    return any(
        plugin.works_before_binding(phase.states.get(plugin.name))
        for plugin in framework.at(ExtensionPoint.PRE_BIND)
        if plugin.name not in phase.skipped
    )


def nomination_after(decision: Decision) -> str | None:
    """The node that is kept for a pod after its failure: "" for none any more, None: as before (spec 01 §6.3)."""
    preemption = decision.preemption
    if preemption is not None and preemption.nominated is not None:
        return decision.cluster.nodes.names[preemption.nominated]
    return None if decision.keeps_nomination else ""
