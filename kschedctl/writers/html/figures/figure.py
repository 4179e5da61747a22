"""Which picture is drawn by whom."""

from __future__ import annotations

from kschedctl.reports.figures import (
    Bars,
    BranchTree,
    Curves,
    Figure,
    NodeGrid,
    Panels,
    StackedBars,
    Strips,
    TimeLanes,
)
from kschedctl.writers.html.elements import Markup
from kschedctl.writers.html.figures.bars import bars, stacked_bars
from kschedctl.writers.html.figures.curves import curves
from kschedctl.writers.html.figures.lanes import lanes
from kschedctl.writers.html.figures.node_grid import node_grid
from kschedctl.writers.html.figures.panels import panels
from kschedctl.writers.html.figures.strips import strips
from kschedctl.writers.html.figures.tree import tree


def figure(found: Figure, *, linked: bool = True) -> Markup:
    """A picture with its legend; on a page with several the nodes of the first alone can be linked to."""
    match found:
        case NodeGrid():
            return node_grid(found, linked=linked)
        case StackedBars():
            return stacked_bars(found)
        case Strips():
            return strips(found)
        case Bars():
            return bars(found)
        case BranchTree():
            return tree(found)
        case Panels():
            return panels(found)
        case TimeLanes():
            return lanes(found)
        case Curves():
            return curves(found)
