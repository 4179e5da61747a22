"""Replies read as Go reads them: keys in any case, the first value of the body, its texts of what is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from kschedctl.extenders.call import CallError
from kschedctl.objects.go import INT64_MAX, INT64_MIN

_JSON: Final = json.JSONDecoder()
_SPACE: Final = " \t\r\n"
_KINDS: Final[Mapping[type, str]] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
}


def first_value(body: bytes) -> Any:
    """The first JSON value of a body; what comes after it is not looked at.

    Raises:
        CallError: there is none.
    """
    text = body.decode(errors="replace").lstrip(_SPACE)
    if not text:
        raise CallError("EOF")
    try:
        return _JSON.raw_decode(text)[0]
    except json.JSONDecodeError as error:
        at = error.pos + len(text[error.pos :]) - len(text[error.pos :].lstrip(_SPACE))
        if at >= len(text) or error.msg.startswith("Unterminated"):
            raise CallError("unexpected EOF") from None
        raise CallError(f"invalid character {text[at]!r} in the reply: {error.msg}") from None
    except RecursionError:
        raise CallError("exceeded max depth") from None


def typed(value: Any, kind: type, go_type: str) -> Any:
    """A value that has to be of a kind, or None where it is `null`.

    Raises:
        CallError: it is of another kind.
    """
    if value is None or type(value) is kind:
        return value
    raise CallError(f"json: cannot unmarshal {_KINDS[type(value)]} into Go value of type {go_type}")


def field(value: Mapping[str, Any], name: str, kind: type, owner: str, go_type: str) -> Any:
    """A field by its name in any case, the last one that is written; None where it is absent or `null`.

    Raises:
        CallError: it is of another kind.
    """
    wanted, found = name.lower(), None
    for key, part in value.items():
        if key.lower() == wanted and part is not None:
            found = part
    fits = type(found) is not int or INT64_MIN <= found <= INT64_MAX
    if found is None or (type(found) is kind and fits):
        return found
    what = f"Go struct field {owner}.{name} of type {go_type}"
    raise CallError(f"json: cannot unmarshal {_KINDS[type(found)]} into {what}")
