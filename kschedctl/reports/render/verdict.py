"""The formats of a verdict on a configuration."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.config.model import ConfigurationVerdict
from kschedctl.reports.formats import Format
from kschedctl.reports.render.lazy import Renderers, renderers

RENDERERS: Final[Renderers[ConfigurationVerdict]] = renderers(
    ConfigurationVerdict, {Format.TABLE: "kschedctl.reports.render.verdict_table:table_text"}
)
