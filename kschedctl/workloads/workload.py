"""Which objects are workloads, how they are named, and what they ask for."""

from __future__ import annotations

from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct, field

from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.kinds import BY_TYPE, is_upstream_group
from kschedctl.objects.meta import OwnerReference, TopLevel
from kschedctl.objects.pod import Pod

Workload = Deployment | ReplicaSet | StatefulSet | DaemonSet | Job | CronJob | ReplicationController
WORKLOADS = (Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, ReplicationController)


class WorkloadKey(NamedTuple):
    """Identity of a workload, or of a pod that has no controller."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """`Kind/name`, the namespace in front where it is not `default`."""
        plain = f"{self.kind}/{self.name}"
        return plain if self.namespace == "default" else f"{self.namespace}/{plain}"


class Expansion(Struct, frozen=True):
    """What the controller of a workload would create.

    Attributes:
        pods: the pods, in the order in which they are created.
        others: claims, replica sets and jobs on the way to them.
        counted: how many more pods like these there would be: no more were asked for one by one.
    """

    pods: tuple[Pod, ...] = ()
    others: tuple[TopLevel, ...] = field(default=())
    counted: int = 0


def key_of(obj: TopLevel) -> WorkloadKey:
    """Identity of an object as a workload."""
    return WorkloadKey(BY_TYPE[type(obj)].kind, obj.namespace, obj.name)


def known_as(obj: TopLevel) -> WorkloadKey:
    """Identity under which people know an object: that of the custom resource whose pods it makes, else its own."""
    owner = obj.metadata.controller
    if owner is None or is_upstream_group(owner.api_version):
        return key_of(obj)
    return WorkloadKey(owner.kind, obj.namespace, owner.name)


def uid_of(obj: TopLevel) -> str:
    """Uid of an object, made of its identity where none is written."""
    return obj.metadata.uid or str(uuid5(NAMESPACE_URL, "/".join(key_of(obj))))


def controlled_by(obj: TopLevel) -> tuple[OwnerReference, ...]:
    """The owner references of what an object's controller creates."""
    kind = BY_TYPE[type(obj)]
    return (
        OwnerReference(
            api_version=kind.api_versions[0], kind=kind.kind, name=obj.name, uid=uid_of(obj), controller=True
        ),
    )


def replicas_of(workload: Workload) -> int | None:
    """How many pods a workload asks for by a number of its own; None for kinds that have none."""
    match workload:
        case Deployment() | ReplicaSet() | StatefulSet() | ReplicationController():
            return 1 if workload.spec.replicas is None else workload.spec.replicas
        case Job():
            return 1 if workload.spec.parallelism is None else workload.spec.parallelism
        case _:
            return None
