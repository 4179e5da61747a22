"""The formats of a report on agreement."""

from __future__ import annotations

from typing import Final

from kschedctl.conformance.model import ConformanceReport
from kschedctl.reports.formats import Format
from kschedctl.reports.render.lazy import Renderers, renderers

RENDERERS: Final[Renderers[ConformanceReport]] = renderers(
    ConformanceReport, {Format.TABLE: "kschedctl.conformance.table:table_text"}
)
