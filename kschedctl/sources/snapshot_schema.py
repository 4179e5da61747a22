"""The JSON Schema of a snapshot, made from the types that read it."""

from __future__ import annotations

from typing import Any

import msgspec

from kschedctl.objects.kinds import KINDS
from kschedctl.objects.pod import Pod
from kschedctl.sources.snapshot import API_VERSION, KIND, Header, PodRow

_REF = "#/$defs/{name}"


def snapshot_schema() -> dict[str, Any]:
    """Return the schema; `snapshot.schema.json` in the package is this, written out."""
    kinds = [kind for kind in KINDS if kind.type is not Pod]
    types = [Header, PodRow, Pod, *(kind.type for kind in kinds)]
    (_, row, pod, *others), components = msgspec.json.schema_components(
        types, ref_template=_REF, schema_hook=_anything
    )
    head = components.pop("Header")["properties"]
    head["apiVersion"], head["kind"] = {"const": API_VERSION}, {"const": KIND}
    items = [
        {
            "properties": {"apiVersion": {"enum": list(kind.api_versions)}, "kind": {"const": kind.kind}},
            "required": ["apiVersion", "kind"],
            **reference,
        }
        for kind, reference in zip(kinds, others, strict=True)
    ]
    lists = {
        "podTemplates": {"type": "array", "items": pod},
        "pods": {"type": "array", "items": row},
        "items": {"type": "array", "items": {"anyOf": items}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": KIND,
        "description": "The objects of a cluster, cut down to what scheduling reads.",
        "type": "object",
        "properties": head | lists,
        "required": ["apiVersion", "kind"],
        "$defs": components,
    }


def _anything(type_: type) -> dict[str, Any]:
    """Generic data, such as the claim template of an ephemeral volume."""
    if type_ is object:
        return {"description": "Any value."}
    raise NotImplementedError
