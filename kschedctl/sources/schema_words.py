"""What is wrong with a file that has a schema, in words: the field, what belongs there, what is there, what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from kschedctl.objects.phrases import either
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.shape import describe

if TYPE_CHECKING:
    from jsonschema import ValidationError

Schema = Mapping[str, Any]
_SIMILAR = 0.6
_EVERYDAY = {
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "string": "a string",
    "number": "a number",
}


def violations(schema: Schema, data: object) -> Iterator[ValidationError]:
    """What breaks a schema; a whole number is written without a point, and no number is without end."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    def is_whole(_: object, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    def is_number(_: object, value: object) -> bool:
        return is_whole(_, value) or (isinstance(value, float) and math.isfinite(value))

    types = Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": is_whole, "number": is_number})
    strict: Any = extend(Draft202012Validator, type_checker=types)  # type: ignore[no-untyped-call]
    yield from strict(schema).iter_errors(data)


class SchemaWords:
    """Words for violations of a schema.

    Args:
        schema: the whole schema, in which references are looked up.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def problems(self, error: ValidationError) -> Iterator[tuple[FieldPath, str]]:
        """The fields that a violation is about, and what is wrong with each."""
        if inner := _inside(error):
            for other in inner:
                yield from self.problems(other)
            return
        path = tuple(error.absolute_path)
        schema, value = _violated(error)
        match error.validator:
            case "additionalProperties":
                for name in sorted(set(value) - set(schema["properties"])):
                    yield (*path, name), f"unknown field; {_meant(name, list(schema['properties']))}"
            case "required":
                # One violation a field: which one it is stands in its text only.
                for name in schema["required"]:
                    if error.message.startswith(repr(name)):
                        yield (*path, name), f"missing; expected {self.wanted(schema['properties'][name])}"
            case "maxProperties":
                several = " and ".join(value)
                yield path, f'expected one field, got {several}; start each with "- "'
            case _:
                yield path, f"expected {self.wanted(schema)}, got {_told(value)}{_mend(error)}"

    def wanted(self, schema: Schema) -> str:
        """What a part of the schema accepts."""
        return either(list(self._alternatives(schema)))

    def _alternatives(self, schema: Schema) -> Iterator[str]:
        schema = self._resolved(schema)
        kind = schema.get("type", "")
        if "anyOf" in schema:
            for option in schema["anyOf"]:
                yield from self._alternatives(option)
        elif "const" in schema:
            yield "true (or leave it out)" if schema["const"] is True else schema["const"]
        elif "enum" in schema:
            yield from schema["enum"]
        elif kind == "integer":
            yield _whole_number(schema)
        elif kind == "array":
            example = self._resolved(schema["items"]).get("examples")
            yield f"a list such as [{example[0]}]" if example else "a list"
        elif "examples" in schema:
            yield f"{_EVERYDAY[kind]} such as {either(schema['examples'])}"
        elif kind == "number" and "maximum" in schema:
            yield f"a number from {schema.get('minimum', 0)} to {schema['maximum']}"
        else:
            yield _EVERYDAY[kind] + _one_of_its_fields(schema)

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        return schema if reference is None else self._schema["$defs"][reference.rpartition("/")[2]]


def _violated(error: ValidationError) -> tuple[Schema, Any]:
    """The part of the schema that is violated, and by which value."""
    schema: Any = error.schema
    return schema, error.instance


def _inside(error: ValidationError) -> list[ValidationError]:
    """Of alternatives what is wrong with the one that a list or a mapping is meant to be; nothing of a scalar."""
    if not error.context or not isinstance(error.instance, list | Mapping):
        return []
    of_another_type = ("type", "enum", "const")
    return [other for other in error.context if other.relative_path or other.validator not in of_another_type]


def _meant(name: str, known: Sequence[str]) -> str:
    similar = get_close_matches(str(name), known, n=1, cutoff=_SIMILAR)
    return f'did you mean "{similar[0]}"?' if similar else f"expected {either(known)}"


def _whole_number(schema: Schema) -> str:
    least, most = schema.get("minimum", 0), schema.get("maximum")
    return f"a whole number, {least} or more" if most is None else f"a whole number from {least} to {most}"


def _one_of_its_fields(schema: Schema) -> str:
    """The fields of which a mapping has to have one, beside those that it needs in any case."""
    needed = schema.get("required", ())
    free = [name for name in schema.get("properties", ()) if name not in needed]
    if schema.get("minProperties", 0) <= len(needed) or not free:
        return ""
    return f" with {either(free)}"


def _told(value: object) -> str:
    if isinstance(value, Mapping | list) and not value:
        return "an empty one"
    fields = f" with {' and '.join(map(str, value))}" if isinstance(value, Mapping) else ""
    return describe(value) + fields


def _mend(error: ValidationError) -> str:
    """What to do about a scalar that only has the wrong quotes."""
    schema, value = _violated(error)
    if schema.get("type") == "integer" and isinstance(value, str) and value.isdecimal():
        return "; write it without quotes"
    text = isinstance(value, int | float) and not isinstance(value, bool) and schema.get("type") == "string"
    return "; put quotes around it" if text and re.search(schema.get("pattern", ""), str(value)) else ""
