"""Rules for names, labels, annotations, owners and finalizers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems, not_negative
from kschedctl.admission.validation.labels import label_key, validate_labels
from kschedctl.admission.validation.profiles import is_profile, validate_profile_annotations
from kschedctl.admission.validation.syntax import dns_label, dns_subdomain, without_dash_at_end
from kschedctl.admission.validation.tolerations import validate_tolerations
from kschedctl.objects.go import parse_int, quote
from kschedctl.objects.names import dns_subdomain_problems, label_key_problems
from kschedctl.sources.foreign_json import json_value

_MAX_ANNOTATIONS = 256 * 1024
_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_MIRROR = "kubernetes.io/config.mirror"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_WITH_MEANING = (_MIRROR, _TOLERATIONS, _DELETION_COST)
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")
_OPTIONAL_OWNER_FIELDS = ("controller", "blockOwnerDeletion")


def validate_own_name(metadata: Field) -> Problems:
    """The name, or what it is to be made of: what differs between pods that are equal."""
    name, prefix = metadata["name"], metadata["generateName"]
    if prefix.text:
        yield from prefix.invalid_each(dns_subdomain_problems(without_dash_at_end(prefix.text)))
    if name.text:
        yield from dns_subdomain(name)
    elif not prefix.text:
        yield name.required("name or generateName is required")


def validate_shared_metadata(metadata: Field, gates: AdmissionGates) -> Problems:
    """All of the metadata but the name. A missing namespace is `default`."""
    if metadata["namespace"].text:
        yield from dns_label(metadata["namespace"])
    yield from not_negative(metadata["generation"])
    yield from validate_labels(metadata["labels"], gates)
    yield from validate_annotations(metadata["annotations"], gates)
    yield from _validate_owners(metadata["ownerReferences"], gates)
    yield from _validate_finalizers(metadata["finalizers"], gates)


def validate_annotations(annotations: Field, gates: AdmissionGates) -> Problems:
    """Keys and the size of all annotations together."""
    size = 0
    for key, value in annotations.entries.items():
        problems = label_key_problems(key.lower(), in_bytes=gates.facts.label_limits_in_bytes)
        yield from Field(annotations.path, key).invalid_each(problems)
        size += len(key.encode()) + len(value.text.encode())
    if size > _MAX_ANNOTATIONS:
        yield annotations.too_long(_MAX_ANNOTATIONS)


def _validate_owners(owners: Field, gates: AdmissionGates) -> Problems:
    """Owners, of which one at most is the controller."""
    first = ""
    for owner in owners.items:
        if gates.facts.owners_are_told_by_position:
            yield from _validate_owner(owner)
        else:
            yield from _validate_nameless_owner(owners, owner)
        if owner["apiVersion"].text == "v1" and owner["kind"].text == "Event":
            at = owner if gates.facts.owners_are_told_by_position else owners
            yield at.invalid_as(_shown(owner), "/v1, Kind=Event is disallowed from being an owner")
        if owner["controller"].is_true:
            called = f"{owner['kind'].text}/{owner['name'].text}"
            if first:
                yield owners.invalid_as(
                    [_shown(other) for other in owners.items],
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {first} and {called}',
                )
            first = first or called


def _validate_owner(owner: Field) -> Problems:
    version = owner["apiVersion"]
    if version.text and (version.text.endswith("/") or version.text.count("/") > 1):
        yield version.invalid("must be <group>/<version> or <version>")
    for name in ("apiVersion", "kind", "name", "uid"):
        if not owner[name].text:
            yield owner[name].required("must not be empty")


def _validate_nameless_owner(owners: Field, owner: Field) -> Problems:
    """One of the owners, told at all of them."""
    version = owner["apiVersion"].text
    if not version or version.endswith("/") or version.count("/") > 1:
        yield owners["apiVersion"].invalid_as(version, "version must not be empty")
    for name in ("kind", "name", "uid"):
        if not owner[name].text:
            yield owners[name].invalid_as("", "must not be empty")


def _shown(owner: Field) -> dict[str, object]:
    fields = {name: owner[name].value for name in _OWNER_FIELDS}
    return {
        name: value if name in _OPTIONAL_OWNER_FIELDS else value or ""
        for name, value in fields.items()
        if value is not None or name not in _OPTIONAL_OWNER_FIELDS
    }


def _validate_finalizers(finalizers: Field, gates: AdmissionGates) -> Problems:
    for name in finalizers.texts:
        yield from label_key(Field(finalizers.path, name), gates)
    if {"orphan", "foregroundDeletion"} <= set(finalizers.texts):
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        yield finalizers.invalid(detail)
    for finalizer in finalizers.items:
        if "/" not in finalizer.text and finalizer.text not in _FINALIZERS:
            yield finalizer.invalid("name is neither a standard finalizer name nor is it fully qualified")


def annotations_with_meaning(annotations: Mapping[str, str]) -> dict[str, str]:
    """The annotations that the rest of the pod is validated with."""
    return {key: value for key, value in annotations.items() if key in _WITH_MEANING or is_profile(key)}


def validate_pod_annotations(
    annotations: Field, spec: Field, containers: list[Field], gates: AdmissionGates
) -> Problems:
    """Annotations that mean something for pods."""
    entries = annotations.entries
    if _MIRROR in entries and not spec["nodeName"].text:
        yield entries[_MIRROR].invalid("must set spec.nodeName if mirror pod annotation is set")
    if _TOLERATIONS in entries and entries[_TOLERATIONS].text:
        yield from _validate_tolerations(annotations, entries[_TOLERATIONS].text, gates)
    if _DELETION_COST in entries and gates.pod_deletion_cost:
        cost = entries[_DELETION_COST]
        if not re.match(r"-|0$|[1-9]", cost.text) or parse_int(cost.text, 32) is None:
            yield cost.invalid("must be a 32bit integer")
    yield from validate_profile_annotations(annotations, {container["name"].text for container in containers})


def _validate_tolerations(annotations: Field, text: str, gates: AdmissionGates) -> Problems:
    """Tolerations as they were written once, in JSON."""
    try:
        tolerations = json_value(text)
    except ValueError:
        detail = f"invalid character {quote(text.lstrip()[:1])} looking for beginning of value"
        yield annotations.invalid_as(_TOLERATIONS, detail)
        return
    yield from validate_tolerations(annotations[_TOLERATIONS].replaced_by(tolerations), gates)
