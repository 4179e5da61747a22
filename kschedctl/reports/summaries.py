"""The parts that reports of every kind begin with."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kschedctl.cluster.state import ClusterState
from kschedctl.errors import Place
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.objects.apps import Job
from kschedctl.reports.model import (
    Caveat,
    ClusterSummary,
    PodSummary,
    SchedulerSummary,
    SourcePlace,
    WorkloadSummary,
)
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.workloads import Workload, replicas_of
from kschedctl.workloads.job import concurrent_pods
from kschedctl.workloads.workload import known_as


def scheduler_summary(
    configuration: SchedulerConfiguration, options: SchedulingOptions, profile: str | None
) -> SchedulerSummary:
    """The scheduler, with the profile that decided."""
    return SchedulerSummary(
        version=str(configuration.version),
        profile=profile,
        configuration=configuration.origin,
        options={
            "tieBreak": str(options.tie_break),
            "sampling": str(options.sampling),
            "seed": options.seed,
        },
        feature_gates=configuration.gates.changed,
    )


def cluster_summary(
    cluster: ClusterState,
    source: Sequence[str],
    caveats: Sequence[Caveat],
    taken_at: str | None = None,
    changes: Sequence[str] = (),
) -> ClusterSummary:
    """The cluster as it is now."""
    on_node = int((cluster.pods.node >= 0).sum())
    return ClusterSummary(
        source=list(source),
        taken_at=taken_at,
        nodes=cluster.nodes.count,
        pods=on_node,
        pending=len(cluster.pods) - on_node,
        caveats=list(caveats),
        changes=list(changes),
    )


def with_caveats(cluster: ClusterSummary, *caveats: Caveat | None) -> ClusterSummary:
    """The cluster with more caveats, which hold for one answer; those that are None do not."""
    return replace(cluster, caveats=[*cluster.caveats, *(c for c in caveats if c is not None)])


def pod_summary(
    namespace: str,
    name: str,
    *,
    priority: int | None = None,
    place: Place | None = None,
    running_on: str | None = None,
    workload: WorkloadSummary | None = None,
    equal_pods: Sequence[str] = (),
) -> PodSummary:
    """A candidate."""
    return PodSummary(
        namespace=namespace,
        name=name,
        priority=priority,
        source=None if place is None else SourcePlace.of(place),
        running_on=running_on,
        workload=workload,
        equal_pods=list(equal_pods),
    )


def workload_summary(workload: Workload, *, from_cluster: bool) -> WorkloadSummary:
    """A workload of which one pod is judged."""
    key = known_as(workload)
    return WorkloadSummary(
        kind=key.kind,
        namespace=key.namespace,
        name=key.name,
        pods=concurrent_pods(workload) if isinstance(workload, Job) else replicas_of(workload),
        from_cluster=from_cluster,
    )
