"""Rules for node affinity and inter-pod affinity."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems
from kschedctl.admission.validation.labels import (
    label_key,
    label_value,
    validate_label_selector,
    validate_merged_keys,
    validate_value_count,
)
from kschedctl.admission.validation.syntax import dns_label, dns_subdomain
from kschedctl.objects.selectors import NODE_NAME_FIELD

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def validate_affinity(affinity: Field, gates: AdmissionGates) -> Problems:
    """All three kinds of affinity."""
    yield from _validate_node_affinity(affinity["nodeAffinity"], gates)
    yield from _validate_pod_affinity(affinity["podAffinity"], gates)
    yield from _validate_pod_affinity(affinity["podAntiAffinity"], gates)


def _validate_node_affinity(affinity: Field, gates: AdmissionGates) -> Problems:
    if affinity[REQUIRED].is_set:
        terms = affinity[REQUIRED]["nodeSelectorTerms"]
        if not terms.items:
            yield terms.required("must have at least one node selector term")
        for term in terms.items:
            yield from _validate_term(term, gates, check_values=True)
    for preferred in affinity[PREFERRED].items:
        yield from _validate_weight(preferred["weight"])
        yield from _validate_term(preferred["preference"], gates, check_values=False)


def _validate_term(term: Field, gates: AdmissionGates, *, check_values: bool) -> Problems:
    """A node selector term; bad label values are let pass in preferred terms."""
    for expression in term["matchExpressions"].items:
        yield from validate_value_count(expression, ordered=True)
        yield from label_key(expression["key"], gates)
        for value in expression["values"].items if check_values else ():
            yield from label_value(value, gates)
    for field in term["matchFields"].items:
        yield from _validate_field(field)


def _validate_field(field: Field) -> Problems:
    operator, values = field["operator"], field["values"]
    if operator.text not in ("In", "NotIn"):
        yield operator.invalid_as(operator.text, "not a valid selector operator")
    elif len(values.items) != 1:
        yield values.required(
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        )
    if field["key"].text != NODE_NAME_FIELD:
        yield field["key"].invalid_as(field["key"].text, "not a valid field selector key")
        return
    for name in values.items:
        yield from dns_subdomain(name)


def _validate_pod_affinity(affinity: Field, gates: AdmissionGates) -> Problems:
    for term in affinity[REQUIRED].items:
        yield from _validate_pod_term(term, gates)
    for weighted in affinity[PREFERRED].items:
        yield from _validate_weight(weighted["weight"])
        yield from _validate_pod_term(weighted["podAffinityTerm"], gates)


def _validate_pod_term(term: Field, gates: AdmissionGates) -> Problems:
    yield from validate_label_selector(term["labelSelector"], gates)
    yield from validate_label_selector(term["namespaceSelector"], gates)
    for namespace in term["namespaces"].texts:
        # The API server names this field in the singular.
        yield from dns_label(Field(f"{term.path}.namespace", namespace))
    yield from validate_merged_keys(term, gates)
    if not term["topologyKey"].text:
        yield term["topologyKey"].required("can not be empty")
    yield from label_key(term["topologyKey"], gates)


def _validate_weight(weight: Field) -> Problems:
    if not 1 <= weight.number <= 100:
        yield weight.invalid_as(weight.number, "must be in the range 1-100")
