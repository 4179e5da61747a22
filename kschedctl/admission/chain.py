"""Admission: a pod as written becomes the pod that the scheduler would see (spec 02 E.3-E.6).

An existing pod was admitted when it was made, so only those steps are taken again that change nothing on a
pod which an API server gave back, and that supply what a pod written by hand lacks. It is never refused.

| step                 | existing pod                           | candidate                             |
|----------------------|----------------------------------------|---------------------------------------|
| defaults of the API  | yes                                    | yes                                   |
| LimitRange           | no: applied when the pod was made      | yes                                   |
| priority             | where none is stated; unknown class: 0 | refused if unknown or at odds with it |
| default tolerations  | yes                                    | yes                                   |
| RuntimeClass         | no: applied when the pod was made      | yes; refused if unknown or at odds    |
| matchLabelKeys       | where not merged yet                   | yes                                   |
| validation           | no                                     | yes                                   |

That every quantity can be parsed is the reader's promise.
"""

from __future__ import annotations

import json
from typing import Final

import msgspec
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.defaults import default_namespace, default_pod_spec
from kschedctl.admission.groups import admit_composite_pod_group, admit_pod_group
from kschedctl.admission.invalid import FieldProblem, Invalid
from kschedctl.admission.limit_range import apply_limit_ranges, limit_range_problems
from kschedctl.admission.match_label_keys import has_label_keys, merge_label_keys
from kschedctl.admission.priority import priority_problems, resolve_priority
from kschedctl.admission.runtime_class import apply_runtime_class
from kschedctl.admission.tolerations import with_default_tolerations
from kschedctl.admission.validation.document import (
    pod_document,
    pod_metadata,
    pod_name,
    written_metadata,
)
from kschedctl.admission.validation.metadata import (
    annotations_with_meaning,
    validate_own_name,
    validate_shared_metadata,
)
from kschedctl.admission.validation.pod_spec import validate_pod
from kschedctl.objects.core import Namespace
from kschedctl.objects.groups import CompositePodGroup, PodGroup
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.objects.written import WrittenPodSpec, as_read

_MOST_METADATA: Final = 10_000
"""So many different labels and the like are remembered: members of a stateful set have one label each."""

_encode = msgspec.msgpack.Encoder().encode
_encode_json = msgspec.json.Encoder(enc_hook=str).encode


