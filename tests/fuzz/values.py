"""Values for a field: what it has elsewhere, what its type allows, the extreme, the wrong, the foreign."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import msgspec
from msgspec import inspect

from kschedctl.objects.kinds import BY_GVK, KINDS, Kind
from kschedctl.objects.meta import TopLevel

from .seeds import observed

_DEEPEST = 6

STRINGS = (
    *(
        "",
        " ",
        "a",
        "A",
        "0",
        "-1",
        "x" * 300,
        "n1",
        "a/b/c",
        "a=b",
        "a,b",
        "-",
        ".",
        "..",
        "/",
        "\0",
        "\n",
        "é",
    ),
    *(
        "\u202ea",
        "a\u200bb",
        "\x1b[2J",
        "\x1b]0;t\x07",
        "\ud83d\ude00",
        "@all",
        "|",
        "`",
        "<b>",
        "%s",
        "{}",
        "None",
    ),
    *(
        "In",
        "NotIn",
        "Exists",
        "DoesNotExist",
        "Gt",
        "Lt",
        "Equal",
        "NoSchedule",
        "NoExecute",
        "PreferNoSchedule",
    ),
    *("2024-01-01T00:00:00Z", "yesterday", "2024-01-01", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"),
    *(
        "1.34",
        "v1.37.2",
        "99.99",
        "aws://[",
        "aws://eu/vol-1",
        "1-0",
        "0-999999990",
        "x-",
        "-5",
        "0,1,2",
        "1e3",
        "9" * 5_000,
        "-" + "9" * 5_000,
        "[" * 5_000,
        '[{"key": 5}]',
    ),
    *(
        "kubernetes.io/hostname",
        "topology.kubernetes.io/zone",
        "metadata.name",
        "Always",
        "default-scheduler",
    ),
)
_ANNOTATIONS = (
    "controller.kubernetes.io/pod-deletion-cost",
    "scheduler.alpha.kubernetes.io/tolerations",
    "kubernetes.io/config.mirror",
    "storageclass.kubernetes.io/is-default-class",
    "volume.beta.kubernetes.io/storage-class",
    "storage.alpha.kubernetes.io/migrated-plugins",
)
"""What is read of annotations."""
NUMBERS = (
    0,
    1,
    -1,
    2,
    7,
    100,
    2**31 - 1,
    2**31,
    -(2**31),
    2**53,
    2**63 - 1,
    2**63,
    -(2**63),
    2**64,
    10**20,
    10**30,
)
FLOATS = (0.5, -0.0, 1e-9, 1e18, 1e20, 1e21, 1e300, 5e-324)
QUANTITIES = (
    *(
        "0",
        "1",
        "100m",
        "1n",
        "1Ki",
        "8Ei",
        "9223372036854775807",
        "-1",
        "-8Ei",
        "1e3",
        "1E",
        "1e18",
        "0.5",
        "1.5Gi",
    ),
    *(
        "1e100",
        "1e-100",
        "1" * 400,
        "." + "1" * 400,
        "1Zi",
        "",
        "m",
        "+1",
        "1e2147483647",
        "1e-2147483648",
        "0x1",
    ),
    *(1e20, 10**20, 1.5, 2**63, -1, True),
)
WRONG = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    "",
    "x",
    [],
    {},
    [None],
    [[]],
    {"a": None},
    [{}],
    {"": ""},
    [1, "a", {}],
)
_QUANTITY_FIELDS = frozenset(
    {"requests", "limits", "capacity", "allocatable", "default", "defaultRequest", "overhead"}
)


def any_kind(rng: Random) -> Kind:
    """A kind that scheduling reads."""
    return rng.choice(KINDS)


def hostile(rng: Random, field: str) -> Any:
    """A value of any type for a field, often one that the field could have."""
    kind = rng.random()
    if kind < 0.35 and (values := observed().get(field)):
        return rng.choice(values)
    if kind < 0.45:
        return rng.choice(QUANTITIES)
    if kind < 0.60:
        return rng.choice(STRINGS)
    if kind < 0.75:
        return rng.choice(NUMBERS)
    if kind < 0.80:
        return rng.choice(FLOATS)
    return rng.choice(WRONG)


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes values by type.

    Attributes:
        rng: where chance comes from.
        wild: how often a value is hostile in place of one of its type.
    """

    rng: Random
    wild: float

    def top_level(self, kind: Kind) -> dict[str, Any]:
        """An object of a kind; each of its fields may be absent."""
        made = self._struct(_info(kind.type), 0)
        made["apiVersion"], made["kind"] = self.rng.choice(kind.api_versions), kind.kind
        metadata = made.get("metadata")
        if isinstance(metadata, dict) and self.rng.random() < 0.9:
            metadata["name"] = self.rng.choice(("a", "b", "n1", "n2", "p1", "web-0"))
            metadata["namespace"] = self.rng.choice(("default", "ns"))
        return made

    def changed(self, given: Any) -> Any:
        """A copy of an object with one field of its type set anew, deep inside or not."""
        kind = _kind_of(given) if isinstance(given, dict) else None
        return given if kind is None else self._changed(given, _info(kind.type), "", 0)

    def _changed(self, given: Any, type_: inspect.Type, field: str, depth: int) -> Any:
        rng = self.rng
        if isinstance(type_, inspect.UnionType):
            structs = [one for one in type_.types if not isinstance(one, inspect.NoneType)]
            type_ = structs[0] if len(structs) == 1 else type_
        if isinstance(type_, inspect.StructType) and type_.fields and isinstance(given, dict):
            one = rng.choice(type_.fields)
            if depth == 0 and rng.random() < 0.8:
                one = next((f for f in type_.fields if f.encode_name == "spec"), one)
            inner = given.get(one.encode_name)
            if inner and rng.random() < 0.8:
                value = self._changed(inner, one.type, one.encode_name, depth + 1)
            else:
                value = self.of_type(one.type, one.encode_name, depth + 1)
            return given | {one.encode_name: value}
        if isinstance(type_, inspect.VarTupleType) and isinstance(given, list) and given:
            at = rng.randrange(len(given))
            return [*given[:at], self._changed(given[at], type_.item_type, field, depth), *given[at + 1 :]]
        return self.of_type(type_, field, depth)

    def of_type(self, type_: inspect.Type, field: str, depth: int) -> Any:
        """A value of a type, sometimes one of another."""
        rng = self.rng
        if rng.random() < self.wild:
            return hostile(rng, field)
        if depth > 1 and rng.random() < 0.4 and (values := observed().get(field)):
            return rng.choice(values)
        match type_:
            case inspect.StructType():
                return self._struct(type_, depth)
            case inspect.UnionType():
                return self.of_type(rng.choice(type_.types), field, depth)
            case inspect.VarTupleType() | inspect.ListType():
                count = 0 if depth > _DEEPEST else rng.choice((0, 1, 1, 2, 3))
                return [self.of_type(type_.item_type, field, depth + 1) for _ in range(count)]
            case inspect.DictType():
                keys = [self._key(field) for _ in range(rng.choice((0, 1, 1, 2)))]
                return {key: self.of_type(type_.value_type, key, depth + 1) for key in keys}
            case inspect.BoolType():
                return rng.random() < 0.5
            case inspect.IntType():
                return rng.choice(NUMBERS if rng.random() < 0.2 else (0, 1, 2, 3, 10, 100))
            case inspect.FloatType():
                return rng.choice(FLOATS)
            case inspect.NoneType():
                return None
            case inspect.LiteralType():
                return rng.choice(type_.values)
            case _ if field in _QUANTITY_FIELDS or rng.random() < 0.1:
                return rng.choice(QUANTITIES)
            case _:
                return rng.choice(STRINGS)

    def _struct(self, type_: inspect.StructType, depth: int) -> dict[str, Any]:
        share = 0.9 if depth == 0 else 0.6 if depth < 3 else 0.35
        fields = [one for one in type_.fields if self.rng.random() < share and depth <= _DEEPEST]
        return {one.encode_name: self.of_type(one.type, one.encode_name, depth + 1) for one in fields}

    def _key(self, field: str) -> str:
        if field == "annotations" and self.rng.random() < 0.5:
            return self.rng.choice(_ANNOTATIONS)
        known = [key for value in observed().get(field, ()) if isinstance(value, dict) for key in value]
        return str(self.rng.choice(known if known and self.rng.random() < 0.8 else STRINGS))


def _kind_of(given: dict[str, Any]) -> Kind | None:
    named = given.get("apiVersion"), given.get("kind")
    return BY_GVK.get(named) if all(isinstance(one, str) for one in named) else None


@cache
def _info(type_: type[TopLevel]) -> inspect.StructType:
    info = inspect.type_info(type_)
    assert isinstance(info, inspect.StructType)
    return info


def encoded(documents: list[Any]) -> bytes:
    """The documents as JSON, one after another; numbers that no encoder takes are written as they are."""
    return b"\n".join(map(_json, documents))


def _json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return json.dumps(value).encode()
