"""The formats of a preemption; each renderer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.reports.formats import Format, Look
from kschedctl.reports.preempt import Preemption

Renderer = Callable[[Sequence[Preemption], Look], str]


def _table() -> Renderer:
    from kschedctl.reports.render.preempt_table import table_text

    return table_text


def _wide() -> Renderer:
    from kschedctl.reports.render.preempt_table import wide_text

    return wide_text


def _json() -> Renderer:
    from kschedctl.reports.render.structured import json_text

    return json_text


def _yaml() -> Renderer:
    from kschedctl.reports.render.structured import yaml_text

    return yaml_text


def _name() -> Renderer:
    from kschedctl.reports.render.preempt_name import name_text

    return name_text


def _markdown() -> Renderer:
    from kschedctl.reports.render.preempt_markdown import markdown_text

    return markdown_text


RENDERERS: Final[Mapping[Format, Callable[[], Renderer]]] = MappingProxyType(
    {
        Format.TABLE: _table,
        Format.WIDE: _wide,
        Format.JSON: _json,
        Format.YAML: _yaml,
        Format.NAME: _name,
        Format.MARKDOWN: _markdown,
    }
)
