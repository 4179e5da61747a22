"""A pod spec together with the document that it was read from.

Scheduling reads a part of a pod; only validation looks at all of it, and only at pods that somebody wrote. So the
fields of `PodSpec` are those that are read everywhere, and a pod that is to be created keeps its document beside
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod, PodSpec, PodTemplateSpec

_T = TypeVar("_T", bound=TopLevel)


class WrittenPodSpec(PodSpec, frozen=True):
    """A spec that knows how it was written."""

    written: dict[str, Any] = {}
    """The pod or the template as JSON-like data, with `metadata` and `spec`. It may share parts: do not change it."""


def as_read(spec: PodSpec) -> PodSpec:
    """The spec without the document: the fields that scheduling reads."""
    if not isinstance(spec, WrittenPodSpec):
        return spec
    return PodSpec(*astuple(spec)[:-1])


def with_written(obj: _T, data: Mapping[str, Any]) -> _T:
    """The object with the document that it was decoded from, kept where it holds a pod or a template of pods."""
    match obj:
        case Pod():
            return replace(obj, spec=_written(obj.spec, data))
        case Deployment() | StatefulSet() | DaemonSet() | ReplicaSet() | ReplicationController() | Job() if (
            obj.spec.template is not None
        ):
            template = _template(obj.spec.template, (data.get("spec") or {}).get("template"))
            return replace(obj, spec=replace(obj.spec, template=template))
        case CronJob():
            job = obj.spec.job_template
            spec = ((data.get("spec") or {}).get("jobTemplate") or {}).get("spec") or {}
            template = _template(job.spec.template, spec.get("template"))
            job = replace(job, spec=replace(job.spec, template=template))
            return replace(obj, spec=replace(obj.spec, job_template=job))
    return obj


def _template(template: PodTemplateSpec, data: object) -> PodTemplateSpec:
    return replace(template, spec=_written(template.spec, data)) if isinstance(data, Mapping) else template


def _written(spec: PodSpec, data: Mapping[str, Any]) -> WrittenPodSpec:
    return WrittenPodSpec(*(*astuple(as_read(spec)), dict(data)))
