"""When the successor of a pod comes, and where: as soon as the pod begins to end, or once it is gone (spec 02 E.1)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from kschedctl.objects.apps import Deployment, Job, ReplicaSet, ReplicationController, StatefulSet
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.workloads.job import replaces_ended_only
from kschedctl.workloads.replicated import HASH_LABEL
from kschedctl.workloads.stateful_set import ordinal_of, ordinals_of

T = TypeVar("T", bound=TopLevel)


_Controller = ReplicaSet | StatefulSet | Job | ReplicationController | Deployment

_CONTROLLERS: Final[Mapping[str, type[_Controller]]] = MappingProxyType(
    {kind.__name__: kind for kind in (ReplicaSet, StatefulSet, Job, ReplicationController)}
)


class Find(Protocol):
    """Looks an object up."""

    def __call__(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        """One object, or None."""


def is_replaced_once_gone(pod: Pod, find: Find) -> bool:
    """Whether the successor of a pod comes only once it is gone: by its name, or as its job will have it."""
    owner = pod.metadata.controller
    if owner is not None and owner.kind == "Job":
        job = find(Job, owner.name, pod.namespace)
        return job is not None and replaces_ended_only(job)
    if owner is None or owner.kind != "StatefulSet":
        return False
    known = find(StatefulSet, owner.name, pod.namespace)
    return known is None or ordinal_of(pod.name) in ordinals_of(known)


def named_node(pod: Pod, find: Find) -> str:
    """The node that the template of a pod's controller names, empty for none: the successor is bound there."""
    owner = pod.metadata.controller
    kind = None if owner is None else _CONTROLLERS.get(owner.kind)
    if owner is None or kind is None:
        return ""
    known: _Controller | None = find(kind, owner.name, pod.namespace)
    if known is None and kind is ReplicaSet:
        hashed = pod.metadata.labels.get(HASH_LABEL, "")
        known = find(Deployment, owner.name.removesuffix(f"-{hashed}"), pod.namespace)
    return "" if known is None else known.spec.template.spec.node_name
