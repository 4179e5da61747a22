"""Simulations in Python: what happens to many pods after some changes.

    from kschedctl import Cluster, SimulationQuestion, simulate
    from kschedctl.whatif.world.changes import DrainNodes

    question = SimulationQuestion(manifests=["release/"], changes=[DrainNodes("n4")])
    answer = simulate(Cluster.load("prod.json.gz"), question)
    for workload in answer.workloads:
        print(workload.title, workload.placed, "of", workload.wanted)

The answer is `kschedctl.reports.simulate.model.Simulation`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.group_advice import with_suggestions
from kschedctl.questions.heads import (
    adds_nodes,
    head_of,
    texts_of,
    unjudged,
    with_caveats_of_run,
)
from kschedctl.questions.inspectors import inspector
from kschedctl.questions.manifests import read_manifests
from kschedctl.questions.rollout_notes import rollout_notes
from kschedctl.reports.caveats.kinds_read import Effects
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.model import Caveat
from kschedctl.reports.simulate.build import simulation_report
from kschedctl.reports.simulate.model import Simulation
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.queue.arrivals import load_arrivals
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.queue.replay import Replay
from kschedctl.whatif.simulate import Plan, SimulationResult
from kschedctl.whatif.simulate import simulate as run_plan
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.changes import Change


class SimulationQuestion(Struct, frozen=True, kw_only=True):
    """What is asked about many pods.

    Attributes:
        manifests: files, directories and, for `-`, the stream.
        changes: applied after the manifests, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        rollout: what happens to running pods of workloads that the manifests replace.
        namespace: of objects of manifests that state none.
        single_pass: try each pod once; effects are immediate then.
        effects: what evictions do.
        timeline: tell what happened, in order.
        replay: let pods come at their times, and tell how long they wait.
        arrivals: a file of what else comes at its time; implies `replay`.
        until: seconds after which a replay ends; None: when nothing is left to happen.
        preemption: whether pods may preempt.
        detail: put verdicts and scores of each pod into the report.
    """

    manifests: Sequence[str] = ()
    changes: Sequence[Change] = ()
    change_texts: Sequence[str] | None = None
    rollout: RolloutMode = RolloutMode.RECREATE
    namespace: str | None = None
    single_pass: bool = False
    effects: EffectsModel = EffectsModel.IN_FLIGHT
    timeline: bool = False
    replay: bool = False
    arrivals: str | None = None
    until: float | None = None
    preemption: bool = True
    detail: bool = False


_AS_IT_IS = SimulationQuestion()


def simulate(
    cluster: Cluster,
    question: SimulationQuestion = _AS_IT_IS,
    *,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Simulation:
    """Schedule the pending pods of a cluster and those of manifests, after some changes.

    Args:
        cluster: the cluster and its scheduler; not changed.
        question: what is asked.
        stdin: the stream.
        observer: is told the progress.

    Raises:
        UsageError: a change is about something that is not there.
        InputError: manifests or objects cannot be used.
    """
    release = read_manifests(
        cluster, question.manifests, namespace=question.namespace, stdin=stdin, observer=observer
    )
    return run_question(cluster, question, release, observer, stdin).report


class SimulationRun(Struct, frozen=True):
    """A simulation with its report.

    Attributes:
        found: what came of it.
        report: what people read.
    """

    found: SimulationResult
    report: Simulation


def run_question(
    cluster: Cluster,
    question: SimulationQuestion,
    release: Release,
    observer: Observer = SILENT,
    stdin: BinaryIO | None = None,
    *,
    drains: bool = False,
) -> SimulationRun:
    """Like `simulate`, of manifests that were read, for those who look at more than the report.

    `drains`: they go on to drain nodes.
    """
    detail = question.detail
    options = options_of(cluster, question)
    head = head_of(cluster, release)
    plan = replace(plan_of(question, release, stdin), counts=True)
    found = run_plan(
        cluster.session,
        options,
        plan,
        inspector=inspector(cluster, head, detail=detail, suggest=True),
        inspect_all=detail,
        observer=observer,
    )
    report = _report(cluster, head, found, release, question, drains=drains)
    if not all(group.satisfied for group in report.groups):
        groups = with_suggestions(report.groups, found.tasks, found.session, cluster)
        report = replace(report, groups=groups)
    advice = rollout_notes(cluster, options, plan, found) if found.rollouts else []
    return SimulationRun(found, replace(report, notes=[*report.notes, *advice]) if advice else report)


def run_of(cluster: Cluster, question: SimulationQuestion, release: Release) -> SimulationResult:
    """What comes of a question, without a report: for those who ask many."""
    explained = inspector(cluster, head_of(cluster, release)) if cluster.gaps else None
    plan = replace(plan_of(question, release), counts=True)
    return run_plan(cluster.session, options_of(cluster, question), plan, inspector=explained)


def caveats_of_run(
    cluster: Cluster,
    found: SimulationResult,
    release: Release,
    question: SimulationQuestion,
    *,
    drains: bool = False,
) -> tuple[list[Caveat], Mapping[str, str]]:
    """What weakens the answer, nodes being drained or not, and the pods that cannot be judged, with the reasons."""
    head, whys = _head_after(cluster, head_of(cluster, release), found, question, drains=drains)
    return head.cluster.caveats, whys


def plan_of(question: SimulationQuestion, release: Release, stdin: BinaryIO | None = None) -> Plan:
    """The question in the terms of the engine.

    Raises:
        InputError: the file of arrivals cannot be used.
    """
    return Plan(
        release.objects,
        question.rollout,
        question.changes,
        question.single_pass,
        question.effects,
        _replay(question, stdin),
        question.timeline,
    )


def options_of(cluster: Cluster, question: SimulationQuestion) -> SchedulingOptions:
    """What is done where the real scheduler leaves room."""
    detail = question.detail
    return replace(
        cluster.options,
        preemption=question.preemption,
        every_failure=detail,
        score_single=detail,
        reuse=not detail,
    )


def _replay(question: SimulationQuestion, stdin: BinaryIO | None) -> Replay | None:
    if not question.replay and question.arrivals is None:
        return None
    arrivals = () if question.arrivals is None else load_arrivals(question.arrivals, stdin)
    return Replay(arrivals, question.until)


def _report(
    cluster: Cluster,
    head: ReportHead,
    found: SimulationResult,
    release: Release,
    question: SimulationQuestion,
    *,
    drains: bool,
) -> Simulation:
    """The report, with the caveats that show once the simulation has run."""
    head, whys = _head_after(cluster, head, found, question, drains=drains)
    return simulation_report(
        found,
        head,
        changes=texts_of(question.changes, question.change_texts),
        rollout=str(question.rollout),
        places=release.places,
        detail=question.detail,
        timeline=question.timeline,
        not_judged=list(whys),
    )


def _head_after(
    cluster: Cluster,
    head: ReportHead,
    found: SimulationResult,
    question: SimulationQuestion,
    *,
    drains: bool,
) -> tuple[ReportHead, Mapping[str, str]]:
    """What the report begins with, and the pods that cannot be judged, each with the reason."""
    effects = Effects(
        preempts=bool(found.evictions),
        drains=drains,
        new_nodes=adds_nodes(question.changes),
        changes=bool(found.world.deployed or question.changes),
    )
    whys = unjudged(cluster, found.session, found.tasks)
    return with_caveats_of_run(head, cluster, found, effects, whys), whys
