"""Whether a pod is one of a group that is scheduled as one; asked of every candidate, so that it costs nothing."""

from __future__ import annotations

from typing import Final

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.versions import GroupCycle
from kschedctl.objects.pod import Pod
from kschedctl.whatif.session import Session

OTHERS_GATED: Final = "another pod of its group is kept out of the queue"
"""Why a member is not tried that nothing keeps out itself."""


def schedules_groups(session: Session) -> bool:
    """Whether groups of pods have a cycle of their own."""
    return session.scheduler.configuration.gates.group_cycle is not GroupCycle.NONE


def is_scheduled_with_others(session: Session, pod: Pod | PodRecord) -> bool:
    """Whether a pod is a member of a group that is scheduled as one."""
    spec = pod.spec if isinstance(pod, Pod) else pod.pod.spec
    return spec.scheduling_group is not None and schedules_groups(session)


def waits_for_others(session: Session, pod: Pod | PodRecord) -> bool:
    """Whether a pod is not tried before others of its group or gang are there."""
    spec = pod.spec if isinstance(pod, Pod) else pod.pod.spec
    gangs = session.scheduler.configuration.gates.enabled("GangScheduling")
    return is_scheduled_with_others(session, pod) or (gangs and spec.workload_ref is not None)
