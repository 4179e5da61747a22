"""What of manifests an API server of some version does not take as it is written (spec 06 §6.2, §6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.disabled_fields import dropped_fields
from kschedctl.framework.versions import FeatureGates
from kschedctl.framework.versions.served import served_problem
from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.objects.written import WrittenPodSpec
from kschedctl.reports.versions.model import ApiChange

_NAMED = 4


def api_changes(objects: Sequence[TopLevel], both: Sequence[FeatureGates]) -> list[ApiChange]:
    """What one of two versions does not take, though the other does, or both do not take alike.

    Args:
        objects: those of the manifests.
        both: the gates of the two versions.
    """
    sides = [list(_not_taken(objects, gates)) for gates in both]
    return [
        ApiChange(version=str(gates.version), text=text)
        for gates, side, other in zip(both, sides, reversed(sides), strict=True)
        for text in side
        if text not in other
    ]


def _not_taken(objects: Sequence[TopLevel], gates: FeatureGates) -> Iterator[str]:
    known = AdmissionGates.of(gates.enabled, gates.version.facts.admission)
    for obj in objects:
        kind = BY_TYPE[type(obj)]
        name = f"{kind.kind} {obj.full_name if kind.namespaced else obj.name}"
        if text := served_problem(kind.kind, obj.api_version, gates.version):
            yield f"{name}: {text}"
        fields = dropped_fields(_written_spec(obj), known)
        if fields:
            yield f"{name}: {names_text(fields, _NAMED)} {'is' if len(fields) == 1 else 'are'} dropped"


def _written_spec(obj: TopLevel) -> dict[str, Any]:
    """The spec of a pod, or of the pods of a workload, as it was written; of all else nothing."""
    spec: PodSpec | None = None
    match obj:
        case Pod():
            spec = obj.spec
        case CronJob():
            spec = obj.spec.job_template.spec.template.spec
        case Deployment() | StatefulSet() | DaemonSet() | ReplicaSet() | ReplicationController() | Job():
            spec = None if obj.spec.template is None else obj.spec.template.spec
        case _:
            pass
    written = spec.written.get("spec") if isinstance(spec, WrittenPodSpec) else None
    return dict(written) if isinstance(written, Mapping) else {}
