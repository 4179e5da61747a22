"""Which pods are asked about, and in which cluster each of them is judged: what all questions about pods share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO

from msgspec import Struct

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.manifests import Manifests
from kschedctl.advice.measure import Reference
from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import Place
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.manifests import read_manifests
from kschedctl.reports.caveats.candidates import candidate_caveats, node_name_caveat
from kschedctl.reports.caveats.cluster import custom_pods_caveat, left_out_caveat, unread_versions_caveats
from kschedctl.reports.caveats.groups import pod_groups_caveat, release_groups_caveats
from kschedctl.reports.explain.model import EventComparison
from kschedctl.reports.explain.overview import Brief, Overview, brief_of, refusal_brief
from kschedctl.reports.explain.written_event import compare_with_written, written_by_scheduler
from kschedctl.reports.model import Caveat, ClusterSummary, PodSummary, WorkloadSummary
from kschedctl.reports.summaries import pod_summary, with_caveats, workload_summary
from kschedctl.scheduling.decision import Decision
from kschedctl.whatif.judgement.candidates import candidates_of, made_of
from kschedctl.whatif.judgement.equal_pods import equal_pods
from kschedctl.whatif.judgement.explain import judging
from kschedctl.whatif.judgement.group_membership import waits_for_others
from kschedctl.whatif.judgement.references import find_candidate
from kschedctl.whatif.manifests import Release


class PodQuestion(Struct, frozen=True):
    """A pod that somebody asks about.

    Attributes:
        cluster: where it is judged.
        pod: one that might be created, or one of the cluster.
        place: where it was read.
        workload: of which it is one pod, where that was asked about.
        equals: pending pods that get the same answer, each alone.
        caveats: of this pod, beside those of the cluster.
        others: pods that are asked about and may be scheduled together with it, itself among them.
        template: what stands for its template, which a custom resource holds; None: none does.
        manifests: where the objects are written that are asked about.
    """

    cluster: Cluster
    pod: Pod | PodRecord
    place: Place | None = None
    workload: WorkloadSummary | None = None
    equals: Sequence[PodRecord] = ()
    caveats: tuple[Caveat, ...] = ()
    others: tuple[Pod, ...] = ()
    template: TopLevel | None = None
    manifests: Manifests = Manifests()

    @property
    def cluster_summary(self) -> ClusterSummary:
        """What its report says of the cluster; to be made before the pod enters it."""
        pod = self.pod if isinstance(self.pod, Pod) else self.pod.pod
        return with_caveats(self._summary, pod_groups_caveat([pod], self.cluster.scheduler.gates))

    @property
    def summary_with_others(self) -> ClusterSummary:
        """The same where the pod is judged together with those of its group or gang, if it has one."""
        running = isinstance(self.pod, PodRecord) and bool(self.pod.pod.node_name)
        judged = not running and waits_for_others(self.cluster.session, self.pod)
        return self._summary if judged else self.cluster_summary

    @property
    def _summary(self) -> ClusterSummary:
        bound = node_name_caveat(self.pod) if isinstance(self.pod, Pod) else None
        return with_caveats(self.cluster.summary, *self.caveats, bound)

    @property
    def in_cluster(self) -> bool:
        """Whether the pod, or what makes it, is in the cluster already."""
        return isinstance(self.pod, PodRecord) or (self.workload is not None and self.workload.from_cluster)

    @property
    def refusal_caveats(self) -> list[Caveat]:
        """What the report on a pod that is refused says beside: that classes which it names could not be read."""
        return self.cluster.refusal_caveats(self.pod) if isinstance(self.pod, Pod) else []

    def pod_summary(self, *, priority: int | None = None, running_on: str | None = None) -> PodSummary:
        """What its report says of the pod."""
        return pod_summary(
            self.pod.namespace,
            self.pod.name,
            priority=priority,
            place=self.place,
            running_on=running_on,
            workload=self.workload,
            equal_pods=[record.name for record in self.equals],
        )

    def compared_with_written(self, decision: Decision) -> EventComparison | None:
        """Our answer beside what kube-scheduler itself wrote; None where it has written nothing."""
        written = _written(decision.pod)
        if written is None:
            return None
        others = [r.name for r in self.equals if _written(r) not in (None, written)]
        return compare_with_written(written, decision.event, others)

    def brief(self) -> Brief:
        """The answer in short."""
        with judging(self.cluster.session, self.pod, self.others) as found:
            name, pods = self.pod.full_name, 1 + len(self.equals)
            return refusal_brief(name, pods) if isinstance(found, Invalid) else brief_of(found, name, pods)


def overview_of(question: Sequence[PodQuestion]) -> Overview:
    """What the answers come to; every problem that keeps one from being given shows here.

    Raises:
        KschedError: an answer cannot be given.
    """
    return Overview(tuple(one.brief() for one in question))


def questions_of_manifests(
    cluster: Cluster,
    paths: Sequence[str],
    *,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> list[PodQuestion]:
    """The pods of manifests, and one pod of each workload; other objects in them are there when they are judged.

    Raises:
        InputError: the manifests cannot be used, or hold no pod.
        InputErrors: several such problems.
        UnsupportedError: a daemon set is in them.
    """
    if not paths:
        return []
    objects = cluster.objects
    release = read_manifests(cluster, paths, namespace=namespace, stdin=stdin, observer=observer)
    found = candidates_of(release, objects, paths)
    applied = cluster.with_objects(found.applied_to(objects))
    pods = [pod for candidate in found.candidates for pod in (candidate.pod, *candidate.siblings)]
    others = (custom_pods_caveat(release), left_out_caveat(release.left_out))
    about_all = [
        *unread_versions_caveats(release.skipped),
        *release_groups_caveats(release.objects, objects, cluster.scheduler.gates),
        *(caveat for caveat in others if caveat is not None),
    ]
    manifests = _manifests(release)
    return [
        PodQuestion(
            applied,
            candidate.pod,
            candidate.place,
            workload_summary(candidate.workload, from_cluster=False) if candidate.workload else None,
            caveats=(*caveats, *about_all),
            others=_others(candidate.pod, pods),
            template=release.template_of(candidate.pod),
            manifests=manifests,
        )
        for candidate, caveats in zip(found.candidates, candidate_caveats(found, objects), strict=True)
    ]


def _manifests(release: Release) -> Manifests:
    """Where the objects of a release are written."""
    places = [place.file or "" for place in (*release.at, *(one.place for one in release.unread))]
    kinds = [BY_TYPE[type(obj)] for obj in release.objects]
    files = {
        Reference(kind.kind, obj.namespace if kind.namespaced else "", obj.name): file
        for kind, obj, file in zip(kinds, release.objects, places, strict=False)
    }
    return Manifests(files, frozenset(file for file, count in Counter(places).items() if count > 1))


def _others(pod: Pod, pods: Sequence[Pod]) -> tuple[Pod, ...]:
    """The pods that are asked about and may be scheduled together with one, itself among them."""
    if not pod.spec.pod_group:
        return ()
    return tuple(other for other in pods if other.namespace == pod.namespace and other.spec.pod_group)


def questions_of_pending(cluster: Cluster, namespace: str | None = None) -> list[PodQuestion]:
    """The pods of the cluster that wait for a node, equal ones together; None: of all namespaces.

    Of equal ones the first is asked about of which kube-scheduler has written something.
    """
    waiting = [record for record in cluster.session.pending() if namespace in (None, record.namespace)]
    found = []
    for group in equal_pods(cluster.session, waiting):
        first, *others = sorted(group, key=lambda record: _written(record) is None)
        found.append(PodQuestion(cluster, first, cluster.place, equals=others))
    return found


def question_of_existing(
    cluster: Cluster, name: str, namespace: str = "default", kind: str = "pod"
) -> PodQuestion:
    """A pod of the cluster, pending as it is or running as if placed anew, or a new pod of a workload.

    Raises:
        UsageError: there is no such object.
        UnsupportedError: it is a daemon set.
    """
    found = find_candidate(cluster.session, kind, name, namespace)
    if isinstance(found, PodRecord):
        return PodQuestion(cluster, found, cluster.place)
    made = made_of([(found, cluster.place)], cluster.objects)
    applied = cluster.with_objects(made.applied_to(cluster.objects))
    workload = workload_summary(found, from_cluster=True)
    return PodQuestion(applied, made.candidates[0].pod, cluster.place, workload)


def _written(record: PodRecord) -> str | None:
    return None if record.pod.source is None else written_by_scheduler(record.pod.source)
