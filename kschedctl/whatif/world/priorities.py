"""Pods under another priority, as if they had been so all the time: running ones stay where they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from kschedctl.admission.context import SYSTEM_PRIORITY_CLASSES
from kschedctl.errors import UsageError
from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.objects.written import WrittenPodSpec

_T = TypeVar("_T", bound=TopLevel)


def check_priority(priority: int | str, objects: Iterable[TopLevel]) -> None:
    """See that a priority class is there; a plain number needs none.

    Raises:
        UsageError: it is not.
    """
    if isinstance(priority, int):
        return
    classes = [*SYSTEM_PRIORITY_CLASSES, *(obj for obj in objects if isinstance(obj, PriorityClass))]
    names = [one.name for one in sorted(classes, key=lambda one: (one.value, one.name))]
    if priority not in names:
        raise UsageError(
            f"there is no PriorityClass {priority}", hint=f"There are {names_text(names)}; or write a number."
        )


def with_priority(obj: _T, priority: int | str) -> _T:
    """A pod, or a workload with the pods that it is to make, under a class or a plain number.

    Raises:
        UsageError: it is neither.
    """
    match obj:
        case Pod():
            return replace(obj, spec=_spec(obj.spec, priority))
        case CronJob():
            job = obj.spec.job_template
            template = replace(job.spec.template, spec=_spec(job.spec.template.spec, priority))
            job = replace(job, spec=replace(job.spec, template=template))
            return replace(obj, spec=replace(obj.spec, job_template=job))
        case DaemonSet() | Deployment() | Job() | ReplicaSet() | ReplicationController() | StatefulSet():
            if obj.spec.template is not None:
                template = replace(obj.spec.template, spec=_spec(obj.spec.template.spec, priority))
                return replace(obj, spec=replace(obj.spec, template=template))
    raise UsageError(f"{obj.name} is neither a pod nor a workload, and has no priority")


def _spec(spec: PodSpec, priority: int | str) -> PodSpec:
    """Admission finds the number and the preemption policy of a class."""
    named = isinstance(priority, str)
    changed = replace(
        spec,
        priority_class_name=priority if named else "",
        priority=None if named else priority,
        preemption_policy=None,
    )
    if not isinstance(changed, WrittenPodSpec):
        return changed
    fields = ("priority", "priorityClassName", "preemptionPolicy")
    rest = {name: value for name, value in (changed.written.get("spec") or {}).items() if name not in fields}
    document = {**rest, "priorityClassName" if named else "priority": priority}
    return replace(changed, written={**changed.written, "spec": document})
