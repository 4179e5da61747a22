"""What is not reached yet: the table may only shrink, and its figures only rise."""

from collections.abc import Mapping
from typing import Final

REACHED: Final[dict[str, tuple[float, str]]] = {}
"""Category of the full corpus -> percent of its pods that agree, cut to two decimals, and the issue that brings 100.

A category that is not here agrees on every pod.
"""

REFUSED_AS_INVALID: Final[dict[str, tuple[float, str]]] = {}
"""The same for the API server's verdict on candidates: whether it refuses exactly those that we refuse."""

TOLD_AS_INVALID: Final[dict[str, tuple[float, str]]] = {
    "1.37/invalid": (99.59, "#13"),
}
"""The same for its words, of candidates that it refuses."""


def verdict(category: str, agreeing: int, pods: int, table: Mapping[str, tuple[float, str]] = REACHED) -> str:
    """What is wrong with the agreement of a category, empty where it is what the table says."""
    expected, _ = table.get(category, (100.0, ""))
    found = cut_percent(agreeing, pods)
    if found < expected:
        return f"{category}: {found} % of {pods} pods agree, which was {expected} % before"
    if category in table and found > expected:
        change = "take its line out of" if found == 100.0 else f"write {found} for it into"
        return f"{category}: {found} % agree now, more than {expected} %: {change} {__file__}"
    return ""


def cut_percent(agreeing: int, pods: int) -> float:
    """Share of the pods that agree, cut to two decimals: 100 stands for all of them."""
    return agreeing * 10_000 // pods / 100
