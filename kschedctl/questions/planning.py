"""Capacity planning in Python: what happens to many pods after some changes.

    from kschedctl.questions.cluster import Cluster
    from kschedctl.questions.planning import simulate
    from kschedctl.whatif.world.changes import DrainNodes

    answer = simulate(Cluster.load("prod.json.gz"), manifests=["release/"], changes=[DrainNodes("n4")])
    for workload in answer.workloads:
        print(workload.title, workload.placed, "of", workload.wanted)

Answers are the reports of `kschedctl.reports`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import UsageError
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.reports.capacity.build import capacity_report, target_report
from kschedctl.reports.capacity.model import Capacity
from kschedctl.reports.caveats.absent_kinds import absent_kinds_caveats
from kschedctl.reports.caveats.cluster import (
    foreign_kinds_caveat,
    pod_groups_caveat,
    unknown_fields_caveat,
    unread_versions_caveats,
)
from kschedctl.reports.caveats.kinds_read import Effects, readings_of
from kschedctl.reports.caveats.missing_kinds import (
    missing_kinds_caveats,
    why_not_judged,
    why_refusal_not_judged,
)
from kschedctl.reports.caveats.not_judged import not_judged_caveats
from kschedctl.reports.drain.build import drain_report
from kschedctl.reports.drain.model import Drain
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.simulate.build import explainer, simulation_report
from kschedctl.reports.simulate.model import Simulation
from kschedctl.reports.summaries import with_caveats
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.capacity.capacity import MOST, Question, RepeatedFilling
from kschedctl.whatif.capacity.capacity import CapacityResult as Filled
from kschedctl.whatif.capacity.headroom import Headroom, check_resources
from kschedctl.whatif.disruption.drain import drain as drain_nodes
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan
from kschedctl.whatif.simulate import SimulationResult as WhatIf
from kschedctl.whatif.simulate import simulate as run_plan
from kschedctl.whatif.world.change_text import text_of
from kschedctl.whatif.world.changes import AddNode, Change
from kschedctl.whatif.world.manifests import Release, load_release
from kschedctl.whatif.world.replicas import WantedPods
from kschedctl.whatif.world.targets import find_object
from kschedctl.whatif.world.world import RolloutMode, World
from kschedctl.workloads import WORKLOADS, Workload


def simulate(
    cluster: Cluster,
    manifests: Sequence[str] = (),
    changes: Sequence[Change] = (),
    *,
    change_texts: Sequence[str] | None = None,
    rollout: RolloutMode = RolloutMode.RECREATE,
    namespace: str | None = None,
    single_pass: bool = False,
    preemption: bool = True,
    detail: bool = False,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Simulation:
    """Schedule the pending pods of a cluster and those of manifests, after some changes.

    Args:
        cluster: the cluster and its scheduler; not changed.
        manifests: files, directories and, for `-`, the stream.
        changes: applied after the manifests, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        rollout: what happens to running pods of workloads that the manifests replace.
        namespace: of objects of manifests that state none.
        single_pass: try each pod once.
        preemption: whether pods may preempt.
        detail: put verdicts and scores of each pod into the report.
        stdin: the stream.
        observer: is told the progress.

    Raises:
        UsageError: a change is about something that is not there.
        InputError: manifests or objects cannot be used.
    """
    release = load_release(manifests, namespace=namespace, stdin=stdin, observer=observer)
    plan = Plan(release.objects, rollout, changes, single_pass)
    options = replace(
        cluster.options, preemption=preemption, every_failure=detail, score_single=detail, reuse=not detail
    )
    head = head_of(cluster, release)
    found = run_plan(
        cluster.session,
        options,
        plan,
        inspector=inspector(cluster, head, detail=detail),
        inspect_all=detail,
        observer=observer,
    )
    return report_after(
        cluster,
        head,
        found,
        release,
        changes,
        change_texts=_told(changes, change_texts),
        rollout=rollout,
        detail=detail,
    )


def drain(
    cluster: Cluster,
    nodes: Sequence[str],
    changes: Sequence[Change] = (),
    *,
    change_texts: Sequence[str] | None = None,
    force: bool = False,
    preemption: bool = True,
    observer: Observer = SILENT,
) -> Drain:
    """Whether nodes can go: evict their pods in waves as budgets allow, and place them elsewhere.

    Args:
        cluster: the cluster and its scheduler; not changed.
        nodes: by name or label selector.
        changes: applied first, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        force: delete pods that nothing controls.
        preemption: whether pods may preempt.
        observer: is told the progress.

    Raises:
        UsageError: there is no such node.
    """
    head = head_of(cluster)
    plan = drain_nodes(
        cluster.session,
        replace(cluster.options, preemption=preemption, every_failure=False, score_single=False),
        nodes,
        force=force,
        changes=changes,
        inspector=inspector(cluster, head),
        observer=observer,
    )
    effects = Effects(
        preempts=bool(plan.evictions),
        drains=any(drained.goes for drained in plan.pods),
        new_nodes=_adds_nodes(changes),
        changes=True,
    )
    whys = unjudged(cluster, plan.session, plan.pending)
    head = _with_caveats_of_tasks(head, cluster, plan.session, plan.tasks, effects, whys)
    return drain_report(plan, head, _told(changes, change_texts), list(whys))


def capacity(
    cluster: Cluster,
    manifests: Sequence[str] = (),
    references: Sequence[str] = (),
    changes: Sequence[Change] = (),
    *,
    change_texts: Sequence[str] | None = None,
    proportions: Sequence[int] = (),
    limit: int = MOST,
    target: int | None = None,
    shapes: Sequence[tuple[str, AddNode]] = (),
    headroom: Sequence[Headroom] = (),
    place_pending: bool = False,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Capacity:
    """How many more pods fit, what limits each node, and how many nodes a target lacks.

    Args:
        cluster: the cluster and its scheduler; not changed.
        manifests: files with pods and workloads; other objects in them are there when the pods are placed.
        references: pods and workloads of the cluster as KIND/NAME.
        changes: applied first, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        proportions: how many of each kind make up one set; empty: one of each.
        limit: count up to so many sets.
        target: a number of sets that is to fit.
        shapes: nodes that may be added for the target, in turn, with what a person would call them.
        headroom: kept free on every node.
        place_pending: place the pods that are pending in the cluster first.
        namespace: of objects and references that state none.
        stdin: the stream.
        observer: is told what is skipped.

    Raises:
        UsageError: there is nothing to ask for, or what is asked for is not there; no node has what is to be kept
            free; the target is below 1.
        InputError: manifests cannot be used.
    """
    if target is not None and target < 1:
        raise UsageError(f"{target} is no target", hint="Write how many more are to fit, 1 at least.")
    release = load_release(manifests, namespace=namespace, stdin=stdin, observer=observer)
    asks = _asks(cluster, release, references, proportions, namespace)
    question = Question(
        asks=asks,
        limit=limit,
        headroom=headroom,
        place_pending=place_pending,
        changes=changes,
        companions=[obj for obj in release.objects if not isinstance(obj, (Pod, *WORKLOADS))],
    )
    head = head_of(cluster, release)
    options = replace(cluster.options, every_failure=False, score_single=False)
    filling_of = RepeatedFilling(cluster.session, options, inspector(cluster, head))
    found = filling_of.capacity(question)
    templates = [shape.template for _, shape in shapes if shape.template is not None]
    check_resources(headroom, [*found.session.cluster.nodes.objects, *templates])
    report = None
    if target is not None:
        nodes = [shape for _, shape in shapes]
        short = found.filling.sets < target
        now = found.filling.sets
        missing = (
            filling_of.missing_nodes(question, target, nodes, now, observer) if short and nodes else None
        )
        for shape in () if short else nodes:  # a name that is not there is told although no node is missing
            shape.apply(World(found.session.objects))
        report = target_report(target, found.filling.sets, [name for name, _ in shapes], missing)
    effects = Effects(new_nodes=_adds_nodes([*changes, *(shape for _, shape in shapes)]))
    head = _with_caveats_of_pods(head, cluster, found.session, found.session.entered, effects)
    head = _with_caveat_of_filling(head, cluster, question, found)
    return capacity_report(question, found, head, changes=_told(changes, change_texts), target=report)


def _told(changes: Sequence[Change], change_texts: Sequence[str] | None) -> Sequence[str]:
    """The changes in the words of whoever asks for them, else in ours."""
    return [text_of(change) for change in changes] if change_texts is None else change_texts


def _asks(
    cluster: Cluster,
    release: Release,
    references: Sequence[str],
    proportions: Sequence[int],
    namespace: str | None,
) -> list[WantedPods]:
    sources: list[tuple[Pod | Workload, bool]] = [
        (obj, False) for obj in release.objects if isinstance(obj, (Pod, *WORKLOADS))
    ]
    world = World(cluster.objects)
    for reference in references:
        found = find_object(world, reference, namespace or "default")
        if not isinstance(found, (Pod, *WORKLOADS)):
            raise UsageError(f"{reference} is neither a pod nor a workload")
        sources.append((found, isinstance(found, Pod)))
    if not sources:
        raise UsageError(
            "there is no pod to ask for", hint="Pass a file with a pod or workload, or KIND/NAME."
        )
    shares = list(proportions) or [1] * len(sources)
    if len(shares) != len(sources):
        raise UsageError(f"{len(shares)} proportions for {len(sources)} kinds of pods")
    return [WantedPods(obj, share, running) for (obj, running), share in zip(sources, shares, strict=True)]


def head_of(cluster: Cluster, release: Release | None = None) -> ReportHead:
    """What reports on a cluster begin with; the cluster is told as it is loaded."""
    summary = cluster.summary
    if release is not None:
        summary = with_caveats(
            summary,
            *unread_versions_caveats(release.skipped),
            foreign_kinds_caveat(release.skipped),
            unknown_fields_caveat(release.unknown),
        )
    return ReportHead(cluster.scheduler_summary(None), summary)


def report_after(
    cluster: Cluster,
    head: ReportHead,
    found: WhatIf,
    release: Release,
    changes: Sequence[Change],
    *,
    change_texts: Sequence[str],
    rollout: RolloutMode,
    detail: bool = False,
) -> Simulation:
    """The report on a simulation, with the caveats that show once it has run."""
    effects = Effects(
        preempts=bool(found.evictions),
        new_nodes=_adds_nodes(changes),
        changes=bool(found.world.deployed or changes),
    )
    whys = unjudged(cluster, found.session, found.tasks)
    return simulation_report(
        found,
        _with_caveats_of_tasks(head, cluster, found.session, found.tasks, effects, whys),
        changes=change_texts,
        rollout=str(rollout),
        places=release.places,
        detail=detail,
        not_judged=list(whys),
    )


def _with_caveats_of_pods(
    head: ReportHead, cluster: Cluster, session: Session, pods: Sequence[PodRecord], effects: Effects
) -> ReportHead:
    caveats = absent_kinds_caveats(cluster.absent, session.scheduler, session.cluster, pods, effects)
    readings = readings_of(pods, session.scheduler, session.cluster, cluster.gaps, effects)
    caveats += missing_kinds_caveats(cluster.gaps, readings, changes=effects.changes)
    groups = pod_groups_caveat(record.pod for record in pods)
    return replace(head, cluster=with_caveats(head.cluster, *caveats, groups))


def unjudged(cluster: Cluster, session: Session, tasks: Iterable[Task]) -> dict[str, str]:
    """Pods without a node of which it cannot be said that they find none -> why."""
    whys = {task.name: _why_not_judged(task, cluster, session) for task in tasks if task.pending}
    return {name: why for name, why in whys.items() if why is not None}


def _with_caveats_of_tasks(
    head: ReportHead,
    cluster: Cluster,
    session: Session,
    tasks: Sequence[Task],
    effects: Effects,
    whys: Mapping[str, str],
) -> ReportHead:
    pods = [task.record for task in tasks if task.record is not None]
    head = _with_caveats_of_pods(head, cluster, session, pods, effects)
    return replace(head, cluster=with_caveats(head.cluster, *not_judged_caveats(whys)))


def _why_not_judged(task: Task, cluster: Cluster, session: Session) -> str | None:
    """Why it cannot be said whether a pod without a node would get one, None where it can."""
    if not cluster.gaps:
        return None
    if task.record is None:
        return why_refusal_not_judged(cluster.gaps, task.pod)
    return _why_unfit([task.record], task.inspected, cluster, session)


def _with_caveat_of_filling(
    head: ReportHead, cluster: Cluster, question: Question, found: Filled
) -> ReportHead:
    """The head with whether it cannot be judged if one more fits."""
    if found.filling.blocking is None:
        return head
    session = found.session
    why = _why_unfit(session.entered, found.filling.inspected, cluster, session)
    name = str(question.asks[found.filling.blocking].key)
    return replace(head, cluster=with_caveats(head.cluster, *not_judged_caveats({name: why})))


def _why_unfit(
    pods: Sequence[PodRecord], inspected: object, cluster: Cluster, session: Session
) -> str | None:
    if not isinstance(inspected, Explanation) or inspected.outcome != Outcome.UNSCHEDULABLE.value:
        return None
    readings = readings_of(pods, session.scheduler, session.cluster, cluster.gaps, Effects())
    return why_not_judged(cluster.gaps, readings, inspected.nodes)


def _adds_nodes(changes: Sequence[Change]) -> bool:
    """Whether nodes are added that are no copies: a copy gets what its model has."""
    return any(isinstance(change, AddNode) and not change.like for change in changes)


def inspector(cluster: Cluster, head: ReportHead, *, detail: bool = False) -> Callable[[Session], Inspect]:
    """Explains decisions as they are taken; without `detail` only failures, of which every plugin is asked."""
    explain = explainer(head, every_failure=not detail)
    return lambda session: explain
