"""From a simulation to its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from kschedctl.errors import Place
from kschedctl.objects.phrases import plural
from kschedctl.reports.explain.build import ReportHead, explanation_of
from kschedctl.reports.explain.model import Explanation, NodeReport, OutcomeName, ReasonGroup
from kschedctl.reports.explain.reasons import group_reasons
from kschedctl.reports.model import SourcePlace
from kschedctl.reports.rooms.build import rooms_of
from kschedctl.reports.rooms.fragmentation import fragmentation_of
from kschedctl.reports.simulate.allocation import allocation_samples
from kschedctl.reports.simulate.groups import groups_of_pods
from kschedctl.reports.simulate.inspection import Inspection
from kschedctl.reports.simulate.load_build import closed_nodes, load_changes
from kschedctl.reports.simulate.model import (
    EvictedVictim,
    NotCreatedGroup,
    PendingGroup,
    PodPlacement,
    RefusedGroup,
    RemovedPod,
    Rollout,
    Simulation,
    TimelineEvent,
    WorkloadPlacement,
)
from kschedctl.reports.simulate.other_schedulers import other_scheduler
from kschedctl.reports.simulate.queue import queue_report
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.reports.summaries import pod_summary
from kschedctl.run.story import RunEvent
from kschedctl.scheduling.cycle import with_every_failure
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif import simulate
from kschedctl.whatif.queue.kubelet import KubeletRefusal
from kschedctl.whatif.queue.task import Eviction, Task, pod_count
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_daemon
from kschedctl.workloads.daemon_set import pinned_node

ORDER: Final = (
    "by priority, then age, then in the order of the input; what manifests and changes bring comes last"
)

Places = Mapping[WorkloadKey, Place]


def explainer(head: ReportHead, *, every_failure: bool = False) -> Callable[[Decision], Explanation]:
    """A function that explains a decision while the cluster is as it was decided in.

    Args:
        head: what the explanations begin with.
        every_failure: ask every plugin of every node; else the decision is explained as it is.
    """

    def explain(decision: Decision) -> Explanation:
        pod = decision.pod
        who = pod_summary(pod.namespace, pod.name, priority=pod.priority)
        return explanation_of(with_every_failure(decision) if every_failure else decision, head, who)

    return explain


def simulation_report(
    found: simulate.SimulationResult,
    head: ReportHead,
    *,
    changes: Sequence[str] = (),
    rollout: str = "recreate",
    places: Places | None = None,
    detail: bool = False,
    timeline: bool = False,
    not_judged: Sequence[str] = (),
) -> Simulation:
    """The report on a simulation whose failures were inspected with `explainer` or an `Inspector`.

    Args:
        found: the simulation.
        head: the cluster as loaded, and the scheduler.
        changes: the changes as a person would write them.
        rollout: what happened to running pods of replaced workloads.
        places: where the workloads of manifests were read.
        detail: put the explanation of each pod's last decision into the report.
        timeline: tell what happened, in order.
        not_judged: pods that might be placed, were it not for kinds that could not be read.
    """
    tasks = found.tasks
    rooms = rooms_of(found.before, found.after, found.session.cluster)
    return Simulation(
        scheduler=head.scheduler,
        cluster=head.cluster,
        changes=list(changes),
        rollout=rollout,
        wanted=pod_count(tasks),
        placed=sum(task.placed for task in tasks),
        failed=pod_count(task for task in tasks if task.outcome in (Outcome.INVALID, Outcome.ERROR)),
        effects=found.effects.value,
        order=ORDER,
        seconds=found.seconds,
        passes=found.passes,
        workloads=workload_placements(tasks, places or {}),
        groups=groups_of_pods(tasks, found.session.cluster, found.group_messages),
        pending=pending_groups(tasks),
        not_created=not_created_groups(tasks),
        refused=refused_groups(tasks),
        not_judged=list(not_judged),
        evictions=[evicted_victim(eviction) for eviction in found.evictions],
        removed=[
            RemovedPod(pod=pod.full_name, workload=str(workload), node=pod.spec.node_name or None)
            for pod, workload in found.world.removed
        ],
        lost=[pod.full_name for pod in found.lost],
        rollouts=[
            Rollout(
                workload=str(u.workload),
                steps=u.steps,
                updated=u.updated,
                old=u.old,
                stuck=u.stuck,
                kept=u.kept,
            )
            for u in found.rollouts
        ],
        load=load_changes(found.before, found.after),
        not_counted=closed_nodes(found.before, found.after),
        allocation=allocation_samples(tasks, found.after),
        rooms=rooms,
        fragmentation=fragmentation_of(rooms, found.session.cluster, tasks),
        pods=[placement(task, detail=detail) for task in tasks],
        queue=None if found.queue is None else queue_report(found.queue),
        timeline=[timeline_event(event) for event in found.story] if timeline else None,
        notes=[*found.notes, *bound_notes(tasks)],
    )


def timeline_event(event: RunEvent) -> TimelineEvent:
    """Something that happened."""
    return TimelineEvent(
        at=event.at,
        event=event.happening.value,
        pod=event.pod,
        node=event.node,
        message=event.message,
        plugins=list(event.plugins),
        queue=event.queue,
        by=event.by,
    )


def workload_placements(tasks: Iterable[Task], places: Places) -> list[WorkloadPlacement]:
    """Pods by workload, in order of arrival."""
    groups: dict[WorkloadKey, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.workload, []).append(task)
    return [_workload(key, group, places.get(key)) for key, group in groups.items()]


def pending_groups(tasks: Iterable[Task]) -> list[PendingGroup]:
    """Pods without a node by workload and reasons, in order of arrival; they are there, but for that.

    Workloads of a kind and namespace are one group where the reasons are the same in every word.
    """
    groups: dict[tuple[WorkloadKey, str, str], list[Task]] = {}
    for task in tasks:
        if task.pending:
            groups.setdefault((task.workload, str(task.outcome), task.message), []).append(task)
    merged: list[tuple[list[ReasonGroup], list[Task]]] = []
    alike: dict[tuple[str, str, str, str], list[tuple[list[ReasonGroup], list[Task]]]] = {}
    for (key, outcome, message), group in groups.items():
        reasons = _reasons(group)
        candidates = alike.setdefault((key.kind, key.namespace, outcome, message), [])
        same = next((tasks for others, tasks in candidates if others == reasons), None)
        if same is not None:
            same += group
        else:
            candidates.append((reasons, group))
            merged.append((reasons, group))
    return [
        PendingGroup(
            workload=str(group[0].workload),
            workloads=len({task.workload for task in group}),
            outcome=_outcome(group[0]),
            pods=[task.name for task in group],
            counted=_counted(group),
            message=group[0].message,
            reasons=reasons,
            suggestions=_suggestions(group),
        )
        for reasons, group in merged
    ]


def not_created_groups(tasks: Iterable[Task]) -> list[NotCreatedGroup]:
    """Pods that are not created, by workload and what they wait for."""
    groups: dict[tuple[WorkloadKey, str], list[Task]] = {}
    for task in tasks:
        if task.waits_for:
            groups.setdefault((task.workload, task.waits_for), []).append(task)
    return [
        NotCreatedGroup(
            workload=str(key),
            pods=[task.name for task in group],
            counted=_counted(group),
            waits_for=before,
        )
        for (key, before), group in groups.items()
    ]


def _counted(group: Iterable[Task]) -> int:
    return sum(task.counted for task in group)


def refused_groups(tasks: Iterable[Task]) -> list[RefusedGroup]:
    """Pods that a kubelet refuses, by workload, node and reason, in order of arrival."""
    groups: dict[tuple[WorkloadKey, str, KubeletRefusal], list[Task]] = {}
    for task in tasks:
        if task.refusal is not None:
            groups.setdefault((task.workload, task.pod.spec.node_name, task.refusal), []).append(task)
    return [
        RefusedGroup(
            workload=str(key),
            pods=[task.name for task in group],
            counted=_counted(group),
            node=node,
            reason=refusal.reason,
            message=refusal.text,
            controller=owner.kind if (owner := group[0].pod.metadata.controller) is not None else None,
        )
        for (key, node, refusal), group in groups.items()
    ]


def bound_notes(tasks: Iterable[Task]) -> list[str]:
    """Which pods are on their nodes without any scheduler, by workload and node, in order of arrival."""
    groups = Counter((t.workload, t.node) for t in tasks if t.placed and t.pod.spec.node_name)
    return [
        f"{key}: {plural(count, 'pod')} bound to {node} by spec.nodeName, which no scheduler sees"
        for (key, node), count in groups.items()
    ]


def placement(task: Task, *, detail: bool = False) -> PodPlacement:
    """One pod."""
    inspected = task.inspected if detail and isinstance(task.inspected, Explanation) else None
    return PodPlacement(
        namespace=task.pod.namespace,
        name=task.pod.name,
        workload=str(task.workload),
        origin=task.origin.value,
        priority=None if task.record is None else task.record.priority,
        outcome="NotCreated" if task.waits_for else "Refused" if task.refusal else _outcome(task),
        node=task.node,
        came_from=task.running_on or None,
        message=task.why,
        evicts=list(task.evicted),
        detail=inspected,
    )


def _workload(key: WorkloadKey, tasks: Sequence[Task], place: Place | None) -> WorkloadPlacement:
    nodes = sorted(task.node for task in tasks if task.node is not None)
    return WorkloadPlacement(
        kind=key.kind,
        namespace=key.namespace,
        name=key.name,
        source=source_place(place),
        wanted=pod_count(tasks),
        placed=len(nodes),
        pending=pod_count(task for task in tasks if task.pending),
        not_created=pod_count(task for task in tasks if task.waits_for),
        refused=pod_count(task for task in tasks if task.refusal is not None),
        nodes=dict(Counter(nodes)),
    )


def source_place(place: Place | None) -> SourcePlace | None:
    """Where an object was read, for a report."""
    return None if place is None else SourcePlace.of(place)


def evicted_victim(eviction: Eviction) -> EvictedVictim:
    """A preempted pod."""
    again = eviction.successor
    return EvictedVictim(
        pod=eviction.victim,
        workload=str(eviction.workload),
        priority=eviction.priority,
        node=eviction.node,
        by=eviction.by,
        recreated=again is not None,
        rolled=eviction.retired,
        placed_on=None if again is None else again.node,
        other_scheduler=(other_scheduler(again.message) or None) if again is not None else None,
    )


def _outcome(task: Task) -> OutcomeName:
    return (task.outcome or Outcome.UNSCHEDULABLE).value


def _suggestions(tasks: Sequence[Task]) -> list[SuggestionReport]:
    found = (task.inspected for task in tasks)
    return next(
        (
            list(one.suggestions)
            for one in found
            if isinstance(one, Explanation | Inspection) and one.suggestions
        ),
        [],
    )


def _reasons(tasks: Sequence[Task]) -> list[ReasonGroup]:
    """Why nodes are rejected; of daemons each one's own node, since all others are none of its business."""
    own = [node for task in tasks if (node := _own_node(task)) is not None]
    if own:
        return group_reasons(own)
    inspected = tasks[0].inspected
    return list(inspected.reasons) if isinstance(inspected, Explanation | Inspection) else []


def _own_node(task: Task) -> NodeReport | None:
    """The verdict on the node that a daemon was made for; None for other pods, and where it is not there."""
    if not is_daemon(task.pod) or not isinstance(task.inspected, Explanation | Inspection):
        return None
    name = pinned_node(task.pod)
    return next((node for node in task.inspected.nodes if node.name == name), None)
