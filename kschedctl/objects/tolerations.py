"""Which toleration tolerates which taint (spec 02 D.0)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kschedctl.objects.constraints import Toleration
from kschedctl.objects.go import parse_int
from kschedctl.objects.node import Taint

_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


def tolerates(toleration: Toleration, taint: Taint, *, comparison: bool = False) -> bool:
    """Whether one toleration tolerates one taint.

    Args:
        toleration: an empty operator means Equal, an empty effect or key any.
        taint: the taint.
        comparison: the gate TaintTolerationComparisonOperators; without it Lt and Gt never tolerate.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case "Lt" | "Gt" if comparison:
            return _compares(toleration, taint)
    return False


def is_tolerated(tolerations: Iterable[Toleration], taint: Taint, *, comparison: bool = False) -> bool:
    """Whether any of the tolerations tolerates the taint."""
    return any(tolerates(t, taint, comparison=comparison) for t in tolerations)


def _compares(toleration: Toleration, taint: Taint) -> bool:
    wanted, found = _integer(toleration.value), _integer(taint.value)
    if wanted is None or found is None:
        return False
    return found < wanted if toleration.operator == "Lt" else found > wanted


def _integer(text: str) -> int | None:
    return parse_int(text) if _CANONICAL_INTEGER.fullmatch(text) else None
