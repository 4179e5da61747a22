"""The JSON Schema of a report, made from its types; the files in `schemas/` are what the package ships."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Final

import msgspec

from kschedctl.reports.model import API_VERSION, ReportObject

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema_of(report: type[ReportObject]) -> dict[str, Any]:
    """The schema of what `-o json` prints: one report, or a List of several."""
    (own,), definitions = msgspec.json.schema_components([report], ref_template="#/$defs/{name}")
    for definition in definitions.values():
        definition["required"] = list(definition["properties"])  # every key is always there
    listed = {
        "type": "object",
        "properties": {
            "apiVersion": {"const": API_VERSION},
            "kind": {"const": "List"},
            "items": {"type": "array", "items": own},
        },
        "required": ["apiVersion", "kind", "items"],
    }
    return {
        "$schema": _DIALECT,
        "$id": f"https://{API_VERSION}/{report.__name__.lower()}.schema.json",
        "title": report.__name__,
        "anyOf": [own, listed],
        "$defs": definitions,
    }


def shipped_schema(report: type[ReportObject]) -> dict[str, Any]:
    """The schema as it is in the package."""
    name = f"{report.__name__.lower()}.schema.json"
    text = files("kschedctl.reports").joinpath("schemas", name).read_bytes()
    schema: dict[str, Any] = msgspec.json.decode(text)
    return schema
