"""The members of one group on one set of nodes, one after another (spec 07 §5.4, §12).

Members that find a node stay there for those that follow; the caller takes everything back.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import structs

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.status import Code
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.feasibility import feasibility
from kschedctl.gangs.group import Group
from kschedctl.gangs.result import GroupResult, MemberAttempt
from kschedctl.gangs.status import UNSCHEDULABLE, GroupStatus, failed, unschedulable
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.post_filter import ASK_NOBODY, PostFilterRule

Ints = npt.NDArray[np.int64]

WAITING = "pod group is waiting for preemption to complete"
NO_QUORUM = "waiting for minCount pods from a gang to be scheduled"
_WAITS_ON_PERMIT = "one or more plugins asked to wait and no plugin rejected pod"


def place_while_possible(context: GroupContext, leaf: Group, scope: Ints | None) -> GroupResult:
    """Evaluate members until minCount is out of reach (1.37).

    Args:
        context: the cycle.
        leaf: the group.
        scope: int64 (n,), the nodes to look at; None for all.
    """
    scheduled, remaining = context.scheduled(leaf.key), len(leaf.members)
    status, goes_on = feasibility(context, leaf, scheduled, remaining)
    if not goes_on:
        return GroupResult(leaf, GroupStatus(Code.UNSCHEDULABLE, status.reasons, UNSCHEDULABLE))
    result = GroupResult(leaf, status)
    for pod in leaf.members:
        attempt = _attempt(context, pod, scope, ASK_NOBODY)
        result.attempts.append(attempt)
        if attempt.code is Code.ERROR:
            result.status = _stopped(attempt)
            break
        remaining -= 1
        scheduled += attempt.fits
        result.status, goes_on = feasibility(context, leaf, scheduled, remaining)
        if not goes_on:
            break
        result.any_placed = result.any_placed or attempt.fits
    if not result.status.succeeded:
        result.any_placed = False
    return result


def place_all(
    context: GroupContext, leaf: Group, scope: Ints | None, post_filter: PostFilterRule
) -> GroupResult:
    """Evaluate every member, which may preempt by itself; Permit says whether enough are placed (1.36).

    Args:
        context: the cycle.
        leaf: the group.
        scope: int64 (n,), the nodes to look at; None for all.
        post_filter: what is asked for members that fit nowhere.
    """
    result = GroupResult(leaf, unschedulable(error=UNSCHEDULABLE))
    preempting = False
    for pod in leaf.members:
        attempt = _attempt(context, pod, scope, post_filter)
        if attempt.placed is not None:
            context.overlook(pod)
        waits = attempt.placed is not None and not _permitted(context, leaf)
        attempt = structs.replace(attempt, permit=f"{NO_QUORUM}, {_WAITS_ON_PERMIT}" if waits else "")
        result.attempts.append(attempt)
        if attempt.placed is None:
            if attempt.code is Code.ERROR:
                result.status, result.waits = _stopped(attempt), False
                break
            continue
        result.any_placed = True
        preempting = preempting or attempt.preempts
        if not waits:
            result.status = unschedulable(WAITING, error=UNSCHEDULABLE) if preempting else GroupStatus()
            result.waits = preempting
    return result


def _permitted(context: GroupContext, leaf: Group) -> bool:
    """Whether Permit lets a member go that has just been placed."""
    minimum = leaf.minimum if context.gangs else None
    return minimum is None or context.scheduled(leaf.key) >= minimum


def _stopped(attempt: MemberAttempt) -> GroupStatus:
    return failed(f"failed to schedule other pod from a pod group: {attempt.text}")


def _attempt(
    context: GroupContext, pod: PodRecord, scope: Ints | None, post_filter: PostFilterRule
) -> MemberAttempt:
    """Decide one member, and put it where it fits or where its preemption makes room."""
    decision = context.scheduler.attempt(pod, context.cluster, scope=scope, post_filter=post_filter)
    if decision.outcome is Outcome.SCHEDULED:
        return _placed(decision, preempts=False)
    inspected = None if context.inspect is None else context.inspect(decision)
    made_room = decision.preemption.nominated if decision.preemption is not None else None
    if made_room is None:
        return MemberAttempt(decision, inspected=inspected)
    return structs.replace(_placed(decision.with_(selected=made_room), preempts=True), inspected=inspected)


def _placed(decision: Decision, *, preempts: bool) -> MemberAttempt:
    refused = place(decision)
    return (
        MemberAttempt(decision, refused=refused)
        if refused
        else MemberAttempt(decision, decision.selected, preempts)
    )
