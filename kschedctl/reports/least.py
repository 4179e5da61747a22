"""What nobody can do for less, and how far an answer is from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.money import money

_ROUNDING: Final = 1e-4
_AS_GOOD_AS: Final = 0.005
"""A share above the least that nobody would look for."""


def least_of(bound: float | None, *, priced: bool) -> float | None:
    """A bound as reports tell it: a number of nodes is a whole one."""
    if bound is None:
        return None
    return round(bound, 6) if priced else float(math.ceil(bound - _ROUNDING))


def least_text(bound: float, *, priced: bool) -> str:
    """The least as people write it."""
    return f"{money(bound)} an hour" if priced else plural(round(bound), "node")


def above_least(cost: float, bound: float, survives: Mapping[str, int], *, priced: bool) -> str | None:
    """How far a cost is above a bound; None: it is the least.

    Args:
        cost: in money, or nodes.
        bound: in the same.
        survives: what may fail at once, which bounds leave out.
        priced: whether it is money.
    """
    over = cost / bound - 1 if bound else 0.0
    if over < _AS_GOOD_AS:
        return None
    failures = ", failures left out," if any(survives.values()) else ""
    return f"at most {over:.0%} above the least, which{failures} is no lower than {least_text(bound, priced=priced)}"
