"""The formats of reports about snapshots; each renderer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from kschedctl.reports.formats import Format, Look

Renderer = Callable[[Sequence[Any], Look], str]


def _info_table() -> Renderer:
    from kschedctl.reports.render.snapshot_table import info_text

    return info_text


def _diff_table() -> Renderer:
    from kschedctl.reports.render.snapshot_table import diff_text

    return diff_text


def _json() -> Renderer:
    from kschedctl.reports.render.structured import json_text

    return json_text


def _yaml() -> Renderer:
    from kschedctl.reports.render.structured import yaml_text

    return yaml_text


INFO_RENDERERS: Final[Mapping[Format, Callable[[], Renderer]]] = MappingProxyType(
    {Format.TABLE: _info_table, Format.JSON: _json, Format.YAML: _yaml}
)
DIFF_RENDERERS: Final[Mapping[Format, Callable[[], Renderer]]] = MappingProxyType(
    {Format.TABLE: _diff_table, Format.JSON: _json, Format.YAML: _yaml}
)
