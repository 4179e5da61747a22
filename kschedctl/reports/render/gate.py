"""The formats of a gate; each renderer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.reports.formats import Format, Look
from kschedctl.reports.gate import Gate

Renderer = Callable[[Sequence[Gate], Look], str]


def _table() -> Renderer:
    from kschedctl.reports.render.gate_table import table_text

    return table_text


def _json() -> Renderer:
    from kschedctl.reports.render.structured import json_text

    return json_text


def _yaml() -> Renderer:
    from kschedctl.reports.render.structured import yaml_text

    return yaml_text


def _markdown() -> Renderer:
    from kschedctl.reports.render.gate_markdown import markdown_text

    return markdown_text


def _junit() -> Renderer:
    from kschedctl.reports.junit import junit_text

    return junit_text


def _sarif() -> Renderer:
    from kschedctl.reports.sarif import sarif_text

    return sarif_text


def _github() -> Renderer:
    from kschedctl.reports.github import github_text

    return github_text


RENDERERS: Final[Mapping[Format, Callable[[], Renderer]]] = MappingProxyType(
    {
        Format.TABLE: _table,
        Format.JSON: _json,
        Format.YAML: _yaml,
        Format.MARKDOWN: _markdown,
        Format.JUNIT: _junit,
        Format.SARIF: _sarif,
        Format.GITHUB: _github,
    }
)
