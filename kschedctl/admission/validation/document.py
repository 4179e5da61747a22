"""The document that validation looks at: what was written, with what defaults and admission made of it.

Scheduling reads a part of a pod into types, and admission changes that part. Of a pod that was written the rest
comes from its document; one that a cluster gave back has no rest that could be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.disabled_fields import without_disabled
from kschedctl.admission.validation.field import Field
from kschedctl.objects.containers import Container
from kschedctl.objects.meta import KubeObject, ObjectMeta
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_volumes import Volume
from kschedctl.objects.written import WrittenPodSpec

Document = dict[str, Any]

_METADATA_OF_ITS_OWN: Final = ("finalizers", "generation", "ownerReferences")
"""Parts of the metadata of a pod that types hold in part or not at all."""
_READ_IN_PART: Final = frozenset(("schedulingGroup", "workloadRef", "restartPolicyRules", "volumeMounts"))
"""Fields of specs and containers whose types leave something out: only what was written tells them."""


def pod_document(metadata: ObjectMeta, spec: PodSpec, gates: AdmissionGates) -> Field:
    """The whole pod.

    Args:
        metadata: of the pod.
        spec: as admission left it.
        gates: those that are off make the API server drop fields.
    """
    whole = without_disabled(_spec(spec, _written(spec, "spec")), gates)
    return Field("", {"metadata": _metadata(metadata, spec), "spec": whole})


def pod_metadata(metadata: ObjectMeta, spec: PodSpec) -> Field:
    """The metadata alone; the spec knows how both were written."""
    return Field("metadata", _metadata(metadata, spec))


def pod_name(metadata: ObjectMeta) -> Field:
    """The metadata with no more than what the pod is called."""
    return Field("metadata", {"name": metadata.name, "generateName": metadata.generate_name})


def written_metadata(spec: PodSpec) -> Document:
    """Parts of the metadata that types hold in part or not at all, as far as they were written."""
    written = _written(spec, "metadata")
    return {name: written[name] for name in _METADATA_OF_ITS_OWN if name in written}


def _metadata(metadata: ObjectMeta, spec: PodSpec) -> Document:
    return {**_typed(metadata), **written_metadata(spec)}


def _spec(spec: PodSpec, written: Mapping[str, Any]) -> Document:
    whole = _merged(spec, PodSpec, written)
    for name, containers in {"containers": spec.containers, "initContainers": spec.init_containers}.items():
        found = _written_entries(written, name, [c.name for c in containers])
        whole[name] = [_merged(c, Container, entry) for c, entry in zip(containers, found, strict=True)]
    found = _written_entries(written, "volumes", [v.name for v in spec.volumes])
    whole["volumes"] = [_volume(v, entry) for v, entry in zip(spec.volumes, found, strict=True)]
    return whole


def _volume(volume: Volume, written: Mapping[str, Any]) -> Document:
    """A volume; admission changes none. One without a source is an emptyDir."""
    whole = dict(written) or _typed(volume)
    sourceless = all(value is None for name, value in whole.items() if name != "name")
    return {**whole, "emptyDir": {}} if sourceless else whole


def _merged(typed: KubeObject, type_: type[KubeObject], written: Mapping[str, Any]) -> Document:
    """What was written, but for fields that are read, which are as they are now."""
    known = set(type_.__struct_encode_fields__) - _READ_IN_PART
    whole = {name: value for name, value in written.items() if name not in known}
    return whole | {name: value for name, value in _typed(typed).items() if name in known}


def _typed(value: KubeObject) -> Document:
    data = msgspec.to_builtins(value)
    assert isinstance(data, dict)
    return data


def _written(spec: PodSpec, name: str) -> Mapping[str, Any]:
    """A part of the document of a spec; of one that nobody wrote there is none."""
    part = spec.written.get(name) if isinstance(spec, WrittenPodSpec) else None
    return part if isinstance(part, Mapping) else {}


def _written_entries(written: Mapping[str, Any], name: str, names: list[str]) -> list[Mapping[str, Any]]:
    """What was written of each entry of a list: by position, and by name where entries were added or taken away."""
    listed = written.get(name)
    entries = (
        [entry if isinstance(entry, Mapping) else {} for entry in listed] if isinstance(listed, list) else []
    )
    called = [str(entry.get("name") or "") for entry in entries]
    if called == names:
        return entries
    by_name = dict(zip(called, entries, strict=True))
    return [by_name.get(name, {}) for name in names]
