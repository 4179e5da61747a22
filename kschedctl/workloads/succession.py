"""When the successor of a pod comes: as soon as the pod begins to end, or once it is gone (spec 02 E.1)."""

from __future__ import annotations

from typing import Protocol, TypeVar

from kschedctl.objects.apps import Job, StatefulSet
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod

from .job import replaces_ended_only
from .stateful_set import ordinal_of, ordinals_of

T = TypeVar("T", bound=TopLevel)


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
