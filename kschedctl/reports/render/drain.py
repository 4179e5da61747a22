"""The formats of a drain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.reports.drain.model import Drain
from kschedctl.reports.formats import Format, Look
from kschedctl.reports.render.lazy import Renderers, renderers

RENDERERS: Final[Renderers[Drain]] = renderers(
    Drain,
    {
        Format.TABLE: "kschedctl.reports.render.drain_table:table_text",
        Format.WIDE: "kschedctl.reports.render.drain_table:wide_text",
        Format.NAME: "kschedctl.reports.render.drain:name_text",
        Format.MARKDOWN: "kschedctl.reports.render.drain_markdown:markdown_text",
    },
)


def name_text(reports: Sequence[Drain], look: Look) -> str:
    """A line a pod that moves: its name and its new node."""
    return "\n".join(
        f"{pod.full_name} {pod.placed_on or '<none>'}" for report in reports for pod in report.evicted
    )
