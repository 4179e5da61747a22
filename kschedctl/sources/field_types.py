"""What the fields of a struct hold, told level by level: a load needs few of all the types there are."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields


class Nesting(Enum):
    """What is around the members of a field."""

    LIST = auto()
    MAP = auto()


class FieldType(Struct, frozen=True):
    """A field of a struct.

    Attributes:
        name: its attribute.
        encode_name: its name on the wire.
        optional: whether it can be None.
        container: what is around its members, None where it holds a single value.
        member: the type of the value, or of the values in the container; what is optional there is not told.
    """

    name: str
    encode_name: str
    optional: bool
    container: Nesting | None
    member: Any

    @property
    def struct(self) -> type[Struct] | None:
        """The type of the member where it is a struct."""
        return self.member if isinstance(self.member, type) and issubclass(self.member, Struct) else None


def field_types(type_: type[Struct]) -> Iterator[FieldType]:
    """The fields of a struct, in order."""
    for field in fields(type_):
        optional, inside = _without_null(field.type)
        container = None
        if (origin := get_origin(inside)) in (tuple, list):
            container, inside = Nesting.LIST, _without_null(get_args(inside)[0])[1]
        elif origin is dict:
            container, inside = Nesting.MAP, _without_null(get_args(inside)[1])[1]
        yield FieldType(field.name, field.encode_name, optional, container, inside)


def _without_null(type_: Any) -> tuple[bool, Any]:
    """Whether a type allows None, and what else it allows."""
    if get_origin(type_) not in (Union, UnionType):
        return False, type_
    options = tuple(option for option in get_args(type_) if option is not type(None))
    return len(options) < len(get_args(type_)), reduce(or_, options)
