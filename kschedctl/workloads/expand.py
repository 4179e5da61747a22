"""Any workload -> the pods that its controller would create."""

from __future__ import annotations

from collections.abc import Container, Iterable

from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.node import Node
from kschedctl.workloads.daemon_set import expand_daemon_set
from kschedctl.workloads.job import expand_cron_job, expand_job
from kschedctl.workloads.replicated import expand_deployment, expand_replicas
from kschedctl.workloads.stateful_set import missing_members
from kschedctl.workloads.workload import Expansion, Workload


def expand(
    workload: Workload,
    *,
    nodes: Iterable[Node] = (),
    replica_sets: Iterable[ReplicaSet] = (),
    taken: Container[str] = frozenset(),
    most: int | None = None,
) -> Expansion:
    """All pods of a workload, as if none were there.

    Args:
        workload: the workload.
        nodes: of the cluster, for daemon sets.
        replica_sets: of the cluster; a deployment goes on using the one of its template.
        taken: names of other pods of its namespace.
        most: see `pods_made`; a daemon set has no more pods than there are nodes.
    """
    match workload:
        case Deployment():
            return expand_deployment(workload, replica_sets, taken=taken, most=most)
        case ReplicaSet() | ReplicationController():
            return expand_replicas(workload, taken=taken, most=most)
        case StatefulSet():
            return missing_members(workload, most=most)
        case DaemonSet():
            return expand_daemon_set(workload, nodes, taken)
        case Job():
            return expand_job(workload, taken, most)
        case CronJob():
            return expand_cron_job(workload, most)
