"""Preemption in Python: whom would a pod evict, where, and what becomes of them.

    from kschedctl.api import Cluster
    from kschedctl.preempt import preempt

    for answer in preempt(Cluster.load("prod.json.gz"), "trainer.yaml"):
        print(answer.pod.full_name, answer.outcome, answer.nominated_node)
        for victim in answer.victims:
            print(victim.full_name, victim.priority, victim.owner)

Answers are `kschedctl.reports.preempt.Preemption`, the same that `-o json` prints.
"""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO

from kschedctl.admission.invalid import Invalid
from kschedctl.api import Cluster
from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import Place
from kschedctl.framework.configuration import DefaultPreemptionArgs
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.reports.caveats import unknown_fields_caveat
from kschedctl.reports.from_decision import ReportHead
from kschedctl.reports.model import Caveat
from kschedctl.reports.preempt import Preemption
from kschedctl.reports.preempt_answer import answer_of, refusal_answer
from kschedctl.reports.summaries import pod_summary, scheduler_summary, with_caveats
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import Sampling
from kschedctl.whatif.candidates import find_pod, load_manifests
from kschedctl.whatif.explain import judging, running_on
from kschedctl.whatif.preemption import study


def preempt(
    cluster: Cluster,
    *paths: str,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> list[Preemption]:
    """Ask for the pods of manifests, each alone; other objects in them are there when they are judged.

    Raises:
        InputError: the manifests cannot be used, or hold no pod.
        InputErrors: several such problems.
        UnsupportedError: the answer would need something that is not evaluated.
    """
    if not paths:
        return []
    objects = cluster.objects
    manifests = load_manifests(paths, objects, namespace=namespace, stdin=stdin, observer=observer)
    applied = manifests.applied_to(objects)
    if applied is not objects:
        cluster = replace(cluster, objects=applied)
    return [_preempt(cluster, c.pod, c.place, unknown_fields_caveat(c.unknown)) for c in manifests.candidates]


def preempt_existing(
    cluster: Cluster, name: str, namespace: str = "default", kind: str = "pod"
) -> Preemption:
    """Ask for a pod of the cluster: a pending one as it is, a running one as if it were placed anew.

    Raises:
        UsageError: there is no such pod.
    """
    return preempt_pod(cluster, find_pod(cluster.session, kind, name, namespace), _place(cluster))


def preempt_pending(cluster: Cluster, namespace: str | None = None) -> list[Preemption]:
    """Ask for every pending pod of the cluster, or of one namespace, each alone."""
    pending = [pod for pod in cluster.session.pending() if namespace in (None, pod.namespace)]
    return [preempt_pod(cluster, pod, _place(cluster)) for pod in pending]


def preempt_pod(cluster: Cluster, pod: Pod | PodRecord, place: Place | None = None) -> Preemption:
    """Ask for one pod, of the cluster or one that might be created; `place` says where it was read."""
    return _preempt(cluster, pod, place)


def _preempt(
    cluster: Cluster, pod: Pod | PodRecord, place: Place | None, caveat: Caveat | None = None
) -> Preemption:
    summary = with_caveats(cluster.summary, caveat)  # before the candidate enters
    node = running_on(cluster.session, pod)
    with judging(cluster.session, pod) as found:
        if isinstance(found, Invalid):
            head = ReportHead(scheduler_summary(cluster.scheduler, cluster.options, None), summary)
            return refusal_answer(found, head, pod_summary(pod.namespace, pod.name, place=place))
        profile = found.framework.profile.scheduler_name if found.framework else None
        summary = with_caveats(summary, _all_tried(cluster, found))
        head = ReportHead(scheduler_summary(cluster.scheduler, cluster.options, profile), summary)
        priority = found.pod.priority
        who = pod_summary(pod.namespace, pod.name, priority=priority, place=place, running_on=node)
        return answer_of(study(cluster.session.scheduler, found), head, who)


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


def _place(cluster: Cluster) -> Place | None:
    return Place(file=", ".join(cluster.source)) if cluster.source else None
