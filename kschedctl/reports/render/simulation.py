"""The formats of a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.reports.formats import Format, Look
from kschedctl.reports.render.lazy import Renderers, renderers
from kschedctl.reports.simulate.model import Simulation

RENDERERS: Final[Renderers[Simulation]] = renderers(
    Simulation,
    {
        Format.TABLE: "kschedctl.reports.render.simulation_table:table_text",
        Format.WIDE: "kschedctl.reports.render.simulation_table:wide_text",
        Format.NAME: "kschedctl.reports.render.simulation:name_text",
        Format.MARKDOWN: "kschedctl.reports.render.simulation_markdown:markdown_text",
    },
)


def name_text(reports: Sequence[Simulation], look: Look) -> str:
    """A line a pod: its name and its node."""
    return "\n".join(
        f"{pod.namespace}/{pod.name} {pod.node or '<none>'}" for report in reports for pod in report.pods
    )
