"""The formats of an explanation."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.explanation import Explanation
from kschedctl.reports.formats import Format
from kschedctl.reports.render.lazy import Renderers, renderers

RENDERERS: Final[Renderers[Explanation]] = renderers(
    Explanation,
    {
        Format.TABLE: "kschedctl.reports.render.explanation_table:table_text",
        Format.WIDE: "kschedctl.reports.render.explanation_wide:wide_text",
        Format.NAME: "kschedctl.reports.render.explanation_name:name_text",
        Format.MARKDOWN: "kschedctl.reports.render.explanation_markdown:markdown_text",
    },
)
