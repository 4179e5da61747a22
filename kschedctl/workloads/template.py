"""A pod from a template (spec 02 E.1)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kschedctl.objects.meta import ObjectMeta, TopLevel
from kschedctl.objects.pod import Pod, PodSpec, PodTemplateSpec
from kschedctl.workloads.workload import controlled_by

_NONE: Mapping[str, str] = MappingProxyType({})
_PATHS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"Pod": (), "CronJob": ("spec", "jobTemplate", "spec", "template")}
)


def template_path(kind: str) -> tuple[str, ...]:
    """The path of the pod template in a workload of a kind; in a bare pod there is nothing above its spec."""
    return _PATHS.get(kind, ("spec", "template"))


def pod_from(
    template: PodTemplateSpec,
    owner: TopLevel,
    name: str,
    *,
    labels: Mapping[str, str] = _NONE,
    annotations: Mapping[str, str] = _NONE,
    spec: PodSpec | None = None,
) -> Pod:
    """The pod that the controller of `owner` creates.

    Args:
        template: its labels, annotations and spec are taken over; its name, namespace and owners are not.
        owner: whose namespace and control the pod has.
        name: name of the pod.
        labels: added to those of the template.
        annotations: added to those of the template.
        spec: instead of the template's.
    """
    metadata = ObjectMeta(
        name=name,
        namespace=owner.namespace,
        labels={**template.metadata.labels, **labels},
        annotations={**template.metadata.annotations, **annotations},
        owner_references=controlled_by(owner),
    )
    return Pod(api_version="v1", kind="Pod", metadata=metadata, spec=template.spec if spec is None else spec)
