"""Rules for tolerations."""

from __future__ import annotations

import re

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems, one_of_or_default
from kschedctl.admission.validation.labels import label_key
from kschedctl.objects.go import parse_int, quote
from kschedctl.objects.names import label_value_problems

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS = ("Equal", "Exists")
_ORDERED = ("Lt", "Gt")
_EXISTS_ALONE = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'


def validate_tolerations(tolerations: Field, gates: AdmissionGates) -> Problems:
    """All tolerations of a pod."""
    for toleration in tolerations.items:
        key, operator, effect = toleration["key"], toleration["operator"], toleration["effect"]
        if key.text:
            yield from label_key(key, gates)
        elif operator.text != "Exists":
            yield operator.invalid_as(operator.text, _EXISTS_ALONE)
        if toleration["tolerationSeconds"].is_set and effect.text != "NoExecute":
            yield effect.invalid_as(effect.text, "effect must be 'NoExecute' when `tolerationSeconds` is set")
        yield from _validate_operator(operator, toleration["value"], gates)
        yield from one_of_or_default(effect, _EFFECTS)


def _validate_operator(operator: Field, value: Field, gates: AdmissionGates) -> Problems:
    """The operator and what goes with it; the API server mostly names the operator where the value is at fault."""
    if operator.text in ("", "Equal"):
        if problems := label_value_problems(value.text, in_bytes=gates.facts.label_limits_in_bytes):
            yield operator.invalid_as(value.text, ";".join(problems))
    elif operator.text == "Exists":
        if value.text:
            yield operator.invalid_as(value.text, "value must be empty when `operator` is 'Exists'")
    elif operator.text in _ORDERED and gates.facts.ordered_operators_exist:
        if gates.toleration_comparison_operators:
            yield from _validate_integer(value)
        else:
            yield operator.unsupported((*_OPERATORS, *_ORDERED))
    else:
        yield operator.unsupported(_OPERATORS)


def _validate_integer(value: Field) -> Problems:
    text = value.text
    if not text:
        yield value.invalid_as(text, "must be non-empty")
    elif not re.fullmatch(r"0|-?[1-9][0-9]*", text):
        yield value.invalid_as(text, "must be a valid decimal integer in canonical form")
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        yield value.invalid_as(text, f"strconv.ParseInt: parsing {quote(text)}: invalid syntax")
    elif parse_int(text) is None:
        yield value.invalid_as(text, f"strconv.ParseInt: parsing {quote(text)}: value out of range")
