"""Rules for node affinity and inter-pod affinity."""

from __future__ import annotations

from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.names import dns_label_problems, dns_subdomain_problems
from kschedctl.objects.pod import Affinity, NodeAffinity, PodAffinity, PodAffinityTerm
from kschedctl.objects.selectors import NODE_NAME_FIELD

from .labels import (
    IN_BOTH_LISTS,
    validate_keys_not_selected,
    validate_label_key,
    validate_label_keys,
    validate_label_selector,
    validate_label_values,
    validate_value_count,
)
from .problems import Problems, invalid, invalid_each, required

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def validate_affinity(path: str, affinity: Affinity | None) -> Problems:
    """All three kinds of affinity."""
    if affinity is None:
        return
    if affinity.node_affinity is not None:
        yield from _validate_node_affinity(f"{path}.nodeAffinity", affinity.node_affinity)
    if affinity.pod_affinity is not None:
        yield from _validate_pod_affinity(f"{path}.podAffinity", affinity.pod_affinity)
    if affinity.pod_anti_affinity is not None:
        yield from _validate_pod_affinity(f"{path}.podAntiAffinity", affinity.pod_anti_affinity)


def _validate_node_affinity(path: str, affinity: NodeAffinity) -> Problems:
    if affinity.required is not None:
        yield from _validate_node_selector(f"{path}.{REQUIRED}.nodeSelectorTerms", affinity.required)
    for i, preferred in enumerate(affinity.preferred):
        at = f"{path}.{PREFERRED}[{i}]"
        yield from _validate_weight(at, preferred.weight)
        yield from _validate_term(f"{at}.preference", preferred.preference, check_values=False)


def _validate_node_selector(path: str, selector: NodeSelector) -> Problems:
    if not selector.node_selector_terms:
        yield required(path, "must have at least one node selector term")
    for i, term in enumerate(selector.node_selector_terms):
        yield from _validate_term(f"{path}[{i}]", term, check_values=True)


def _validate_term(path: str, term: NodeSelectorTerm, *, check_values: bool) -> Problems:
    """A node selector term; bad label values are let pass in preferred terms."""
    for i, expression in enumerate(term.match_expressions):
        at = f"{path}.matchExpressions[{i}]"
        yield from validate_value_count(at, expression, ordered=True)
        yield from validate_label_key(f"{at}.key", expression.key)
        if check_values:
            yield from validate_label_values(f"{at}.values", expression.values)
    for i, field in enumerate(term.match_fields):
        yield from _validate_field(f"{path}.matchFields[{i}]", field)


def _validate_field(path: str, field: NodeSelectorRequirement) -> Problems:
    if field.operator not in ("In", "NotIn"):
        yield invalid(f"{path}.operator", field.operator, "not a valid selector operator")
    elif len(field.values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield required(f"{path}.values", detail)
    if field.key != NODE_NAME_FIELD:
        yield invalid(f"{path}.key", field.key, "not a valid field selector key")
        return
    for i, name in enumerate(field.values):
        yield from invalid_each(f"{path}.values[{i}]", name, dns_subdomain_problems(name))


def _validate_pod_affinity(path: str, affinity: PodAffinity) -> Problems:
    for i, term in enumerate(affinity.required):
        yield from _validate_pod_term(f"{path}.{REQUIRED}[{i}]", term)
    for i, weighted in enumerate(affinity.preferred):
        at = f"{path}.{PREFERRED}[{i}]"
        yield from _validate_weight(at, weighted.weight)
        yield from _validate_pod_term(f"{at}.podAffinityTerm", weighted.pod_affinity_term)


def _validate_pod_term(path: str, term: PodAffinityTerm) -> Problems:
    yield from validate_label_selector(f"{path}.labelSelector", term.label_selector)
    yield from validate_label_selector(f"{path}.namespaceSelector", term.namespace_selector)
    for namespace in term.namespaces:
        # The API server names this field in the singular.
        yield from invalid_each(f"{path}.namespace", namespace, dns_label_problems(namespace))
    match_path = f"{path}.matchLabelKeys"
    yield from validate_label_keys(match_path, term.match_label_keys, term.label_selector)
    yield from validate_label_keys(f"{path}.mismatchLabelKeys", term.mismatch_label_keys, term.label_selector)
    for i, key in enumerate(term.match_label_keys):
        if key in term.mismatch_label_keys:
            yield invalid(f"{match_path}[{i}]", key, IN_BOTH_LISTS)
    yield from validate_keys_not_selected(match_path, term.match_label_keys, term.label_selector)
    if not term.topology_key:
        yield required(f"{path}.topologyKey", "can not be empty")
    yield from validate_label_key(f"{path}.topologyKey", term.topology_key)


def _validate_weight(path: str, weight: int) -> Problems:
    if not 1 <= weight <= 100:
        yield invalid(f"{path}.weight", weight, "must be in the range 1-100")
