"""Which pods are asked about, and in which cluster each of them is judged: what all questions about pods share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import Place
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.reports.candidate_caveats import candidate_caveats, node_name_caveat
from kschedctl.reports.model import Caveat, ClusterSummary, PodSummary, WorkloadSummary
from kschedctl.reports.summaries import pod_summary, with_caveats, workload_summary
from kschedctl.whatif.candidates import load_manifests, made_of
from kschedctl.whatif.references import find_candidate

if TYPE_CHECKING:
    from kschedctl.api import Cluster


@dataclass(frozen=True, slots=True)
class Asked:
    """A pod that somebody asks about.

    Attributes:
        cluster: where it is judged.
        pod: one that might be created, or one of the cluster.
        place: where it was read.
        workload: of which it is one pod, where that was asked about.
        caveats: of this pod, beside those of the cluster.
    """

    cluster: Cluster
    pod: Pod | PodRecord
    place: Place | None = None
    workload: WorkloadSummary | None = None
    caveats: tuple[Caveat, ...] = ()

    @property
    def cluster_summary(self) -> ClusterSummary:
        """What its report says of the cluster; to be made before the pod enters it."""
        bound = node_name_caveat(self.pod) if isinstance(self.pod, Pod) else None
        return with_caveats(self.cluster.summary, *self.caveats, bound)

    def pod_summary(self, *, priority: int | None = None, running_on: str | None = None) -> PodSummary:
        """What its report says of the pod."""
        return pod_summary(
            self.pod.namespace,
            self.pod.name,
            priority=priority,
            place=self.place,
            running_on=running_on,
            workload=self.workload,
        )


def asked_by_manifests(
    cluster: Cluster,
    paths: Sequence[str],
    *,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> list[Asked]:
    """The pods of manifests, and one pod of each workload; other objects in them are there when they are judged.

    Raises:
        InputError: the manifests cannot be used, or hold no pod.
        InputErrors: several such problems.
        UnsupportedError: a daemon set is in them.
    """
    if not paths:
        return []
    objects = cluster.objects
    manifests = load_manifests(paths, objects, namespace=namespace, stdin=stdin, observer=observer)
    applied = cluster.with_objects(manifests.applied_to(objects))
    return [
        Asked(
            applied,
            candidate.pod,
            candidate.place,
            workload_summary(candidate.workload, from_cluster=False) if candidate.workload else None,
            caveats,
        )
        for candidate, caveats in zip(
            manifests.candidates, candidate_caveats(manifests, objects), strict=True
        )
    ]


def asked_pending(cluster: Cluster, namespace: str | None = None) -> list[Asked]:
    """Every pod of the cluster that waits for a node; None: of all namespaces."""
    waiting = [record for record in cluster.session.pending() if namespace in (None, record.namespace)]
    return [Asked(cluster, record, cluster.place) for record in waiting]


def asked_existing(cluster: Cluster, name: str, namespace: str = "default", kind: str = "pod") -> Asked:
    """A pod of the cluster, pending as it is or running as if placed anew, or a new pod of a workload.

    Raises:
        UsageError: there is no such object.
        UnsupportedError: it is a daemon set.
    """
    found = find_candidate(cluster.session, kind, name, namespace)
    if isinstance(found, PodRecord):
        return Asked(cluster, found, cluster.place)
    made = made_of([(found, cluster.place)], cluster.objects)
    applied = cluster.with_objects(made.applied_to(cluster.objects))
    workload = workload_summary(found, from_cluster=True)
    return Asked(applied, made.candidates[0].pod, cluster.place, workload)
