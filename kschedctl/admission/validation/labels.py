"""Rules for labels, label selectors and the label keys that are merged into them."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems
from kschedctl.objects.names import label_key_problems, label_value_problems

IN_BOTH_LISTS = "exists in both matchLabelKeys and mismatchLabelKeys"
IN_SELECTOR = "exists in both matchLabelKeys and labelSelector"
_NO_SELECTOR = "must not be specified when labelSelector is not set"


def label_key(field: Field, gates: AdmissionGates) -> Problems:
    """A label key, or anything with the same syntax."""
    yield from field.invalid_each(label_key_problems(field.text, in_bytes=gates.facts.label_limits_in_bytes))


def label_value(field: Field, gates: AdmissionGates) -> Problems:
    """A label value."""
    yield from field.invalid_each(
        label_value_problems(field.text, in_bytes=gates.facts.label_limits_in_bytes)
    )


def validate_labels(labels: Field, gates: AdmissionGates) -> Problems:
    """Keys and values of a label map."""
    for key, value in labels.entries.items():
        yield from label_key(Field(labels.path, key), gates)
        yield from label_value(Field(labels.path, value.text), gates)


def validate_label_selector(selector: Field, gates: AdmissionGates) -> Problems:
    """A metav1.LabelSelector."""
    yield from validate_labels(selector["matchLabels"], gates)
    for expression in selector["matchExpressions"].items:
        yield from validate_value_count(expression)
        yield from label_key(expression["key"], gates)
        for value in expression["values"].items:
            yield from label_value(value, gates)


def validate_value_count(requirement: Field, *, ordered: bool = False) -> Problems:
    """The operator, and how many values it takes; `ordered` operators are those of node selectors only."""
    operator, values = requirement["operator"].text, requirement["values"]
    if operator in ("In", "NotIn"):
        if not values.items:
            yield values.required("must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values.items:
            yield values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    elif ordered and operator in ("Gt", "Lt"):
        if len(values.items) != 1:
            yield values.required("must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield requirement["operator"].invalid_as(operator, "not a valid selector operator")


def validate_merged_keys(owner: Field, gates: AdmissionGates) -> Problems:
    """`matchLabelKeys` and `mismatchLabelKeys`, which have been merged into the selector beside them."""
    selector, keys = owner["labelSelector"], owner["matchLabelKeys"]
    for field in (keys, owner["mismatchLabelKeys"]):
        if field.items and not selector.is_set:
            yield field.forbidden(_NO_SELECTOR)
            continue
        for key in field.items:
            yield from label_key(key, gates)
    if selector.is_set:
        yield from _validate_selected_once(owner, selector)
    mismatched = set(owner["mismatchLabelKeys"].texts)
    for key in keys.items:
        if key.text in mismatched:
            yield key.invalid(IN_BOTH_LISTS)


def _validate_selected_once(owner: Field, selector: Field) -> Problems:
    """A key stands in the selector once, which is what merging leaves there; the place is told at the owner."""
    positions = {key: i for i, key in enumerate(owner["matchLabelKeys"].texts)}
    selected = set(selector["matchLabels"].entries)
    for expression in selector["matchExpressions"].items:
        key = expression["key"].text
        if key in positions and key in selected:
            yield owner.at(positions[key], key).invalid(IN_SELECTOR)
        selected.add(key)


def validate_unmerged_keys(owner: Field, gates: AdmissionGates) -> Problems:
    """`matchLabelKeys` where keys are left to the scheduler: none of them may be in the selector."""
    keys, selector = owner["matchLabelKeys"], owner["labelSelector"]
    if keys.items and not selector.is_set:
        yield keys.forbidden(_NO_SELECTOR)
    selected = {expression["key"].text for expression in selector["matchExpressions"].items}
    for key in keys.items:
        yield from label_key(key, gates)
        if key.text in selected or key.text in selector["matchLabels"].entries:
            yield key.invalid(IN_SELECTOR)
