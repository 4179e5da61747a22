"""Explanations in Python: where would a pod go and why; if nowhere, why not, node by node.

    from kschedctl import Cluster, explain, explain_existing

    cluster = Cluster.load("prod.json.gz")
    for answer in explain(cluster, "trainer.yaml"):
        print(answer.pod.full_name, answer.outcome, answer.selected_node)
        for group in answer.reasons:
            print(group.text, group.nodes)
    answer = explain_existing(cluster, "web-7", namespace="shop")

Answers are `kschedctl.reports.explain.model.Explanation`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

import msgspec

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.costs import COSTS
from kschedctl.advice.limits import BRIEF, FULL, Limits
from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import Place
from kschedctl.framework.configuration import Profile, SchedulerConfiguration
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.ask import (
    PodQuestion,
    question_of_existing,
    questions_of_manifests,
    questions_of_pending,
)
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.gates import deciding_gates
from kschedctl.questions.nodes import NodesAskedAbout, stories_of
from kschedctl.questions.policies import deciding_policies
from kschedctl.reports.caveats.cluster import sampling_caveat, unsampled_note
from kschedctl.reports.caveats.made_up import made_up_caveats
from kschedctl.reports.explain.build import ReportHead, explanation_of, refusal_of
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.explain.queue_state import queue_state
from kschedctl.reports.rooms.build import rooms_now
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.reports.summaries import with_caveats
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.options import Sampling
from kschedctl.whatif.judgement.explain import judging, running_on


def explain(
    cluster: Cluster,
    *paths: str,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> list[Explanation]:
    """Explain the pods of manifests, and one pod of each workload, each alone.

    Other objects of the manifests are there when the pods are judged, as after `kubectl apply`, and so are
    the claims that controllers make for them.

    Raises:
        InputError: the manifests cannot be used, or hold no pod.
        InputErrors: several such problems.
        UnsupportedError: the answer would need something that is not evaluated.
    """
    questions = questions_of_manifests(cluster, paths, namespace=namespace, stdin=stdin, observer=observer)
    return [explain_question(one) for one in questions]


def explain_existing(
    cluster: Cluster, name: str, namespace: str = "default", kind: str = "pod"
) -> Explanation:
    """Explain a pod of the cluster, pending as it is or running as if placed anew, or a new pod of a workload.

    Raises:
        UsageError: there is no such object.
        UnsupportedError: it is a daemon set.
    """
    return explain_question(question_of_existing(cluster, name, namespace, kind))


def explain_pending(cluster: Cluster, namespace: str | None = None) -> Iterator[Explanation]:
    """Explain every pod of the cluster that waits for a node, each alone; None: of all namespaces.

    Pods that nobody can tell apart have one answer, with their names in `answer.pod.equal_pods`. Answers are
    made one by one: thousands of pods on thousands of nodes need not be in memory together.
    """
    return (explain_question(one, rooms=False) for one in questions_of_pending(cluster, namespace))


def explain_pod(cluster: Cluster, pod: Pod, place: Place | None = None) -> Explanation:
    """Explain a pod that might be created; `place` says where it was read."""
    return explain_question(PodQuestion(cluster, pod, place))


def explain_question(
    question: PodQuestion,
    suggest: Limits | None = BRIEF,
    costs: Mapping[str, float] = COSTS,
    nodes: NodesAskedAbout | None = None,
    *,
    rooms: bool = True,
) -> Explanation:
    """Explain a pod that somebody asks about.

    Args:
        question: the pod.
        suggest: how far to search for what would make it fit; None: not at all.
        costs: what each kind of change costs.
        nodes: nodes whose whole story is told; None: none is.
        rooms: whether to tell the room of every node, which is the same for every pod of a cluster.

    Raises:
        UsageError: there is no such node.
    """
    cluster, summary = question.cluster, question.summary_with_others  # before the candidate enters
    node = running_on(cluster.session, question.pod)
    with judging(cluster.session, question.pod, question.others) as found:
        if isinstance(found, Invalid):
            summary = with_caveats(summary, *question.refusal_caveats)
            head = ReportHead(cluster.scheduler_summary(None), summary)
            refusal = refusal_of(found, head, question.pod_summary(running_on=node))
            return msgspec.structs.replace(refusal, surprises=deciding_gates(question, found))
        profile = found.framework.profile if found.framework else None
        if profile is not None and cluster.options.sampling is Sampling.OFF:
            summary = with_caveats(summary, sampling_caveat(found, _percentage(cluster.scheduler, profile)))
        caveats = [*cluster.kinds_caveats(found), *made_up_caveats(found)]
        summary = with_caveats(summary, *caveats)
        head = ReportHead(cluster.scheduler_summary(profile), summary)
        report = explanation_of(
            found, head, question.pod_summary(priority=found.pod.priority, running_on=node)
        )
        notes = [*deciding_policies(question, found), *deciding_gates(question, found)]
        if profile is not None and report.scored:
            percentage = _percentage(cluster.scheduler, profile)
            notes += filter(None, [unsampled_note(found.cluster.nodes.count, percentage)])
        if notes:
            report = msgspec.structs.replace(report, surprises=[*report.surprises, *notes])
        if suggest is not None and found.outcome in (Outcome.UNSCHEDULABLE, Outcome.GATED):
            report = msgspec.structs.replace(
                report,
                suggestions=_suggested(question, found, suggest, costs),
                searched="fully" if suggest is FULL else "briefly",
            )
        if rooms and report.nodes:
            report = msgspec.structs.replace(report, rooms=rooms_now(found.cluster))
        if nodes is not None:
            report = msgspec.structs.replace(report, stories=stories_of(question, found, nodes, costs))
        if node is None and isinstance(question.pod, PodRecord):
            report = msgspec.structs.replace(report, queue=queue_state(found))
        if node is None and (written := question.compared_with_written(found)) is not None:
            report = msgspec.structs.replace(report, written=written)
    if suggest is not None and report.group is not None and _speaks_for_its_group(question):
        report = msgspec.structs.replace(report, suggestions=_suggested_for_group(question, suggest, costs))
    return report


def _suggested(
    question: PodQuestion, found: Decision, limits: Limits, costs: Mapping[str, float]
) -> list[SuggestionReport]:
    """What would make the pod fit; one that is scheduled with its group is looked at with it."""
    from kschedctl.advice.search import suggestions
    from kschedctl.questions.home import home_of
    from kschedctl.reports.suggest.build import suggestion_reports

    session = question.cluster.session
    if found.group or not found.pod.pod.source:
        return []
    made = suggestions(
        session, question.pod, found, limits=limits, costs=costs, closed=question.cluster.closed
    )
    return suggestion_reports(made, home_of(question)) if made else []


def _speaks_for_its_group(question: PodQuestion) -> bool:
    """Whether it is the first of those that are asked about of its group, which has the same answer for all."""
    pod = question.pod
    if isinstance(pod, PodRecord):
        return True
    own = (other for other in question.others if other.spec.pod_group == pod.spec.pod_group)
    return next(own, pod) == pod


def _suggested_for_group(
    question: PodQuestion, limits: Limits, costs: Mapping[str, float]
) -> list[SuggestionReport]:
    """What would make the group of the pod fit."""
    from kschedctl.advice.groups import group_suggestions
    from kschedctl.questions.home import home_of_members
    from kschedctl.reports.suggest.build import suggestion_reports

    cluster = question.cluster
    made = group_suggestions(
        cluster.session, question.pod, question.others, limits=limits, costs=costs, closed=cluster.closed
    )
    return suggestion_reports(made.found, home_of_members(question, made.alike)) if made.found else []


def _percentage(scheduler: SchedulerConfiguration, profile: Profile) -> int:
    own = profile.percentage_of_nodes_to_score
    return scheduler.percentage_of_nodes_to_score if own is None else own
