"""Rules for labels, label selectors and the label keys that are merged into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kschedctl.objects.meta import LabelSelector, LabelSelectorRequirement, NodeSelectorRequirement
from kschedctl.objects.names import label_key_problems, label_value_problems

from .problems import Problems, forbidden, invalid, invalid_each, required

IN_BOTH_LISTS = "exists in both matchLabelKeys and mismatchLabelKeys"
IN_SELECTOR = "exists in both matchLabelKeys and labelSelector"


def validate_label_key(path: str, key: str) -> Problems:
    """A label key, or anything with the same syntax."""
    yield from invalid_each(path, key, label_key_problems(key))


def validate_labels(path: str, labels: Mapping[str, str]) -> Problems:
    """Keys and values of a label map."""
    for key, value in sorted(labels.items()):
        yield from invalid_each(path, key, label_key_problems(key))
        yield from invalid_each(path, value, label_value_problems(value))


def validate_label_values(path: str, values: Sequence[str]) -> Problems:
    """The values of a requirement."""
    for i, value in enumerate(values):
        yield from invalid_each(f"{path}[{i}]", value, label_value_problems(value))


def validate_label_selector(path: str, selector: LabelSelector | None) -> Problems:
    """A metav1.LabelSelector."""
    if selector is None:
        return
    yield from validate_labels(f"{path}.matchLabels", selector.match_labels)
    for i, expression in enumerate(selector.match_expressions):
        at = f"{path}.matchExpressions[{i}]"
        yield from validate_value_count(at, expression)
        yield from validate_label_key(f"{at}.key", expression.key)
        yield from validate_label_values(f"{at}.values", expression.values)


def validate_value_count(
    path: str, requirement: LabelSelectorRequirement | NodeSelectorRequirement, *, ordered: bool = False
) -> Problems:
    """The operator, and how many values it takes; `ordered` operators are those of node selectors only."""
    operator, values = requirement.operator, requirement.values
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden(f"{path}.values", detail)
    elif ordered and operator in ("Gt", "Lt"):
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            yield required(f"{path}.values", detail)
    else:
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")


def validate_label_keys(path: str, keys: Sequence[str], selector: LabelSelector | None) -> Problems:
    """Keys that are merged into a selector: there must be one."""
    if keys and selector is None:
        yield forbidden(path, "must not be specified when labelSelector is not set")
        return
    for i, key in enumerate(keys):
        yield from validate_label_key(f"{path}[{i}]", key)


def validate_keys_not_selected(path: str, keys: Sequence[str], selector: LabelSelector | None) -> Problems:
    """A merged key may stand in the selector once, which is what merging leaves there, but not twice."""
    if selector is None:
        return
    selected = [*selector.match_labels, *(expression.key for expression in selector.match_expressions)]
    for i, key in enumerate(keys):
        if selected.count(key) > 1:
            yield invalid(f"{path}[{i}]", key, IN_SELECTOR)
