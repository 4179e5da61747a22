"""Decoding of generic data into typed objects, as Go decodes JSON, with every mismatch in plain words.

msgspec decodes well-shaped data; this is the slow path for the rest. It names *all* mismatches of an object,
and it treats `null` as Go does: a field is absent, an entry of a map or a list has the zero value.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct, inspect

from kschedctl.sources.lines import FieldPath

_T = TypeVar("_T")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_LONGEST_QUOTE = 40


class Mismatch(Struct, frozen=True):
    """A field whose value has the wrong shape."""

    path: FieldPath
    message: str


class ShapeError(Exception):
    """Data does not have the shape of the type it should be decoded to."""

    def __init__(self, mismatches: list[Mismatch]) -> None:
        super().__init__(mismatches[0].message)
        self.mismatches = mismatches


def decode(data: Any, type_: type[_T]) -> _T:
    """Decode generic data into a typed object.

    Raises:
        ShapeError: with every mismatch, in the order of the fields.
    """
    try:
        return msgspec.convert(data, type_)
    except msgspec.ValidationError:
        return decode_slowly(data, type_)


def decode_slowly(data: Any, type_: type[_T]) -> _T:
    """Decode data that msgspec has refused: drop nulls, or say everything that is wrong.

    Raises:
        ShapeError: with every mismatch, in the order of the fields.
    """
    mismatches: list[Mismatch] = []
    info = _type_info(cast(Hashable, type_))
    cleaned = _Conformer(mismatches).value(data, info, ())
    if mismatches:
        raise ShapeError(mismatches)
    try:
        return msgspec.convert(cleaned, type_)
    except msgspec.ValidationError as error:
        raise ShapeError([Mismatch((), str(error))]) from None


@cache
def _type_info(type_: Hashable) -> inspect.Type:
    return inspect.type_info(type_)


class _Conformer:
    """Walks data and type side by side; returns the data without nulls."""

    def __init__(self, mismatches: list[Mismatch]) -> None:
        self._mismatches = mismatches

    def value(self, value: Any, type_: inspect.Type, path: FieldPath) -> Any:
        match type_:
            case inspect.StructType():
                return self._struct(value, type_, path)
            case inspect.DictType():
                return self._dict(value, type_, path)
            case inspect.VarTupleType() | inspect.ListType():
                return self._list(value, type_, path)
            case inspect.UnionType():
                return self._union(value, type_, path)
            case inspect.StrType() | inspect.IntType() | inspect.BoolType() | inspect.FloatType():
                return self._scalar(value, (type_,), path)
            case _:
                return value

    def _struct(self, value: Any, type_: inspect.StructType, path: FieldPath) -> Any:
        if not isinstance(value, Mapping):
            return self._mismatch(path, f"expected a mapping, got {describe(value)}")
        return {
            field.encode_name: self.value(value[field.encode_name], field.type, (*path, field.encode_name))
            for field in type_.fields
            if value.get(field.encode_name) is not None
        }

    def _dict(self, value: Any, type_: inspect.DictType, path: FieldPath) -> Any:
        if not isinstance(value, Mapping):
            return self._mismatch(path, f"expected a mapping, got {describe(value)}")
        return {key: self._entry(item, type_.value_type, (*path, key)) for key, item in value.items()}

    def _list(self, value: Any, type_: inspect.VarTupleType | inspect.ListType, path: FieldPath) -> Any:
        if not isinstance(value, list):
            help_ = '; start each item with "- "' if isinstance(value, Mapping) else ""
            return self._mismatch(path, f"expected a list, got {describe(value)}{help_}")
        return [self._entry(item, type_.item_type, (*path, i)) for i, item in enumerate(value)]

    def _entry(self, value: Any, type_: inspect.Type, path: FieldPath) -> Any:
        return _zero(type_) if value is None else self.value(value, type_, path)

    def _union(self, value: Any, type_: inspect.UnionType, path: FieldPath) -> Any:
        options = tuple(t for t in type_.types if not isinstance(t, inspect.NoneType))
        if len(options) == 1:
            return self.value(value, options[0], path)
        return self._scalar(value, options, path)

    def _scalar(self, value: Any, options: tuple[inspect.Type, ...], path: FieldPath) -> Any:
        option = next((t for t in options if _accepts(t, value)), None)
        if option is None:
            found = f"got {describe(value)}{_mend(options, value)}"
            return self._mismatch(path, f"expected {_expected(options)}, {found}")
        if isinstance(option, inspect.IntType) and (out := _out_of_range(option, value)):
            if _is_quantity(options):
                return str(Decimal(value))
            return self._mismatch(path, f"{value} is out of range: {out}")
        return value

    def _mismatch(self, path: FieldPath, message: str) -> None:
        self._mismatches.append(Mismatch(path, message))


def describe(value: Any) -> str:
    """Return a JSON value in words, short enough for a line."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            shown = value if len(value) <= _LONGEST_QUOTE else value[:_LONGEST_QUOTE] + "…"
            return f'the string "{shown}"'
        case Mapping():
            return "a mapping"
        case _:
            return "a list"


def _accepts(type_: inspect.Type, value: Any) -> bool:
    match type_:
        case inspect.StrType():
            return isinstance(value, str) and (not type_.pattern or bool(re.search(type_.pattern, value)))
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.IntType():
            return isinstance(value, int) and not isinstance(value, bool)
        case inspect.FloatType():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return False


def _expected(options: tuple[inspect.Type, ...]) -> str:
    kinds = {type(option) for option in options}
    if _is_quantity(options):
        return "a quantity such as 4, 500m or 2Gi"
    if inspect.StrType in kinds:
        return "a whole number or a percentage such as 25%" if inspect.IntType in kinds else "a string"
    if inspect.BoolType in kinds:
        return "true or false"
    return "a number" if inspect.FloatType in kinds else "a whole number"


def _is_quantity(options: tuple[inspect.Type, ...]) -> bool:
    return {inspect.StrType, inspect.FloatType} <= {type(option) for option in options}


def _mend(options: tuple[inspect.Type, ...], value: Any) -> str:
    """What to do about a scalar that only has the wrong quotes."""
    if isinstance(options[0], inspect.StrType) and len(options) == 1:
        return "; put quotes around it" if isinstance(value, bool | int | float) else ""
    if not isinstance(value, str):
        return ""
    if isinstance(options[0], inspect.BoolType):
        unquoted = value in ("true", "false")
    else:
        unquoted = _WHOLE_NUMBER.fullmatch(value) is not None
    return "; write it without quotes" if unquoted else ""


def _out_of_range(type_: inspect.IntType, value: int) -> str:
    if type_.ge is not None and value < type_.ge:
        return f"at least {type_.ge}"
    if type_.le is not None and value > type_.le:
        return f"at most {type_.le}"
    return ""


def _zero(type_: inspect.Type) -> Any:
    """What Go leaves in an entry of a map or a list that is null."""
    match type_:
        case inspect.StrType():
            return ""
        case inspect.IntType() | inspect.FloatType():
            return 0
        case inspect.BoolType():
            return False
        case inspect.UnionType():  # a quantity or an IntOrString
            return 0
        case inspect.VarTupleType() | inspect.ListType():
            return []
        case inspect.StructType() | inspect.DictType():
            return {}
        case _:
            return None
