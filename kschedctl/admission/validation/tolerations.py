"""Rules for tolerations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kschedctl.objects.go import INT64_MAX, INT64_MIN
from kschedctl.objects.names import label_value_problems
from kschedctl.objects.pod import Toleration

from .labels import validate_label_key
from .problems import Problems, invalid, unsupported

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ORDERED = ("Lt", "Gt")
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")


def validate_tolerations(path: str, tolerations: Sequence[Toleration], *, ordered: bool) -> Problems:
    """All tolerations of a pod; `ordered` says whether Lt and Gt are operators."""
    for i, toleration in enumerate(tolerations):
        yield from _validate_toleration(f"{path}[{i}]", toleration, ordered)


def _validate_toleration(path: str, toleration: Toleration, ordered: bool) -> Problems:
    if toleration.key:
        yield from validate_label_key(f"{path}.key", toleration.key)
    elif toleration.operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield invalid(f"{path}.operator", toleration.operator, detail)
    if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield invalid(f"{path}.effect", toleration.effect, detail)
    yield from _validate_operator(path, toleration, ordered)
    if toleration.effect and toleration.effect not in _EFFECTS:
        yield unsupported(f"{path}.effect", toleration.effect, _EFFECTS)


def _validate_operator(path: str, toleration: Toleration, ordered: bool) -> Problems:
    operator, value = toleration.operator, toleration.value
    if operator in ("", "Equal"):
        # The API server names the operator where the value is at fault.
        if problems := label_value_problems(value):
            yield invalid(f"{path}.operator", value, ";".join(problems))
    elif operator == "Exists":
        if value:
            yield invalid(
                f"{path}.operator", _shown(toleration), "value must be empty when `operator` is 'Exists'"
            )
    elif ordered and operator in _ORDERED:
        if not (_CANONICAL_INTEGER.fullmatch(value) and INT64_MIN <= int(value) <= INT64_MAX):
            yield invalid(f"{path}.value", value, f"must be a valid integer when `operator` is '{operator}'")
    else:
        supported = ("Equal", "Exists", *(_ORDERED if ordered else ()))
        yield unsupported(f"{path}.operator", operator, supported)


def _shown(toleration: Toleration) -> dict[str, object]:
    """The toleration with the internal field names, which is how the API server prints it."""
    return {
        "Key": toleration.key,
        "Operator": toleration.operator,
        "Value": toleration.value,
        "Effect": toleration.effect,
        "TolerationSeconds": toleration.toleration_seconds,
    }