class Admission:
    """Admits pods, and does so once for pods whose specs are equal.

    Attributes:
        context: what the cluster has to say about new pods.
    """

    def __init__(self, context: AdmissionContext) -> None:
        self.context = context
        self._existing: dict[bytes, PodSpec] = {}
        self._candidates: dict[bytes, PodSpec | tuple[FieldProblem, ...]] = {}
        self._metadata: dict[tuple[bytes, str], tuple[FieldProblem, ...]] = {}
        self._interned: dict[bytes, PodSpec] = {}

    def admit_existing(self, pod: Pod) -> AdmittedPod:
        """A pod of the cluster with what an API server would have added; see above."""
        spec = _without_what_differs_in_replicas(as_read(pod.spec))
        key = _class_key(spec, pod)
        admitted = self._existing.get(key)
        if admitted is None:
            admitted = self._existing[key] = self._intern(self._admit_existing_spec(spec, pod))
        return AdmittedPod(pod.metadata, admitted, pod.status, pod.spec.node_name, pod)

    def admit_update(self, pod: Pod) -> AdmittedPod:
        """A pod that was admitted once, as somebody wrote it since: only what decoding adds is added."""
        spec = self._with_defaults(_without_what_differs_in_replicas(pod.spec))
        return AdmittedPod(pod.metadata, self._intern(spec), pod.status, pod.spec.node_name, pod)

    def admit_candidate(self, pod: Pod) -> AdmittedPod | Invalid:
        """A pod that is to be created, or every reason why the API server would refuse it."""
        key = self._candidate_key(pod)
        admitted = self._candidates.get(key)
        if admitted is None:
            admitted = self._candidates[key] = self._admit_candidate_spec(pod)
        problems = self._metadata_problems(pod)
        if isinstance(admitted, tuple):
            return Invalid((*problems, *admitted))
        if problems:
            return Invalid(problems)
        return AdmittedPod(pod.metadata, admitted, pod.status, pod.spec.node_name, pod)

    def _metadata_problems(self, pod: Pod) -> tuple[FieldProblem, ...]:
        """What the API server has against the metadata; of equal pods only the names are looked at again."""
        named = tuple(validate_own_name(pod_name(pod.metadata)))
        shared = replace(pod.metadata, name="", generate_name="", uid="", creation_timestamp=None)
        written = written_metadata(pod.spec)
        key = (_encode(shared), _document_key(written) if written else "")
        rest = self._metadata.get(key)
        if rest is None:
            if len(self._metadata) >= _MOST_METADATA:
                self._metadata.clear()
            field = pod_metadata(pod.metadata, pod.spec)
            rest = self._metadata[key] = tuple(validate_shared_metadata(field, self.context.gates))
        return named + rest

    def admit_object(self, obj: TopLevel) -> TopLevel:
        """An object of the cluster that is neither node nor pod, as the scheduler sees it."""
        match obj:
            case Namespace():
                return default_namespace(obj)
            case PodGroup():
                return admit_pod_group(obj, self.context)
            case CompositePodGroup():
                return admit_composite_pod_group(obj, self.context)
            case _:
                return obj

    def _admit_existing_spec(self, spec: PodSpec, pod: Pod) -> PodSpec:
        spec = self._with_defaults(spec)
        spec = resolve_priority(spec, self.context)
        spec = replace(spec, tolerations=with_default_tolerations(spec.tolerations))
        return self._with_merged_keys(spec, pod, once=True)

    def _admit_candidate_spec(self, pod: Pod) -> PodSpec | tuple[FieldProblem, ...]:
        spec = self._with_defaults(pod.spec)
        if not self.context.gates.bind_mount_options:
            spec = _without_mounts(spec)
        ranges = self.context.limit_ranges.get(pod.namespace, ())
        spec = apply_limit_ranges(spec, ranges)
        problems = priority_problems(spec, self.context)
        spec = resolve_priority(spec, self.context)
        spec = replace(spec, tolerations=with_default_tolerations(spec.tolerations))
        ran = apply_runtime_class(spec, self.context)
        if isinstance(ran, FieldProblem):
            problems.append(ran)
        else:
            spec = ran
        spec = self._with_merged_keys(spec, pod, once=False)
        problems += validate_pod(
            pod_document(pod.metadata, spec, self.context.gates), spec, self.context.gates
        )
        if not problems:
            problems += limit_range_problems(spec, ranges)
        if problems:
            return tuple(problems)
        return self._intern(_without_what_differs_in_replicas(as_read(spec)))

    def _with_defaults(self, spec: PodSpec) -> PodSpec:
        gates = self.context.gates
        return default_pod_spec(
            spec, pod_level_resources=gates.pod_level_resources, pod_level_limits=gates.pod_level_limits
        )

    def _with_merged_keys(self, spec: PodSpec, pod: Pod, *, once: bool) -> PodSpec:
        spread = self.context.gates.merge_spread_selectors
        return merge_label_keys(spec, pod.metadata.labels, once=once, spread=spread)

    def _intern(self, spec: PodSpec) -> PodSpec:
        return self._interned.setdefault(_encode(spec), spec)

    def _candidate_key(self, pod: Pod) -> bytes:
        """Equal for candidates that admission treats alike, up to their metadata."""
        spec = pod.spec
        ephemeral = any(volume.ephemeral is not None for volume in spec.volumes)
        named = pod.metadata.name if ephemeral else ""
        annotations = sorted(annotations_with_meaning(pod.metadata.annotations).items())
        document = ""
        if isinstance(spec, WrittenPodSpec):
            document = _document_key(spec.written.get("spec"))
        return _encode((_class_key(as_read(spec), pod), pod.namespace, named, annotations, document))


def _document_key(data: object) -> str:
    """Equal for equal documents."""
    try:
        return _encode_json(data).decode()
    except (
        TypeError,
        ValueError,
        OverflowError,
    ):  # numbers that are too large, which the standard library takes
        return json.dumps(data, default=str)


def _class_key(spec: PodSpec, pod: Pod) -> bytes:
    """Equal for pods that admission treats alike."""
    key = _encode(spec)
    if has_label_keys(spec):
        return _encode((key, sorted(pod.metadata.labels.items())))
    return key


def _without_mounts(spec: PodSpec) -> PodSpec:
    """Without volume mounts, of which their options alone are read."""
    if not any(c.volume_mounts for c in (*spec.containers, *spec.init_containers)):
        return spec
    return replace(
        spec,
        containers=tuple(replace(c, volume_mounts=()) for c in spec.containers),
        init_containers=tuple(replace(c, volume_mounts=()) for c in spec.init_containers),
    )


def _without_what_differs_in_replicas(spec: PodSpec) -> PodSpec:
    """Without the node, the host name of members, and volumes such as tokens with a name made for each pod."""
    if not spec.node_name and not spec.hostname and all(volume.has_source for volume in spec.volumes):
        return spec
    return replace(spec, node_name="", hostname="", volumes=tuple(v for v in spec.volumes if v.has_source))
