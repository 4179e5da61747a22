"""A template of pods that a custom resource holds, and the ReplicaSet that stands for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from kschedctl.objects.meta import TopLevel
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.untyped import part_of

HELD_AT: Final = "kschedctl.dev/template-at"
"""Annotation of a ReplicaSet that stands for a template of a custom resource: where the template is there."""
MADE_OF: Final = "kschedctl.dev/template-made-of"
"""The same of a template that is put together from other fields: what these are in."""


class HeldTemplate(Struct, frozen=True):
    """A template of pods that a custom resource holds.

    Attributes:
        data: the template.
        path: where it stands in the object.
        replicas: how many pods.
        name: what they are called beside the object.
        made: whether it is put together from other fields, so that nobody can change it there.
    """

    data: Mapping[str, Any]
    path: FieldPath
    replicas: int
    name: str
    made: bool = False

    def replica_set(self, owner: Mapping[str, Any]) -> dict[str, Any]:
        """The ReplicaSet that stands for it; `owner` has a metadata."""
        metadata = owner["metadata"]
        name = metadata.get("name") or str(metadata.get("generateName") or "").rstrip("-")
        reference = {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": name,
            "controller": True,
        }
        own = f"{name}-{self.name or str(owner['kind']).lower()}" if name else ""
        return {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": own,
                "namespace": metadata.get("namespace"),
                "annotations": {MADE_OF if self.made else HELD_AT: json.dumps(self.path)},
                "ownerReferences": [reference],
            },
            "spec": {
                "replicas": self.replicas,
                "selector": {"matchLabels": part_of(self.data, "metadata").get("labels")},
                "template": {key: self.data[key] for key in ("metadata", "spec") if key in self.data},
            },
        }


class BadValueError(Exception):
    """Something in a custom resource is not what it should be.

    Attributes:
        path: where it stands.
    """

    def __init__(self, path: FieldPath, wanted: str, found: object) -> None:
        super().__init__(f"expected {wanted}, got {found!r}")
        self.path = path


def pods_counted(value: object, path: FieldPath) -> int:
    """A number of pods, which may be written as text; 1 where nothing is written.

    Raises:
        BadValueError: it is none.
    """
    if value is None:
        return 1
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise BadValueError(path, "a number of pods", value)


def held_at(obj: TopLevel) -> FieldPath | None:
    """Where a custom resource holds the template that an object stands for; None: it stands for none."""
    annotations = obj.metadata.annotations
    text = annotations.get(HELD_AT) or annotations.get(MADE_OF)
    return None if text is None else tuple(json.loads(text))


def is_made(obj: TopLevel) -> bool:
    """Whether that template is put together from other fields."""
    return MADE_OF in obj.metadata.annotations
