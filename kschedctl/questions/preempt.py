"""Preemption in Python: whom would a pod evict, where, and what becomes of them.

    from kschedctl import Cluster, preempt

    for answer in preempt(Cluster.load("prod.json.gz"), "trainer.yaml"):
        print(answer.pod.full_name, answer.outcome, answer.nominated_node)
        for victim in answer.victims:
            print(victim.full_name, victim.priority, victim.owner)

Answers are `kschedctl.reports.preempt.model.Preemption`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import Place
from kschedctl.framework.configuration import DefaultPreemptionArgs
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.ask import (
    PodQuestion,
    question_of_existing,
    questions_of_manifests,
    questions_of_pending,
)
from kschedctl.questions.cluster import Cluster
from kschedctl.reports.caveats.made_up import made_up_caveats
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.model import Caveat
from kschedctl.reports.preempt.build import answer_of, refusal_answer
from kschedctl.reports.preempt.model import Preemption
from kschedctl.reports.rooms.build import rooms_now
from kschedctl.reports.summaries import with_caveats
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import Sampling
from kschedctl.whatif.judgement.explain import judging, running_on
from kschedctl.whatif.judgement.preemption import study


def preempt(
    cluster: Cluster,
    *paths: str,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> list[Preemption]:
    """Ask for the pods of manifests, and one pod of each workload, each alone.

    Other objects in them are there when they are judged.

    Raises:
        InputError: the manifests cannot be used, or hold no pod.
        InputErrors: several such problems.
        UnsupportedError: the answer would need something that is not evaluated.
    """
    questions = questions_of_manifests(cluster, paths, namespace=namespace, stdin=stdin, observer=observer)
    return [preempt_question(one) for one in questions]


def preempt_existing(
    cluster: Cluster, name: str, namespace: str = "default", kind: str = "pod"
) -> Preemption:
    """Ask for a pod of the cluster, pending as it is or running as if placed anew, or a new pod of a workload.

    Raises:
        UsageError: there is no such object.
        UnsupportedError: it is a daemon set.
    """
    return preempt_question(question_of_existing(cluster, name, namespace, kind))


def preempt_pending(cluster: Cluster, namespace: str | None = None) -> Iterator[Preemption]:
    """Ask for every pending pod of the cluster, or of one namespace, each alone.

    Pods that nobody can tell apart have one answer, with their names in `answer.pod.equal_pods`. Answers are made
    one by one.
    """
    return (preempt_question(one, rooms=False) for one in questions_of_pending(cluster, namespace))


def preempt_pod(cluster: Cluster, pod: Pod | PodRecord, place: Place | None = None) -> Preemption:
    """Ask for one pod, of the cluster or one that might be created; `place` says where it was read."""
    return preempt_question(PodQuestion(cluster, pod, place))


def preempt_question(question: PodQuestion, *, rooms: bool = True) -> Preemption:
    """Ask for a pod that somebody asks about.

    Args:
        question: the pod.
        rooms: whether to tell the room of every node, which is the same for every pod of a cluster.
    """
    cluster, summary = question.cluster, question.summary_with_others  # before the candidate enters
    node = running_on(cluster.session, question.pod)
    with judging(cluster.session, question.pod, question.others) as found:
        if isinstance(found, Invalid):
            summary = with_caveats(summary, *question.refusal_caveats)
            head = ReportHead(cluster.scheduler_summary(None), summary)
            return refusal_answer(found, head, question.pod_summary(running_on=node))
        caveats = [*cluster.kinds_caveats(found), *made_up_caveats(found)]
        summary = with_caveats(summary, _all_tried(cluster, found), *caveats)
        profile = found.framework.profile if found.framework else None
        head = ReportHead(cluster.scheduler_summary(profile), summary)
        who = question.pod_summary(priority=found.pod.priority, running_on=node)
        answer = answer_of(study(cluster.session.scheduler, found), head, who)
        return replace(answer, rooms=rooms_now(found.cluster)) if rooms else answer


def _all_tried(cluster: Cluster, decision: Decision) -> Caveat | None:
    """That kube-scheduler would stop at fewer candidates than are compared here."""
    if cluster.options.sampling is not Sampling.OFF or decision.framework is None or not decision.preemption:
        return None
    args = decision.framework.profile.args_of(DefaultPreemptionArgs)
    candidates = len(decision.preemption.candidates)
    potential = candidates + len(decision.preemption.failed)
    enough = max(potential * args.min_candidate_nodes_percentage // 100, args.min_candidate_nodes_absolute)
    if candidates <= enough:
        return None
    text = (
        f"kube-scheduler looks for {enough} candidates from a random node on and may not see the best; here all "
        f"{candidates} are compared (--sampling off)"
    )
    return Caveat(code="all-candidates-compared", message=text, may_change_answer=False)
