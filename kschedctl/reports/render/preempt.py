"""The formats of a preemption."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.formats import Format
from kschedctl.reports.preempt.model import Preemption
from kschedctl.reports.render.lazy import Streams, streams

RENDERERS: Final[Streams[Preemption]] = streams(
    Preemption,
    {
        Format.TABLE: "kschedctl.reports.render.preempt_table:table_pieces",
        Format.WIDE: "kschedctl.reports.render.preempt_table:wide_pieces",
        Format.JSON: "kschedctl.reports.render.structured:json_pieces",
        Format.YAML: "kschedctl.reports.render.structured:yaml_pieces",
        Format.NAME: "kschedctl.reports.render.preempt_name:name_pieces",
        Format.MARKDOWN: "kschedctl.reports.render.preempt_markdown:markdown_pieces",
    },
)
