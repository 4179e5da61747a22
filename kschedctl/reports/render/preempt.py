"""The formats of a preemption."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.formats import Format
from kschedctl.reports.preempt import Preemption
from kschedctl.reports.render.lazy import Renderers, renderers

RENDERERS: Final[Renderers[Preemption]] = renderers(
    Preemption,
    {
        Format.TABLE: "kschedctl.reports.render.preempt_table:table_text",
        Format.WIDE: "kschedctl.reports.render.preempt_table:wide_text",
        Format.NAME: "kschedctl.reports.render.preempt_name:name_text",
        Format.MARKDOWN: "kschedctl.reports.render.preempt_markdown:markdown_text",
    },
)
