"""Texts of field errors, as the API machinery words them; the field's path stands before them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kschedctl.objects.go import quote

_GO_JSON = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})
"""What Go's JSON escapes and others do not."""


def invalid_value(value: object, detail: str) -> str:
    """`Invalid value`: strings are quoted, lists and objects are JSON, an absent list is `null`."""
    if isinstance(value, str):
        shown = quote(value)
    elif value == ():
        shown = "null"
    else:
        shown = _in_json(value)
    return f"Invalid value: {shown}: {detail}"


def invalid_pointer(value: str, detail: str) -> str:
    """`Invalid value` of a text that the API server keeps behind a pointer: it is JSON too."""
    return f"Invalid value: {_in_json(value)}: {detail}"


def _in_json(value: object) -> str:
    return msgspec.json.encode(value).decode().translate(_GO_JSON)


def unsupported_value(value: str, supported: Sequence[str]) -> str:
    """`Unsupported value`, with the values that are supported in the order given."""
    return f"Unsupported value: {quote(value)}: supported values: {', '.join(map(quote, supported))}"


def required_value(detail: str = "") -> str:
    """`Required value`."""
    return f"Required value: {detail}" if detail else "Required value"


def forbidden(detail: str) -> str:
    """`Forbidden`."""
    return f"Forbidden: {detail}"


def duplicate_value(value: str) -> str:
    """`Duplicate value`."""
    return f"Duplicate value: {quote(value)}"


def not_found(value: str, detail: str = "") -> str:
    """`Not found`."""
    return f"Not found: {quote(value)}: {detail}" if detail else f"Not found: {quote(value)}"


def too_long(limit: int) -> str:
    """`Too long`, in bytes; the value is not shown."""
    return f"Too long: may not be more than {limit} bytes"


def too_many(count: int, limit: int) -> str:
    """`Too many` entries of a list."""
    return f"Too many: {count}: must have at most {limit} items"
