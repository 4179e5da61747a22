"""The formats of an explanation."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.formats import Format
from kschedctl.reports.render.lazy import Streams, streams

RENDERERS: Final[Streams[Explanation]] = streams(
    Explanation,
    {
        Format.TABLE: "kschedctl.reports.render.explanation_table:table_pieces",
        Format.WIDE: "kschedctl.reports.render.explanation_wide:wide_pieces",
        Format.JSON: "kschedctl.reports.render.explanation_structured:json_pieces",
        Format.YAML: "kschedctl.reports.render.explanation_structured:yaml_pieces",
        Format.NAME: "kschedctl.reports.render.explanation_name:name_pieces",
        Format.MARKDOWN: "kschedctl.reports.render.explanation_markdown:markdown_pieces",
    },
)
