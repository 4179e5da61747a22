"""The formats of a report on agreement."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.formats import Format
from kschedctl.reports.render.lazy import Renderers, renderers

from .model import ConformanceReport

RENDERERS: Final[Renderers[ConformanceReport]] = renderers(
    ConformanceReport, {Format.TABLE: "kschedctl.conformance.table:table_text"}
)
