"""What the answers of a plugin rest on, once for all nodes: the domains of a spread constraint, who repels."""

from __future__ import annotations

from typing import Annotated, Literal

from kschedctl.framework.status import Background
from kschedctl.reports.model import ReportObject, doc


class BackgroundReport(ReportObject, frozen=True, kw_only=True):
    """Facts about the cluster as a whole that stand behind what one plugin says of the nodes."""

    plugin: Annotated[str, doc("The plugin.")]
    asked: Annotated[Literal["Filter", "Score"], doc("Whether nodes are rejected or scored by it.")]
    title: Annotated[str, doc("What the facts are about.")]
    columns: Annotated[list[str], doc("Keys of the rows, in the order in which people read them.")]
    rows: Annotated[
        list[dict[str, str | int | float | bool | None]], doc("One for each domain, most telling first.")
    ]
    notes: Annotated[list[str], doc("What else has to be known, in sentences.")]


def background_report(found: Background) -> BackgroundReport:
    """The facts with their columns by name."""
    return BackgroundReport(
        plugin=found.plugin,
        asked=found.asked.value,
        title=found.title,
        columns=list(found.columns),
        rows=[dict(zip(found.columns, row, strict=True)) for row in found.rows],
        notes=list(found.notes),
    )


def cell_text(cell: str | int | float | bool | None) -> str:
    """A cell for people."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return "" if cell is None else str(cell)
