"""The cycle of a group as 1.36 runs it: members preempt by themselves, and the group as an option (spec 07 §12)."""

from __future__ import annotations

from functools import partial

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.placement import Placement
from kschedctl.framework.status import Code
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.decision import GroupDecision, GroupVerdict, MemberDecision
from kschedctl.gangs.group import Group
from kschedctl.gangs.members import place_all
from kschedctl.gangs.placements import NOT_FOUND, on_placements
from kschedctl.gangs.preemption import GroupPreemption, preempt_by_rescheduling
from kschedctl.gangs.result import GroupResult, MemberAttempt
from kschedctl.gangs.status import UNSCHEDULABLE, failed, unschedulable
from kschedctl.gangs.submission import condition_of, outcome_of, rejected_before
from kschedctl.gangs.validation import other_scheduler
from kschedctl.plugins.default_preemption import DefaultPreemption
from kschedctl.scheduling.post_filter import ASK_NOBODY, PostFilterRule

PLACEMENT_LIMITATION = "not eligible due to placement-based pod group scheduling limitation"
GROUP_NOT_FOUND = "pod group for pod not found"
LEFT_TO_THE_GROUP = "not eligible due to workload aware preemption enabled"
NOT_WITH_CONSTRAINTS = "workload aware preemption is not supported for pod groups with scheduling constraints"
NOT_REGISTERED = "default preemption plugin is not registered, workload aware preemption is disabled"


def decide_group(context: GroupContext, root: Group) -> GroupDecision:
    """Run the cycle; the cluster stays as it is but for the search's start."""
    if (text := other_scheduler(root)) is not None:
        return rejected_before(context, root, text, told=False)
    context.note_lists()
    with context.in_flight(root.members):
        return _decide(context, root)


def _decide(context: GroupContext, root: Group) -> GroupDecision:
    result = _algorithm(context, root, PostFilterRule(no_preemption=_no_preemption(context, root)))
    preemption: GroupPreemption | None = None
    asks = context.enabled("WorkloadAwarePreemption") and context.may_preempt
    if asks and result.status.code is Code.UNSCHEDULABLE:
        preemption = _preemption(context, root)
        if preemption.status.succeeded:
            result.waits = True
        elif preemption.status.code is Code.ERROR:
            result.status = preemption.status
        else:
            result.status.reasons.append(preemption.status.message)
    members = tuple(
        _member(context, result, pod, result.attempts[at] if at < len(result.attempts) else None)
        for at, pod in enumerate(root.members)
    )
    verdict = GroupVerdict(
        group=root,
        outcome=outcome_of(result.status, waits=result.waits),
        message=result.status.message,
        condition=condition_of(context, root, result.status),
        placement=result.chosen.name if result.chosen is not None and result.feasible else "",
        placements=[tried for tried in result.placements if tried.placement.name],
        members=members,
    )
    victims = list(preemption.victims) if preemption is not None else []
    victims += (pod for attempt in result.attempts if attempt.preempts for pod in _victims_of(attempt))
    said = None if preemption is None else preemption.status.message
    return GroupDecision(
        root, context.cluster, context.framework, (verdict,), said, tuple(dict.fromkeys(victims))
    )


def _algorithm(context: GroupContext, root: Group, post_filter: PostFilterRule) -> GroupResult:
    """Place the group, and take that back."""
    place = partial(place_all, context, root, post_filter=post_filter)
    if not context.by_placement:
        with context.trial():
            return place(None)

    def trial(placement: Placement) -> GroupResult:
        return place(placement.rows)

    rows = context.cluster.present.order
    return on_placements(context, root, rows, trial, lambda result: result.assigned)


def _no_preemption(context: GroupContext, root: Group) -> str:
    """Why DefaultPreemption looks for no victims of single members; empty where it does."""
    if context.by_placement:
        if root.spec_of is None:
            return GROUP_NOT_FOUND
        if root.spec_of.spec.scheduling_constraints is not None:
            return PLACEMENT_LIMITATION
    return LEFT_TO_THE_GROUP if context.enabled("WorkloadAwarePreemption") else ""


def _preemption(context: GroupContext, root: Group) -> GroupPreemption:
    if not context.framework.runs(DefaultPreemption.spec.name, ExtensionPoint.POST_FILTER):
        return GroupPreemption(unschedulable(NOT_REGISTERED))
    if root.spec_of is None:
        text = f"failed to get pod group object: {NOT_FOUND.format(root.key[1])}"
        return GroupPreemption(failed(text))
    if root.topology_key is not None:
        return GroupPreemption(unschedulable(NOT_WITH_CONSTRAINTS))
    return preempt_by_rescheduling(context, root, lambda: _algorithm(context, root, ASK_NOBODY))


def _victims_of(attempt: MemberAttempt) -> tuple[int, ...]:
    found = attempt.decision.preemption
    assert found is not None
    assert found.nominated is not None
    return found.candidates[found.nominated].victims


def _member(
    context: GroupContext, result: GroupResult, pod: PodRecord, attempt: MemberAttempt | None
) -> MemberDecision:
    status = result.status
    if status.code is Code.ERROR:
        own = attempt is not None and attempt.code is Code.ERROR
        text = attempt.text if attempt is not None and own else status.message
        return MemberDecision(pod, attempt, text=text, own=own, error=True, nomination="")
    if attempt is None:
        return MemberDecision(pod, None, text=status.message)
    if attempt.fits:
        if status.succeeded:
            return MemberDecision(pod, attempt, selected=attempt.placed)
        if result.waits:
            assert attempt.placed is not None
            node = context.cluster.nodes.names[attempt.placed]
            return MemberDecision(pod, attempt, text=status.message, nomination=node)
    elif not attempt.preempts or result.waits:
        return MemberDecision(pod, attempt, text=attempt.text, own=True, nomination=_own_nomination(attempt))
    return MemberDecision(pod, attempt, text=f"{UNSCHEDULABLE}, {attempt.permit}", nomination="")


def _own_nomination(attempt: MemberAttempt) -> str | None:
    """The node that PostFilter of the member nominates it to."""
    if attempt.preempts:
        return attempt.decision.selected_node
    cleared = attempt.refused is not None or not attempt.decision.keeps_nomination
    return "" if cleared else None
