"""What all members of a group must have in common, tested before its cycle (spec 07 §5.2, §12)."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord

from .group import Group


def other_scheduler(root: Group) -> str | None:
    """The text for the first member whose scheduler is not that of the first one (1.36)."""
    pods = list(root.pods())
    first = pods[0].pod.spec.scheduler_name
    return next((text for pod in pods if (text := _scheduler_problem(pod, first))), None)


def _scheduler_problem(pod: PodRecord, first: str) -> str | None:
    own = pod.pod.spec.scheduler_name
    if own == first:
        return None
    return (
        "all pods in a single pod group should have the same .spec.schedulerName set, "
        f'got: "{own}" and "{first}"'
    )
