"""Attributes that requests compute of devices by CEL: which types there may be, and the values (spec 06 §5.5)."""

from __future__ import annotations

from typing import Any

from kschedctl.dra.cel_text import runtime_problem
from kschedctl.dra.problem import CelProblem
from kschedctl.objects.resource import DeviceAttribute

_VERSION = "bytes"
_SCALARS = frozenset({"bool", "int", "string", "dyn", _VERSION})
_FIELDS = {
    "bool": ("bool_value", "bool_values"),
    "int": ("int_value", "int_values"),
    "string": ("string_value", "string_values"),
    "semver": ("version_value", "version_values"),
}
_GO = {"double": "float64", "uint": "uint64", "null": "structpb.NullValue"}


def derived_type_problem(kind: str) -> str:
    """Why no attribute can have the type of an expression, empty where one can."""
    inner = kind.removeprefix("list<").removesuffix(">") if kind.startswith("list<") else kind
    if kind in _SCALARS or inner in _SCALARS:
        return ""
    allowed = "a primitive scalar (string, integer, boolean, semver) or a list of these scalars"
    return f"must evaluate to {allowed}, not {kind.replace('<', '(').replace('>', ')')}"


def as_attribute(result: Any) -> DeviceAttribute | CelProblem:
    """The attribute that a result stands for."""
    kind = _kind(result)
    if kind == "error":
        return CelProblem("runtime", runtime_problem(str(result.value())))
    if kind in _FIELDS:
        return DeviceAttribute(**{_FIELDS[kind][0]: _plain(result, kind)})
    if kind != "list":
        return CelProblem("runtime", f"unsupported CEL return type: {_GO.get(kind, kind)}")
    items = list(result.value())
    if not items:
        return DeviceAttribute(string_values=())
    first = _kind(items[0])
    if first not in _FIELDS:
        return CelProblem("runtime", f"unsupported list element type: {_GO.get(first, first)}")
    odd = next(((i, _kind(item)) for i, item in enumerate(items) if _kind(item) != first), None)
    if odd is not None:
        wanted = f"expected list element at index {odd[0]} to be {'int64' if first == 'int' else first}"
        return CelProblem("runtime", f"{wanted}, got {_GO.get(odd[1], odd[1])}")
    values: Any = tuple(_plain(item, first) for item in items)
    return DeviceAttribute(**{_FIELDS[first][1]: values})


def _kind(value: Any) -> str:
    """`bool`, `int`, `string`, `semver`, `list`, or the name of another type."""
    kind = str(value.type().name().lower().partition("<")[0])
    return "semver" if kind == _VERSION else kind


def _plain(value: Any, kind: str) -> Any:
    return bytes(value.value()).decode() if kind == "semver" else value.value()
