"""Files of ours (scenarios, sweeps, catalogues, templates of pods): each kind has a JSON Schema in its package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from kschedctl.errors import InputError
from kschedctl.sources.document import Document
from kschedctl.sources.schema_words import Schema, SchemaWords, violations


def packaged_schema(package: str, name: str) -> dict[str, Any]:
    """A JSON Schema that a package holds."""
    schema: dict[str, Any] = json.loads(files(package).joinpath(name).read_text())
    return schema


def kind_of(document: Document) -> str | None:
    """The kind that a document states."""
    kind = document.data.get("kind") if isinstance(document.data, dict) else None
    return kind if kind is None else str(kind)


def problems_of(document: Document, kind: str, schema: Schema, hint: str) -> Iterator[InputError]:
    """What is wrong with a document that should be of a kind, each at its line.

    Args:
        document: as it was read.
        kind: `Scenario`.
        schema: of the kind.
        hint: how such a document begins.
    """
    found = kind_of(document)
    if found != kind:
        stated = f"is a {found}, and" if found else "has no kind, and is"
        article = "" if kind.endswith("s") else "a "
        yield InputError(f"{stated} not {article}{kind}", place=document.place(), hint=hint)
        return
    words = SchemaWords(schema)
    for violation in violations(schema, document.data):
        for path, message in words.problems(violation):
            yield InputError(message, place=document.place(*path))
