"""Rewriting objects: every struct inside an object whose type has a rule goes through it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from kschedctl.sources.redaction.harmless import opaque_fields
from kschedctl.sources.redaction.names import Names

_S = TypeVar("_S", bound=msgspec.Struct)


class Scope(Struct, frozen=True):
    """Where names stand: how they are replaced, and the namespace of the object, "" if it has none."""

    names: Names
    namespace: str


Rule = Callable[[Any, Scope], Any]
"""Returns a struct with the names of its own fields replaced; the structs in it have been rewritten."""


def rewrite(value: _S, scope: Scope, rules: dict[type, Rule]) -> _S:
    """Return the struct with the rules applied from the inside out."""
    changes: dict[str, Any] = {
        name: _opaque(getattr(value, name), scope) for name in opaque_fields(type(value))
    }
    for name in _nested(type(value)):
        child = getattr(value, name)
        if isinstance(child, tuple):
            changes[name] = tuple(rewrite(member, scope, rules) for member in child)
        elif isinstance(child, dict):
            changes[name] = {key: rewrite(member, scope, rules) for key, member in child.items()}
        elif child is not None:
            changes[name] = rewrite(child, scope, rules)
    if changes:
        value = replace(value, **changes)
    rule = rules.get(type(value))
    return cast(_S, rule(value, scope)) if rule else value


def _opaque(value: Any, scope: Scope) -> Any:
    """A text, or what holds some, with replacements; generic data is left out."""
    match value:
        case str():
            return scope.names.text(value)
        case tuple():
            return tuple(_opaque(member, scope) for member in value)
        case dict():
            return {key: _opaque(member, scope) for key, member in value.items() if isinstance(member, str)}
        case _:
            return value


@cache
def _nested(type_: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields that hold structs or tuples of structs."""
    info = inspect.type_info(type_)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return tuple(field.name for field in fields if _holds_struct(field.type))


def _holds_struct(type_: inspect.Type) -> bool:
    match type_:
        case inspect.StructType():
            return True
        case inspect.VarTupleType():
            return _holds_struct(type_.item_type)
        case inspect.DictType():
            return _holds_struct(type_.value_type)
        case inspect.UnionType():
            return any(map(_holds_struct, type_.types))
        case _:
            return False
