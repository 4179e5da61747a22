"""The formats of a gate."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.formats import Format
from kschedctl.reports.gate.model import Gate
from kschedctl.reports.render.lazy import Renderers, renderers

RENDERERS: Final[Renderers[Gate]] = renderers(
    Gate,
    {
        Format.TABLE: "kschedctl.reports.render.gate_table:table_text",
        Format.MARKDOWN: "kschedctl.reports.render.gate_markdown:markdown_text",
        Format.JUNIT: "kschedctl.reports.gate.junit:junit_text",
        Format.SARIF: "kschedctl.reports.gate.sarif:sarif_text",
        Format.GITHUB: "kschedctl.reports.gate.github:github_text",
    },
)
