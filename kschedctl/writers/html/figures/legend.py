"""Colours of kinds, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.writers.html.elements import Markup, element

COLORS: Final = 12
"""So many colours there are, `k0` to `k11` in the style of the page."""
_GOOD: Final = (0, 1)


def colors_of(kinds: Sequence[bool]) -> list[int]:
    """A colour for each kind, by whether it is what is wanted; the last one is for all that are left."""
    good, bad = iter(_GOOD), iter(range(len(_GOOD), COLORS))
    return [next(good if wanted else bad, COLORS - 1) for wanted in kinds]


def legend_line(kinds: Sequence[tuple[str, int, str]]) -> Markup:
    """What colours mean, in one line: labels, colours, and what else is to be said of each."""
    parts = [
        element(
            "span",
            element("span", class_=f"swatch k{color}"),
            label,
            *([element("span", f" {told}", class_="dim")] if told else []),
            " ",
            class_="kind",
        )
        for label, color, told in kinds
    ]
    return element("p", *parts, class_="legend")


def legend(label: str, color: int, told: str = "") -> Markup:
    """What a colour means."""
    swatch = element("span", class_=f"swatch k{color}")
    return element(
        "p", swatch, label, *([element("span", f" {told}", class_="dim")] if told else []), class_="legend"
    )
