"""What would make groups of pods fit that stay pending in a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.inspectors import newly_closed
from kschedctl.reports.simulate.groups import GroupOfPods
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session

_MOST_GROUPS: Final = 2


def with_suggestions(
    groups: Sequence[GroupOfPods], tasks: Sequence[Task], session: Session, cluster: Cluster
) -> list[GroupOfPods]:
    """The groups, the first that are not placed with what would make them fit in the cluster as it is at the end."""
    found, left = [], _MOST_GROUPS
    for group in groups:
        task = None if group.satisfied or not group.exists else _waiting(group, tasks)
        if task is not None and left:
            left -= 1
            group = _with_suggestions(group, task, session, cluster)
        found.append(group)
    return found


def _waiting(group: GroupOfPods, tasks: Sequence[Task]) -> Task | None:
    """A member that is there and has no node."""
    own = (task for task in tasks if f"{task.pod.namespace}/{task.pod.spec.pod_group}" == group.name)
    return next((task for task in own if task.pending and task.record is not None), None)


def _with_suggestions(group: GroupOfPods, task: Task, session: Session, cluster: Cluster) -> GroupOfPods:
    from kschedctl.advice.groups import group_suggestions
    from kschedctl.advice.situation import ownership_of
    from kschedctl.questions.home import home_of_pods
    from kschedctl.reports.suggest.build import suggestion_reports

    assert task.record is not None
    closed = newly_closed(cluster.session.cluster, session.cluster)
    made = group_suggestions(session, task.record, closed=closed)
    home = home_of_pods(made.alike or [task.pod], ownership_of(session))
    return replace(group, suggestions=suggestion_reports(made.found, home))
