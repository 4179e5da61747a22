"""What the status of a group is told as (spec 07 §8)."""

from __future__ import annotations

from kschedctl.framework.status import Code
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.decision import GroupCondition, GroupDecision, GroupOutcome, GroupVerdict, MemberDecision
from kschedctl.gangs.group import Group
from kschedctl.gangs.status import GroupStatus, failed
from kschedctl.objects.groups import PodGroup


def outcome_of(status: GroupStatus, *, waits: bool) -> GroupOutcome:
    """How a cycle ends that ends with this status."""
    if status.code is Code.ERROR:
        return GroupOutcome.ERROR
    if status.succeeded:
        return GroupOutcome.SCHEDULED
    return GroupOutcome.WAITING if waits else GroupOutcome.UNSCHEDULABLE


def condition_of(context: GroupContext, group: Group, status: GroupStatus) -> GroupCondition | None:
    """The condition that is written; None where it would say what is known, or take back that all went well."""
    if not isinstance(group.spec_of, PodGroup):
        return None
    found = _condition(status)
    known = context.condition(group.spec_of)
    if known is not None and (known == found or (known.status == "True" and found.status != "True")):
        return None
    return found


def _condition(status: GroupStatus) -> GroupCondition:
    if status.succeeded:
        return GroupCondition("True", "Scheduled", status.message)
    reason = "SchedulerError" if status.code is Code.ERROR else "Unschedulable"
    return GroupCondition("False", reason, status.message)


def rejected_before(context: GroupContext, root: Group, text: str, *, told: bool) -> GroupDecision:
    """The cycle ends with an error before any member is evaluated.

    Args:
        context: the cycle.
        root: the group.
        text: the error.
        told: whether the condition of the groups is written.
    """
    status = failed(text)
    verdicts = tuple(
        GroupVerdict(
            group,
            GroupOutcome.ERROR,
            text,
            condition_of(context, group, status) if told else None,
            members=tuple(
                MemberDecision(p, None, text=text, error=True, nomination="") for p in group.members
            ),
        )
        for group in root.listed()
    )
    return GroupDecision(root, context.cluster, None, verdicts)
