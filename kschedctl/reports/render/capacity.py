"""The formats of capacity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.reports.capacity.model import Capacity
from kschedctl.reports.formats import Format, Look
from kschedctl.reports.render.lazy import Renderers, renderers

RENDERERS: Final[Renderers[Capacity]] = renderers(
    Capacity,
    {
        Format.TABLE: "kschedctl.reports.render.capacity_table:table_text",
        Format.WIDE: "kschedctl.reports.render.capacity_table:wide_text",
        Format.NAME: "kschedctl.reports.render.capacity:name_text",
        Format.MARKDOWN: "kschedctl.reports.render.capacity_markdown:markdown_text",
    },
)


def name_text(reports: Sequence[Capacity], look: Look) -> str:
    """A line a node: its name and how many of each kind fit."""
    return "\n".join(
        " ".join([node.name, *map(str, node.fits)]) for report in reports for node in report.nodes
    )
