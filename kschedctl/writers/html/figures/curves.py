"""Numbers over one scale, as lines that step where they change."""

from __future__ import annotations

from typing import Final

from kschedctl.objects.units import amount_text
from kschedctl.reports.figures import Curve, Curves
from kschedctl.writers.html.elements import Markup, element
from kschedctl.writers.html.figures.legend import legend_line

_WIDTH: Final = 1000
_HEIGHT: Final = 200
_COLORS: Final = (5, 2, 6, 4, 9, 0)


def curves(found: Curves) -> Markup:
    """The lines in one frame, with what its height and width are."""
    most = found.most or max((value for one in found.curves for _, value in one.points), default=0) or 1
    lines = [
        element("path", class_=f"curve k{_COLORS[at % len(_COLORS)]}", d=_path(one, found.end or 1, most))
        for at, one in enumerate(found.curves)
        if one.points
    ]
    told = "; ".join(_told(one, found) for one in found.curves)
    picture = element(
        "svg",
        element("rect", class_="track", width=_WIDTH, height=_HEIGHT),
        *lines,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{found.title}: {told}",
    )
    return element(
        "figure",
        element("figcaption", found.title),
        element("p", _number(most, found), class_="dim top"),
        picture,
        element("p", element("span", "0"), element("span", f"{found.end:g} {found.across}"), class_="ends"),
        legend_line(
            [
                (one.label, _COLORS[at % len(_COLORS)], _ends_at(one, found))
                for at, one in enumerate(found.curves)
            ]
        ),
        class_="curves",
    )


def _path(curve: Curve, end: float, most: float) -> str:
    """A path that steps: nothing is known to lie between two numbers."""
    first, *others = [
        (f"{_WIDTH * at / end:.1f}", f"{_HEIGHT * (1 - value / most):.1f}") for at, value in curve.points
    ]
    return "".join([f"M{first[0]} {first[1]}", *(f"H{x}V{y}" for x, y in others), f"H{_WIDTH}"])


def _number(value: float, found: Curves) -> str:
    if found.resource:
        return amount_text(found.resource, int(value))
    return f"{value:.0%}" if found.percent else f"{value:g}"


def _told(curve: Curve, found: Curves) -> str:
    values = [value for _, value in curve.points] or [0]
    return f"{curve.label} from {_number(values[0], found)}, at most {_number(max(values), found)}"


def _ends_at(curve: Curve, found: Curves) -> str:
    values = [value for _, value in curve.points]
    if len(values) < 2:
        return _number(values[0], found) if values else ""
    if found.resource:
        return f"{_number(max(values), found)} to {_number(min(values), found)}"
    return f"{_number(values[-1], found)} in the end"
