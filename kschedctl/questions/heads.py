"""What reports on a planned cluster begin with: the scheduler, the cluster, and what only shows once it has run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.questions.cluster import Cluster
from kschedctl.reports.caveats.absent_kinds import absent_kinds_caveats
from kschedctl.reports.caveats.cluster import (
    custom_pods_caveat,
    foreign_kinds_caveat,
    left_out_caveat,
    unknown_fields_caveat,
    unread_versions_caveats,
)
from kschedctl.reports.caveats.created_pods import multi_attach_caveats, namespace_selector_caveats
from kschedctl.reports.caveats.groups import pod_groups_caveat, release_groups_caveats
from kschedctl.reports.caveats.kinds_read import Effects, readings_of
from kschedctl.reports.caveats.missing_kinds import (
    missing_kinds_caveats,
    why_not_judged,
    why_refusal_not_judged,
)
from kschedctl.reports.caveats.not_judged import not_judged_caveats
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.simulate.inspection import Inspection
from kschedctl.reports.summaries import with_caveats
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.change_text import text_of
from kschedctl.whatif.world.changes import AddNode, Change


def head_of(cluster: Cluster, release: Release | None = None) -> ReportHead:
    """What reports on a cluster begin with; the cluster is told as it is loaded."""
    summary = cluster.summary
    if release is not None:
        summary = with_caveats(
            summary,
            *unread_versions_caveats(release.skipped),
            foreign_kinds_caveat(release.skipped),
            custom_pods_caveat(release),
            left_out_caveat(release.left_out),
            unknown_fields_caveat(release.unknown),
            *release_groups_caveats(release.objects, cluster.objects, cluster.scheduler.gates),
        )
    return ReportHead(cluster.scheduler_summary(None), summary)


def with_caveats_of_pods(
    head: ReportHead,
    cluster: Cluster,
    session: Session,
    pods: Sequence[PodRecord],
    effects: Effects,
    *,
    groups: bool = False,
) -> ReportHead:
    """The head with what an answer about pods did not look at; `groups`: it did look at groups of pods."""
    caveats = absent_kinds_caveats(cluster.absent, session.scheduler, session.cluster, pods, effects)
    readings = readings_of(pods, session.scheduler, session.cluster, cluster.gaps, effects)
    caveats += missing_kinds_caveats(cluster.gaps, readings, changes=effects.changes)
    caveats += namespace_selector_caveats(pods, session.cluster)
    caveats += multi_attach_caveats(pods, session.cluster)
    aside = None if groups else pod_groups_caveat((r.pod for r in pods), cluster.scheduler.gates)
    return replace(head, cluster=with_caveats(head.cluster, *caveats, aside))


def unjudged(cluster: Cluster, session: Session, tasks: Iterable[Task]) -> dict[str, str]:
    """Pods without a node of which it cannot be said that they find none -> why."""
    whys = {task.name: _why_not_judged(task, cluster, session) for task in tasks if task.pending}
    return {name: why for name, why in whys.items() if why is not None}


class Simulated(Protocol):
    """What is read of a simulation, or of a drain."""

    @property
    def session(self) -> Session:
        """The cluster at the end."""

    @property
    def tasks(self) -> Sequence[Task]:
        """Every pod that was to be scheduled."""

    @property
    def group_messages(self) -> Mapping[tuple[str, str], str] | None:
        """Of groups of pods; None: they were not looked at as such."""


def with_caveats_of_run(
    head: ReportHead,
    cluster: Cluster,
    run: Simulated,
    effects: Effects,
    whys: Mapping[str, str] | None = None,
) -> ReportHead:
    """The head with what a simulation did not look at, and the pods that cannot be judged for it.

    Args:
        head: what the report begins with.
        cluster: the cluster as loaded.
        run: the simulation.
        effects: what happened in it.
        whys: pods that cannot be judged -> why; None: those of the simulation.
    """
    if whys is None:
        whys = unjudged(cluster, run.session, run.tasks)
    pods = [task.record for task in run.tasks if task.record is not None]
    groups = run.group_messages is not None
    head = with_caveats_of_pods(head, cluster, run.session, pods, effects, groups=groups)
    return replace(head, cluster=with_caveats(head.cluster, *not_judged_caveats(whys)))


def _why_not_judged(task: Task, cluster: Cluster, session: Session) -> str | None:
    """Why it cannot be said whether a pod without a node would get one, None where it can."""
    if not cluster.gaps:
        return None
    if task.record is None:
        return why_refusal_not_judged(cluster.gaps, task.pod)
    return why_unfit([task.record], task.inspected, cluster, session)


def why_unfit(pods: Sequence[PodRecord], inspected: object, cluster: Cluster, session: Session) -> str | None:
    """Why it cannot be said that pods fit nowhere, None where it can."""
    if (
        not isinstance(inspected, Explanation | Inspection)
        or inspected.outcome != Outcome.UNSCHEDULABLE.value
    ):
        return None
    readings = readings_of(pods, session.scheduler, session.cluster, cluster.gaps, Effects())
    return why_not_judged(cluster.gaps, readings, inspected.nodes)


def adds_nodes(changes: Sequence[Change]) -> bool:
    """Whether nodes are added that are no copies: a copy gets what its model has."""
    return any(isinstance(change, AddNode) and not change.like for change in changes)


def texts_of(changes: Sequence[Change], change_texts: Sequence[str] | None) -> Sequence[str]:
    """The changes in the words of whoever asks for them, else in ours."""
    return [text_of(change) for change in changes] if change_texts is None else change_texts
