"""Small pods and the admission they go through."""

from typing import Any

import msgspec
from builders import admission_context

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.chain import Admission
from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.invalid import Invalid
from kschedctl.objects.core import LimitRange, PriorityClass, RuntimeClass
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import with_written

CONTAINER = {"name": "c", "image": "img"}


def container(**fields: Any) -> dict[str, Any]:
    return {**CONTAINER, **fields}


def pod(
    name: str = "p", *, labels: dict[str, str] | None = None, namespace: str = "default", **spec: Any
) -> Pod:
    """A pod that the API server takes, unless a test says something else; spec fields in camelCase."""
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    return written({"metadata": metadata, "spec": {"containers": [CONTAINER], **spec}})


def written(manifest: dict[str, Any]) -> Pod:
    """A pod as a manifest has it."""
    return with_written(msgspec.convert(manifest, Pod), manifest)


def priority_class(name: str, value: int, **fields: Any) -> PriorityClass:
    return msgspec.convert({"metadata": {"name": name}, "value": value, **fields}, PriorityClass)


def runtime_class(name: str, **fields: Any) -> RuntimeClass:
    return msgspec.convert({"metadata": {"name": name}, **fields}, RuntimeClass)


def limit_range(name: str, *limits: dict[str, Any], namespace: str = "default") -> LimitRange:
    metadata = {"name": name, "namespace": namespace}
    return msgspec.convert({"metadata": metadata, "spec": {"limits": list(limits)}}, LimitRange)


def admitted(candidate: Pod, context: AdmissionContext | None = None) -> AdmittedPod:
    """The candidate after admission, which must take it."""
    result = Admission(context or admission_context()).admit_candidate(candidate)
    assert isinstance(result, AdmittedPod), str(result)
    return result


def refusal(candidate: Pod, context: AdmissionContext | None = None) -> list[str]:
    """What admission has against the candidate, which it must refuse."""
    result = Admission(context or admission_context()).admit_candidate(candidate)
    assert isinstance(result, Invalid)
    return [str(error) for error in result.errors]


def existing(there: Pod, context: AdmissionContext | None = None) -> AdmittedPod:
    """A pod of the cluster after admission."""
    return Admission(context or admission_context()).admit_existing(there)
