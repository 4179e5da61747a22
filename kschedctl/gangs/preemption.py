"""Preemption for a group as a whole, over the whole cluster (spec 07 §7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kschedctl.framework.status import Code
from kschedctl.preemption.units import (
    VictimUnit,
    by_importance,
    reprieve,
    split_by_budgets,
    victim_units,
)

from .context import GroupContext
from .group import Group
from .result import GroupResult
from .status import GroupStatus, unschedulable

NEVER = "not eligible due to preemptionPolicy=Never."
NO_VICTIMS = "No preemption victims found for incoming preemptor"


@dataclass(frozen=True, slots=True)
class GroupPreemption:
    """What preemption can do for a group.

    Attributes:
        status: success: the group can be placed once the victims are gone.
        victims: ids of the pods that have to go, the most important first.
    """

    status: GroupStatus
    victims: tuple[int, ...] = ()


def preempt_by_rescheduling(
    context: GroupContext, root: Group, algorithm: Callable[[], GroupResult]
) -> GroupPreemption:
    """Find victims without which the group fits, and try the whole group anew for each that might stay (1.36).

    Args:
        context: the cycle.
        root: the group that preempts.
        algorithm: places the group, takes that back, and tells what it found.
    """
    if any(pod.pod.preemption_policy == "Never" for pod in root.pods()):
        return GroupPreemption(unschedulable(NEVER))
    potential = [unit for unit in victim_units(context.cluster) if unit.priority < root.priority]
    if not potential:
        return GroupPreemption(GroupStatus(Code.UNRESOLVABLE, [NO_VICTIMS]))
    with context.trial():
        rows = take_out(context, potential)
        status = algorithm().status
        if not status.succeeded:
            return GroupPreemption(status)

        def stays(unit: VictimUnit) -> bool:
            put_back(context, unit, rows)
            if algorithm().status.succeeded:
                return True
            take_out(context, [unit])
            return False

        violating, others = split_by_budgets(context.cluster, by_importance(potential), stops_at_first=True)
        victims = reprieve(violating, others, stays)
    return GroupPreemption(GroupStatus(), tuple(pod for unit in victims for pod in unit.pods))


def take_out(context: GroupContext, units: Sequence[VictimUnit]) -> dict[int, int]:
    """Take the pods of units off their nodes for a trial; pod -> the row it was on."""
    cluster = context.cluster
    rows = {pod: int(cluster.pods.node[pod]) for unit in units for pod in unit.pods}
    for pod in rows:
        cluster.remove(pod, for_good=False)
    return rows


def put_back(context: GroupContext, unit: VictimUnit, rows: dict[int, int]) -> None:
    """Put the pods of a unit back where they were."""
    for pod in unit.pods:
        context.cluster.assume(pod, rows[pod])
