"""The formats of a drain; each renderer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.reports.drain import Drain
from kschedctl.reports.formats import Format, Look

Renderer = Callable[[Sequence[Drain], Look], str]


def _table() -> Renderer:
    from kschedctl.reports.render.drain_table import table_text

    return table_text


def _wide() -> Renderer:
    from kschedctl.reports.render.drain_table import wide_text

    return wide_text


def _json() -> Renderer:
    from kschedctl.reports.render.structured import json_text

    return json_text


def _yaml() -> Renderer:
    from kschedctl.reports.render.structured import yaml_text

    return yaml_text


def _name() -> Renderer:
    return _names


def _names(reports: Sequence[Drain], look: Look) -> str:
    """A line a pod that moves: its name and its new node."""
    return "\n".join(
        f"{pod.full_name} {pod.placed_on or '<none>'}" for report in reports for pod in report.evicted
    )


def _markdown() -> Renderer:
    from kschedctl.reports.render.drain_markdown import markdown_text

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
