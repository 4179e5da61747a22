"""What all members of a group must have in common, tested before its cycle (spec 07 §5.2, §12)."""

from __future__ import annotations

from kschedctl.admission.priority import DEFAULT_POLICY
from kschedctl.cluster.group_members import GroupMembers
from kschedctl.cluster.pods import PodRecord
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.group import Group


def other_scheduler(root: Group) -> str | None:
    """The text for the first member whose scheduler is not that of the first one (1.36)."""
    pods = list(root.pods())
    first = pods[0].pod.spec.scheduler_name
    return next((text for pod in pods if (text := _scheduler_problem(pod, first))), None)


def problem_of_members(context: GroupContext, root: Group) -> str | None:
    """The text for the first member, queued or on a node, that differs in scheduler, priority or policy (1.37)."""
    records, members = context.cluster.pods.records, GroupMembers.of(context.cluster)
    queued = list(root.pods())
    running = [records[pod] for leaf in root.leaves() for pod in members.scheduled(leaf.key)]
    first = queued[0].pod
    policy: str | None = None
    if context.enabled("PodGroupPreemptionPolicy"):
        policy = (root.spec_of and root.spec_of.spec.preemption_policy) or DEFAULT_POLICY
    for pod in (*queued, *running):
        text = (
            _scheduler_problem(pod, first.spec.scheduler_name)
            or _priority_problem(pod, root)
            or _policy_problem(pod, policy, first.preemption_policy)
        )
        if text is not None:
            return text
    return None


def _priority_problem(pod: PodRecord, root: Group) -> str | None:
    if pod.priority == root.priority:
        return None
    return (
        "all pods in a single pod group should have the same priority as the pod group's priority, "
        f"got {pod.priority} and {root.priority}"
    )


def _policy_problem(pod: PodRecord, of_group: str | None, of_first: str) -> str | None:
    own = pod.pod.preemption_policy
    if own == (of_group or of_first):
        return None
    wanted = "the same preemption policy"
    if of_group is not None:
        wanted += " as the pod group's preemption policy"
    return f"all pods in a single pod group should have {wanted}, got {own} and {of_group or of_first}"


def _scheduler_problem(pod: PodRecord, first: str) -> str | None:
    own = pod.pod.spec.scheduler_name
    if own == first:
        return None
    return (
        "all pods in a single pod group should have the same .spec.schedulerName set, "
        f'got: "{own}" and "{first}"'
    )
