"""One pod of a workload, as its controller would create it: what `explain` judges of a workload."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kschedctl.errors import Place, UnsupportedError
from kschedctl.objects.apps import (
    DaemonSet,
    Deployment,
    Job,
    JobStatus,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.workloads import Expansion, Workload, expand
from kschedctl.workloads.replicated import expand_deployment, expand_replicas
from kschedctl.workloads.stateful_set import expand_stateful_set, ordinals_of


def siblings_of(pod: Pod, workload: Workload, objects: Sequence[TopLevel]) -> tuple[Pod, ...]:
    """The pods that a workload would have beside the one that is judged, where they belong to a group."""
    if not pod.spec.pod_group:
        return ()
    taken = _names(workload, objects)
    replica_sets = (o for o in objects if isinstance(o, ReplicaSet))
    found = expand(workload, replica_sets=replica_sets, taken=taken).pods
    return tuple(one for one in found if one.name != pod.name)


def _names(workload: Workload, objects: Sequence[TopLevel]) -> set[str]:
    return {o.name for o in objects if isinstance(o, Pod) and o.namespace == workload.namespace}


def template_pod(workload: Workload, objects: Sequence[TopLevel], place: Place | None = None) -> Expansion:
    """The first pod of a workload, also where it asks for none, and what is made on the way to it.

    Args:
        workload: the workload.
        objects: those of the cluster: the replica set of a deployment is used again, names are not.
        place: where the workload was read, for messages.

    Raises:
        UnsupportedError: it is a daemon set, which has a pod for each node.
    """
    taken = _names(workload, objects)
    match workload:
        case Deployment():
            replica_sets = (o for o in objects if isinstance(o, ReplicaSet))
            return expand_deployment(workload, replica_sets, count=1, taken=taken)
        case ReplicaSet() | ReplicationController():
            return expand_replicas(workload, count=1, taken=taken)
        case StatefulSet():
            return expand_stateful_set(workload, ordinals=[ordinals_of(workload).start])
        case DaemonSet():
            raise UnsupportedError(
                f"DaemonSet {workload.full_name} has a pod for each node, not one to explain",
                place=place,
                hint="kschedctl simulate places all of them.",
            )
        case Job():
            spec = replace(workload.spec, parallelism=1, suspend=False)
            found = expand(replace(workload, spec=spec, status=JobStatus()), taken=taken)
        case _:
            found = expand(workload, taken=taken)
    return Expansion(found.pods[:1], found.others)
