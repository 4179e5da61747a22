"""Rules for the claim that an ephemeral volume is made from."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems, one_of, required_text
from kschedctl.admission.validation.labels import validate_label_selector, validate_labels
from kschedctl.admission.validation.metadata import validate_annotations
from kschedctl.admission.validation.syntax import dns_label, dns_subdomain
from kschedctl.objects.names import dns_subdomain_problems
from kschedctl.objects.quantity import ZERO

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ALONE = "ReadWriteOncePod"
_VOLUME_MODES = ("Block", "Filesystem")
_NOT_SET = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation"),
    *(
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "ownerReferences",
        "finalizers",
    ),
    "managedFields",
)
_OTHER_SPELLING = {"uid": "uID"}
"""Field -> how the API server spells it here."""


def validate_claim_template(template: Field, gates: AdmissionGates) -> Problems:
    """The template: labels and annotations alone, and the spec of a claim."""
    metadata, spec = template["metadata"], template["spec"]
    yield from validate_annotations(metadata["annotations"], gates)
    yield from validate_labels(metadata["labels"], gates)
    for name in _NOT_SET:
        if metadata[name].value:
            yield metadata[_OTHER_SPELLING.get(name, name)].forbidden("cannot be set")
    yield from _validate_modes(spec["accessModes"])
    yield from validate_label_selector(spec["selector"], gates)
    yield from _validate_storage(spec)
    for name in ("storageClassName", "volumeAttributesClassName"):
        if spec[name].text:
            yield from dns_subdomain(spec[name])
    yield from one_of(spec["volumeMode"], _VOLUME_MODES)
    yield from _validate_sources(spec)


def _validate_modes(modes: Field) -> Problems:
    if not modes.items:
        yield modes.required("at least 1 access mode is required")
    for mode in modes.texts:
        if mode not in _ACCESS_MODES:
            yield Field(modes.path, mode).unsupported(_ACCESS_MODES)
    if _ALONE in modes.texts and any(mode in _ACCESS_MODES and mode != _ALONE for mode in modes.texts):
        yield modes.forbidden(f"may not use {_ALONE} with other access modes")


def _validate_storage(spec: Field) -> Problems:
    """The size that is asked for, which the API server tells at the resources."""
    storage = spec["resources"]["requests"]["storage"]
    at = spec["resources"].key("storage")
    if not storage.is_set:
        yield at.required()
    elif storage.quantity <= ZERO:
        yield at.invalid_as(str(storage.quantity), "must be greater than zero")


def _validate_sources(spec: Field) -> Problems:
    source, reference = spec["dataSource"], spec["dataSourceRef"]
    for field in (source, reference):
        if field.is_set:
            yield from _validate_source(field)
    namespace = reference["namespace"].text
    if namespace:
        yield from dns_label(reference["namespace"])
    if not source.is_set:
        return
    if namespace:
        yield spec.invalid_as({}, "may not be specified when dataSourceRef.namespace is specified")
    elif reference.is_set and any(
        source[name].value != reference[name].value for name in ("apiGroup", "kind", "name")
    ):
        yield spec.invalid_as({}, "must match dataSourceRef")


def _validate_source(source: Field) -> Problems:
    yield from required_text(source, "name", "kind")
    group, kind = source["apiGroup"], source["kind"].text
    if not group.text and kind != "PersistentVolumeClaim":
        yield source.invalid_as(kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
    if group.text:
        yield from group.invalid_each(dns_subdomain_problems(group.text))
