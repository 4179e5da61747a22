"""Parts of documents of which nothing is known yet: anything may stand anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from kschedctl.sources.lines import FieldPath

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def value_at(data: Any, path: FieldPath) -> Any:
    """What stands at a path of mappings; None where there is none."""
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


def part_of(data: Mapping[str, Any], *path: str | int) -> Mapping[str, Any]:
    """The mapping at a path; empty where there is none, or it is something else."""
    found = value_at(data, path)
    return found if isinstance(found, Mapping) else _NOTHING
