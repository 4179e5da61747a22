"""Which picture is drawn by whom."""

from __future__ import annotations

from kschedctl.reports.document import Bars, Figure, NodeGrid, StackedBars, Strips
from kschedctl.writers.html.elements import Markup
from kschedctl.writers.html.figures.bars import bars, stacked_bars
from kschedctl.writers.html.figures.node_grid import node_grid
from kschedctl.writers.html.figures.strips import strips


def figure(found: Figure, *, linked: bool = True) -> Markup:
    """A picture with its legend; on a page with several the nodes of the first alone can be linked to."""
    match found:
        case NodeGrid():
            return node_grid(found, linked=linked)
        case Strips():
            return strips(found)
        case Bars():
            return bars(found)
        case StackedBars():
            return stacked_bars(found)
