"""Possibilities side by side, each a card."""

from __future__ import annotations

from kschedctl.reports.figures import Panel, Panels
from kschedctl.writers.html.elements import Markup, element


def panels(found: Panels) -> Markup:
    """The cards, as many beside one another as there is room for."""
    cards = [_panel(panel) for panel in found.panels]
    return element(
        "figure", element("figcaption", found.title), element("div", *cards, class_="panels"), class_="all"
    )


def _panel(panel: Panel) -> Markup:
    parts = [element("p", element("b", panel.title))]
    if panel.told:
        parts.append(element("p", panel.told, class_="dim"))
    for label, names in panel.entries:
        chips = [element("span", name, class_="chip") for name in names]
        parts.append(element("p", element("span", label, class_="where"), *chips, class_="entry"))
    return element("div", *parts, class_=f"panel {panel.tone.value}{' chosen' if panel.chosen else ''}")
