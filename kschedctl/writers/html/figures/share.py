"""A part of a whole as a bar in a line."""

from __future__ import annotations

from kschedctl.reports.table import Share
from kschedctl.writers.html.elements import Markup, element


def share(found: Share, *, beside: bool = False) -> Markup:
    """A part of a whole, drawn where that tells something, and as text.

    Args:
        found: the part.
        beside: whether others in its column are drawn, so that texts stand below one another.
    """
    if found.part is None or not found.drawn:
        return element("span", found.text, class_="share bare" if beside else "share")
    part = min(max(found.part, 0.0), 1.0)
    picture = element(
        "svg",
        element("rect", class_="track", width=100, height=10),
        element("rect", class_="part", width=f"{100 * part:.1f}", height=10),
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element("span", picture, found.text, class_="share")
