"""The list of unread fields is whole: what the Kubernetes client knows, and we do not read, is in it."""

import re
from collections.abc import Iterator

import kubernetes.client
import pytest
from msgspec import inspect

from kschedctl.objects.kinds import KINDS, Kind
from kschedctl.objects.unread_fields import UNREAD

LIST = re.compile(r"list\[(\w+)\]", re.IGNORECASE)


def models_of(kind: Kind) -> list[str]:
    """The names of the client's models of a kind, one for each of its versions that the client has."""
    names = [version.replace("v", "V", 1) + kind.kind for version in kind.versions]
    return [name for name in names if hasattr(kubernetes.client, name)]


def struct_in(type_: inspect.Type) -> inspect.StructType | None:
    """The struct in a field: itself, optional, or in a list."""
    match type_:
        case inspect.StructType():
            return type_
        case inspect.VarTupleType():
            return struct_in(type_.item_type)
        case inspect.UnionType():
            found = [struct for option in type_.types if (struct := struct_in(option))]
            return found[0] if found else None
    return None


def pairs(struct: inspect.StructType, model: str, seen: set) -> Iterator[tuple[inspect.StructType, str]]:
    """Our type and the client's model, and those of all fields that both have; status is not looked at."""
    if (struct.cls, model) in seen:
        return
    seen.add((struct.cls, model))
    yield struct, model
    client = getattr(kubernetes.client, model)
    python_names = {name: python for python, name in client.attribute_map.items()}
    for field in struct.fields:
        inner = struct_in(field.type)
        if inner is None or field.encode_name == "status" or field.encode_name not in python_names:
            continue
        declared = client.openapi_types[python_names[field.encode_name]]
        match = LIST.fullmatch(declared)
        inside = match[1] if match else declared
        if inside != "object":  # a message without fields
            yield from pairs(inner, inside, seen)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_every_field_of_the_client_is_known(kind):
    """Where this fails after an update of the client: add the new names to the list."""
    missing = [
        (struct.cls.__name__, name)
        for model in models_of(kind)
        for struct, model in pairs(inspect.type_info(kind.type), model, set())
        for name in getattr(kubernetes.client, model).attribute_map.values()
        if name != "status"
        and name not in {field.encode_name for field in struct.fields}
        and name not in UNREAD.get(struct.cls, ())
    ]
    assert missing == []


def test_the_models_are_found():
    assert all(models_of(kind) for kind in KINDS)
    found = {
        struct.cls
        for k in KINDS
        for m in models_of(k)
        for struct, _ in pairs(inspect.type_info(k.type), m, set())
    }
    assert set(UNREAD) <= found


@pytest.mark.parametrize("type_", UNREAD, ids=lambda type_: type_.__name__)
def test_no_field_that_is_read_is_listed(type_):
    read = {field.encode_name for field in inspect.type_info(type_).fields}
    assert not read & UNREAD[type_]
