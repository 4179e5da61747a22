"""Pods and groups one after another as the queue gives them, with what each decision does (spec 07 §4.6)."""

from __future__ import annotations

from msgspec import Struct, field

from kschedctl.cluster.group_members import GroupKey, GroupMembers
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.versions import GroupCycle
from kschedctl.gangs import group_cycle, member_cycle
from kschedctl.gangs.context import GroupContext, Inspect
from kschedctl.gangs.decision import GroupCondition, GroupDecision, GroupOutcome, GroupVerdict
from kschedctl.gangs.group import Group
from kschedctl.gangs.group_queue import GroupQueue
from kschedctl.gangs.member_queue import MemberQueue
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import carry_out_post_filter, place, settle_nomination

Entity = PodRecord | Group


class DecisionEffects(Struct):
    """What a decision did.

    Attributes:
        bound: pod id -> row.
        failed: pods that are back in the queue, in order.
        evicted: ids of the pods that had to go.
    """

    bound: dict[int, int] = field(default_factory=dict)
    failed: list[PodRecord] = field(default_factory=list)
    evicted: list[int] = field(default_factory=list)


class QueueRun:
    """One pass over the queue; what failed is tried again only once, after its own preemption.

    Args:
        scheduler: the configuration and its options.
        cluster: changed by the run.
        inspect: applied to the decisions for members that fit nowhere.
    """

    def __init__(self, scheduler: Scheduler, cluster: ClusterState, inspect: Inspect | None = None) -> None:
        self._scheduler = scheduler
        self._cluster = cluster
        self._inspect = inspect
        as_groups = scheduler.configuration.gates.group_cycle is GroupCycle.OF_GROUPS
        self._queue = (GroupQueue if as_groups else MemberQueue)(scheduler, cluster)
        self._decide_group = group_cycle.decide_group if as_groups else member_cycle.decide_group
        self._conditions: dict[GroupKey, GroupCondition] = {}
        self._retried: set[int] = set()

    def enter(self, pod: PodRecord) -> None:
        """A pod arrives; one that is being deleted counts as a member, but is not tried."""
        GroupMembers.of(self._cluster).arrive(pod)
        if not pod.pod.is_terminating:
            self._queue.enter(pod)

    def pop(self) -> Entity | None:
        """What is tried next; None at the end."""
        return self._queue.pop()

    def decide(self, entity: Entity) -> Decision | GroupDecision:
        """What kube-scheduler would decide; the cluster stays as it is but for the search's start."""
        if isinstance(entity, PodRecord):
            return self._scheduler.decide(entity, self._cluster)
        first = next(iter(entity.pods()))
        framework = self._scheduler.framework(first.pod.spec.scheduler_name)
        assert framework is not None
        context = GroupContext(self._scheduler, framework, self._cluster, self._conditions, self._inspect)
        return self._decide_group(context, entity)

    def settle(self, decision: Decision | GroupDecision) -> DecisionEffects:
        """Do what was decided; all of it is journalled, but for the queue."""
        effects = DecisionEffects()
        if isinstance(decision, Decision):
            self._settle_pod(decision, effects)
        else:
            self._settle_group(decision, effects)
        for pod in effects.evicted:
            self._cluster.remove(pod)
        if effects.evicted:
            again = [pod for pod in effects.failed if pod.id not in self._retried]
            self._retried.update(pod.id for pod in again)
            self._queue.activate(again)
        return effects

    def _settle_pod(self, decision: Decision, effects: DecisionEffects) -> None:
        if decision.outcome is Outcome.SCHEDULED and place(decision) is None:
            assert decision.selected is not None
            effects.bound[decision.pod.id] = decision.selected
            return
        effects.failed.append(decision.pod)
        self._queue.back(decision.pod)
        found = decision.preemption
        if found is None or found.nominated is None:
            settle_nomination(decision)
            carry_out_post_filter(decision)
            return
        self._make_room(decision, found.nominated, effects)
        self._cluster.nominate(decision.pod.id, self._cluster.nodes.names[found.nominated])

    def _make_room(self, decision: Decision, row: int, effects: DecisionEffects) -> None:
        """Note the victims of a pod, and drop the nominations of less important pods to its node."""
        assert decision.preemption is not None
        effects.evicted += decision.preemption.candidates[row].evicted
        for other in list(self._cluster.nominations.get(self._cluster.nodes.names[row], ())):
            if self._cluster.pods.records[other].priority < decision.pod.priority:
                self._cluster.drop_nomination(other)

    def _settle_group(self, decision: GroupDecision, effects: DecisionEffects) -> None:
        if decision.carry_out is not None:
            decision.carry_out()
        for verdict in decision.verdicts:
            if verdict.condition is not None:
                self._conditions[verdict.group.key] = verdict.condition
            self._settle_members(decision, verdict, effects)
        for verdict in decision.verdicts:
            for member in verdict.members:
                if member.attempt is not None and member.attempt.preempts:
                    row = member.attempt.placed
                    assert row is not None
                    self._make_room(member.attempt.decision, row, effects)
        effects.evicted = list(dict.fromkeys([*effects.evicted, *decision.victims]))
        self._queue.cycle_ended(succeeded=decision.verdict.outcome is GroupOutcome.SCHEDULED)

    def _settle_members(
        self, decision: GroupDecision, verdict: GroupVerdict, effects: DecisionEffects
    ) -> None:
        group = verdict.group
        for member in verdict.members:
            if member.selected is not None:
                assert member.attempt is not None
                if place(member.attempt.decision) is None:
                    effects.bound[member.pod.id] = member.selected
                    if decision.waits_on_permit(group):
                        self._queue.permit_waits(group)
                    continue
            effects.failed.append(member.pod)
            self._queue.back(member.pod)
            if member.nomination is not None:
                self._cluster.drop_nomination(member.pod.id)
            if member.nomination:
                self._cluster.nominate(member.pod.id, member.nomination)
            if member.attempt is not None and verdict.outcome is not GroupOutcome.ERROR:
                carry_out_post_filter(member.attempt.decision)
