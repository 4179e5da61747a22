"""How full many nodes are, sorted: an area for after, a line for before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.reports.figures import Strip, Strips
from kschedctl.writers.html.elements import Markup, element

_WIDTH: Final = 1000
_HEIGHT: Final = 100


def strips(found: Strips) -> Markup:
    """The strips, one scale for all: the height is the whole of each node."""
    rows: list[Markup] = []
    for strip in found.strips:
        told = element("figcaption", element("b", strip.label), f" {strip.told}")
        rows.append(element("figure", told, _strip(strip), class_="strip"))
    legend = element(
        "p",
        element("span", class_="swatch after"),
        "after ",
        element("span", class_="swatch before"),
        "before",
        class_="legend",
    )
    legends = [legend] if any(strip.before for strip in found.strips) else []
    return element("figure", element("figcaption", found.title), *rows, *legends, class_="strips")


def _strip(strip: Strip) -> Markup:
    after, before = _steps(strip.after), _steps(strip.before)
    shapes = [element("rect", class_="track", width=_WIDTH, height=_HEIGHT)]
    if after:
        shapes.append(element("path", class_="part", d=f"M0 {_HEIGHT}{after}V{_HEIGHT}Z"))
    if before:
        shapes.append(element("path", class_="line", d=f"M0 {_HEIGHT}{before}V{_HEIGHT}"))
    return element(
        "svg",
        *shapes,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{strip.label}: {strip.told}",
    )


def _steps(shares: Sequence[float]) -> str:
    """A path over the tops, one step for nodes that are equally full."""
    path, last = [], ""
    width = _WIDTH / len(shares) if shares else 0.0
    for at, share in enumerate(shares):
        top = f"{_HEIGHT * (1 - min(max(share, 0.0), 1.0)):.1f}"
        if top != last:
            path.append(f"H{at * width:.1f}V{top}")
            last = top
    return "".join([*path, f"H{_WIDTH}"]) if path else ""
