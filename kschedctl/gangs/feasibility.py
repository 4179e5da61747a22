"""Whether enough of a group can still be placed (spec 07 §5.4, §9)."""

from __future__ import annotations

from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.group import Group
from kschedctl.gangs.status import GroupStatus, unschedulable


def feasibility(
    context: GroupContext, group: Group, scheduled: int, remaining: int
) -> tuple[GroupStatus, bool]:
    """The status of a group as far as it has come, and whether it is worth going on.

    Args:
        context: the cycle.
        group: a leaf or a composite group.
        scheduled: members or children that are placed.
        remaining: those that are still to be tried.
    """
    if not context.gangs:
        return GroupStatus(), True
    minimum = group.minimum or 1
    if scheduled >= minimum:
        return GroupStatus(), True
    text = f"minCount ({minimum}) cannot be satisfied: {scheduled} scheduled, {remaining} remaining"
    return unschedulable(text), scheduled + remaining >= minimum
