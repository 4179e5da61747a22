"""What a call costs in kube-scheduler: the table of the API server, for the functions that are implemented here.

A text is walked for a tenth of its length. What is not in the table costs 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from kschedctl.dra.cel_operators import EQUAL, ORDERED, UNEQUAL

Cost = Callable[..., float]
"""Of the arguments of a call."""

_WALK: Final = 0.1
_STEP: Final = 0.25
"""A character of a regular expression, for every character of the text that is walked."""
_LIST: Final = 11
"""A call that makes a list."""


def cost_of(function: str, arguments: tuple[Any, ...]) -> float:
    """What a call costs."""
    cost = _TABLE.get(function)
    return 1 if cost is None else cost(*arguments)


def _size(value: Any) -> int:
    """Length of a text or a list; quantities and versions, which travel as maps and bytes, are one thing."""
    return len(value) if isinstance(value, str | list) else 1


def _walked(value: Any, *_: Any) -> int:
    return math.ceil(_size(value) * _WALK)


def _each(values: Any, *_: Any) -> float:
    """A list that is gone through, its texts and lists to their ends."""
    if isinstance(values, list):
        return sum(map(_each, values))
    return int(len(values) * _WALK) if isinstance(values, str) else 1


def _searched(text: str, pattern: str, *_: Any) -> float:
    return math.ceil((1 + len(text)) * _WALK) * math.ceil(len(pattern) * _STEP)


def _compared(pair: list[Any]) -> float:
    return math.ceil(min(map(_size, pair)) * _WALK)


def _both(times: int) -> Cost:
    return lambda one, other: 1 + times * len(one) * len(other)


def _with_itself(values: list[Any], *_: Any) -> float:
    """Every value of a list with every other."""
    factor = 2 + _WALK if values and isinstance(values[0], str) else 2
    return _LIST + int(factor * len(values) ** 2)


_TABLE: Final[Mapping[str, Cost]] = MappingProxyType(
    {
        "quantity": _walked,
        "isQuantity": _walked,
        "semver": _walked,
        "isSemver": _walked,
        "isSorted": _each,
        "sum": _each,
        "min": _each,
        "max": _each,
        "includes": _each,
        "find": _searched,
        "findAll": _searched,
        "slice": lambda items, start, end: _LIST + max(min(end, len(items)) - start, 0),
        "reverse": lambda items: _LIST + len(items),
        "flatten": lambda items, depth=1: _LIST + abs(depth) * len(items),
        "distinct": _with_itself,
        "sort": _with_itself,
        "lists.range": lambda length: _LIST + max(length, 0),
        "sets.contains": _both(1),
        "sets.intersects": _both(1),
        "sets.equivalent": _both(2),
        EQUAL: _compared,
        UNEQUAL: _compared,
        ORDERED: lambda _: 0,  # the comparison itself is left to the library
    }
)
