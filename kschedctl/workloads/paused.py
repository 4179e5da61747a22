"""Paused deployments: the number of their pods is kept, a new template is not rolled out."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from kschedctl.objects.apps import Deployment, ReplicaSet
from kschedctl.workloads.replicated import is_owned
from kschedctl.workloads.workload import Workload, replicas_of


def is_paused(workload: Workload) -> bool:
    """Whether a workload rolls out no new template."""
    return isinstance(workload, Deployment) and bool(workload.spec.paused)


def as_it_runs(deployment: Deployment, replica_sets: Iterable[ReplicaSet]) -> Deployment:
    """The deployment with the template that its pods have: while it is paused, that of its biggest replica set."""
    owned = [replica_set for replica_set in replica_sets if is_owned(replica_set, deployment)]
    if not is_paused(deployment) or not owned:
        return deployment
    biggest = max(owned, key=lambda replica_set: replicas_of(replica_set) or 0)
    return replace(deployment, spec=replace(deployment.spec, template=biggest.spec.template))
