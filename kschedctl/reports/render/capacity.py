"""The formats of capacity; each renderer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.reports.capacity import Capacity
from kschedctl.reports.formats import Format, Look

Renderer = Callable[[Sequence[Capacity], Look], str]


def _table() -> Renderer:
    from kschedctl.reports.render.capacity_table import table_text

    return table_text


def _wide() -> Renderer:
    from kschedctl.reports.render.capacity_table import wide_text

    return wide_text


def _json() -> Renderer:
    from kschedctl.reports.render.structured import json_text

    return json_text


def _yaml() -> Renderer:
    from kschedctl.reports.render.structured import yaml_text

    return yaml_text


def _name() -> Renderer:
    return _names


def _names(reports: Sequence[Capacity], look: Look) -> str:
    """A line a node: its name and how many of each kind fit."""
    return "\n".join(
        " ".join([node.name, *map(str, node.fits)]) for report in reports for node in report.nodes
    )


def _markdown() -> Renderer:
    from kschedctl.reports.render.capacity_markdown import markdown_text

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
