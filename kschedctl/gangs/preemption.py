"""Preemption for a group as a whole, over the whole cluster (spec 07 §7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct, field

from kschedctl.cluster.group_tree import effective_priority
from kschedctl.framework.status import Code
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.group import Group
from kschedctl.gangs.result import GroupResult, MemberAttempt
from kschedctl.gangs.status import GroupStatus, unschedulable
from kschedctl.preemption.evaluator import is_preempted
from kschedctl.preemption.units import (
    VictimUnit,
    by_importance,
    reprieve,
    split_by_budgets,
    victim_units,
)
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.post_filter import ASK_NOBODY

NEVER = "not eligible due to preemptionPolicy=Never."
ONGOING = "ongoing preemption on nominated nodes"
NO_VICTIMS = "No preemption victims found for incoming preemptor"


class GroupPreemption(Struct, frozen=True):
    """What preemption can do for a group.

    Attributes:
        status: success: the group can be placed once the victims are gone.
        victims: ids of the pods that have to go, the most important first.
        nodes: member -> the row that it is nominated to.
        carry_out: does what was decided beside evictions, in the journal of the cluster.
        keeps_nominations: members stay nominated to the nodes that they are nominated to.
    """

    status: GroupStatus
    victims: tuple[int, ...] = ()
    nodes: Mapping[int, int] = field(default_factory=dict)
    keeps_nominations: bool = False
    carry_out: Callable[[], None] | None = None


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
    potential = _potential(context, root, by_root=False)
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

        violating, others, _ = split_by_budgets(
            context.cluster, by_importance(potential), stops_at_first=True
        )
        victims = by_importance(reprieve(violating, others, stays))
    return GroupPreemption(GroupStatus(), _pods(victims))


def preempt_for_assignments(
    context: GroupContext, root: Group, algorithm: Callable[[], tuple[GroupStatus, Sequence[MemberAttempt]]]
) -> GroupPreemption:
    """Find victims without which the group fits, and keep those that do not stand in the way of its nodes (1.37).

    Args:
        context: the cycle.
        root: the group that preempts.
        algorithm: places the group, takes that back, and gives its status and the members that were placed.
    """
    if _never(context, root):
        return _prefixed(unschedulable(NEVER))
    if _is_under_way(context, root):
        return _prefixed(GroupStatus(reasons=[ONGOING]), kept=True)
    potential = _potential(context, root, by_root=True)
    if not potential:
        return _prefixed(GroupStatus(Code.UNRESOLVABLE, [NO_VICTIMS]))
    with context.trial():
        rows = take_out(context, potential)
        status, assigned = algorithm()
        if not status.succeeded:
            return _prefixed(status)

        def stays(unit: VictimUnit) -> bool:
            put_back(context, unit, rows)
            if _all_fit(context, assigned):
                return True
            take_out(context, [unit])
            return False

        violating, others, _ = split_by_budgets(
            context.cluster, by_importance(potential), stops_at_first=False
        )
        victims = _pods(by_importance(reprieve(violating, others, stays)))
    text = f"found a placement for podgroup, preempting {len(victims)} victims"
    nodes = {attempt.pod.id: attempt.placed for attempt in assigned if attempt.placed is not None}
    return _prefixed(GroupStatus(reasons=[text]), victims, nodes)


def _never(context: GroupContext, root: Group) -> bool:
    if context.enabled("PodGroupPreemptionPolicy"):
        return root.spec_of is not None and root.spec_of.spec.preemption_policy == "Never"
    return any(pod.pod.preemption_policy == "Never" for pod in root.pods())


def _is_under_way(context: GroupContext, root: Group) -> bool:
    """Whether pods that were evicted before are still terminating where members are nominated."""
    cluster = context.cluster
    nodes = {cluster.node_to_try_first(pod) for pod in root.pods()} - {""}
    rows = [row for name in sorted(nodes) if (row := cluster.row_of(name)) is not None]
    for row in rows:
        for pod in cluster.usage.pods[row]:
            record = cluster.pods.records[pod]
            if effective_priority(cluster, record) < root.priority and is_preempted(record):
                return True
    return False


def _all_fit(context: GroupContext, assigned: Sequence[MemberAttempt]) -> bool:
    """Whether every member still fits on its node, those before it being on theirs."""
    with context.trial(searches=False):
        for attempt in assigned:
            node = np.array([attempt.placed])
            again = context.scheduler.attempt(
                attempt.pod, context.cluster, scope=node, post_filter=ASK_NOBODY
            )
            if again.outcome is not Outcome.SCHEDULED:
                return False
            place(again)
    return True


def _prefixed(
    status: GroupStatus,
    victims: tuple[int, ...] = (),
    nodes: Mapping[int, int] | None = None,
    *,
    kept: bool = False,
) -> GroupPreemption:
    told = GroupStatus(status.code, [f"pod group preemption: {status.message}"])
    return GroupPreemption(told, victims, nodes or {}, keeps_nominations=kept)


def _potential(context: GroupContext, root: Group, *, by_root: bool) -> list[VictimUnit]:
    units = victim_units(context.cluster, context.cluster.present.order.tolist(), by_root=by_root)
    return [unit for unit in units if unit.priority < root.priority]


def _pods(units: Sequence[VictimUnit]) -> tuple[int, ...]:
    return tuple(pod for unit in units for pod in unit.pods)


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
