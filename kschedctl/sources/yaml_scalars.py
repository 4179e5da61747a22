"""Plain YAML scalars and keys, read as sigs.k8s.io/yaml (go-yaml v2) reads them on the way to JSON.

That is YAML 1.1 with Go's changes: `on`, `yes` and `y` are booleans and `0777` is octal, yet there are no
dates and no base-60 numbers, `1e3` is a number, and a number that does not fit stays a string.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Generic, TypeVar

_Value = TypeVar("_Value")
JsonScalar = str | int | float | bool | None

_WORDS: dict[str, JsonScalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_BASES = (16, 2, 8, 10)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LONGEST_INTEGER = 4_000  # characters: what is longer has more than 64 bits, or nothing but zeros in front
_JSON_EXPONENT = 1e21  # from here on Go writes a float to JSON with an exponent, so it is no integer there
_SINGLE_DIGITS = range(6, 10)  # significant digits that a 32-bit float may need

STRING_TAG = "tag:yaml.org,2002:str"
NULL_TAG = "tag:yaml.org,2002:null"
BOOL_TAG = "tag:yaml.org,2002:bool"
INTEGER_TAG = "tag:yaml.org,2002:int"
FLOAT_TAG = "tag:yaml.org,2002:float"
BINARY_TAG = "tag:yaml.org,2002:binary"

_TYPES: dict[str, tuple[type, ...]] = {
    NULL_TAG: (type(None),),
    BOOL_TAG: (bool,),
    INTEGER_TAG: (int,),
    FLOAT_TAG: (int, float),
}


def resolve(text: str) -> JsonScalar:
    """Return the JSON value of a plain (unquoted, untagged) scalar.

    Integral floats come out as `int`, because Go writes them to JSON without a fraction. NaN and the
    infinities have no JSON; the caller refuses them.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    plain = text if text[0] == "." else text.replace("_", "")
    if text[0] != "." and (integer := _integer(plain)) is not None:
        return integer
    if not _FLOAT.fullmatch(plain):
        return text
    value = float(plain)
    return text if math.isinf(value) else _json_number(value)


def resolve_tagged(text: str, tag: str) -> JsonScalar:
    """Return the value of a scalar with an explicit tag; tags that YAML does not define give the string.

    Raises:
        ValueError: the text is no value of the tag's type.
    """
    if tag == BINARY_TAG:
        return _binary(text)
    types = _TYPES.get(tag)
    if types is None:
        return text
    value = resolve(text)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise ValueError(f'"{text}" is no {tag.rpartition(":")[2]}')
    return value


def key_text(text: str) -> str:
    """Return the JSON key that a plain scalar becomes: `8080` -> "8080", `0x10` -> "16", `on` -> "true".

    Raises:
        ValueError: null has no text as a key.
    """
    value = resolve(text)
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case None:
            raise ValueError("a key cannot be null")
        case int() if _integer(text.replace("_", "")) is not None:
            return str(value)
        case _:
            return _single_precision(float(value))


class Memo(dict[str, _Value], Generic[_Value]):
    """A bounded memo of a function of a text: manifests repeat few distinct scalars very often."""

    _LIMIT = 20_000

    def __init__(self, function: Callable[[str], _Value]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> _Value:
        value = self._function(text)
        if len(self) < self._LIMIT:
            self[text] = value
        return value


def _integer(plain: str) -> int | None:
    """The 64-bit integer that Go's ParseInt or ParseUint with base 0 reads, or None."""
    match = _INTEGER.fullmatch(plain)
    if match is None:
        return None
    sign, *digits = match.groups()
    if len(plain) > _LONGEST_INTEGER:
        return None
    value = next(int(d, base) for d, base in zip(digits, _BASES, strict=True) if d)
    value = -value if sign == "-" else value
    largest = 2**63 if sign else 2**64  # only the unsigned parse goes beyond int64, and it takes no sign
    return value if -(2**63) <= value < largest else None


def _json_number(value: float) -> int | float:
    """The float as it is after a trip through Go's JSON text."""
    if value.is_integer() and abs(value) < _JSON_EXPONENT:
        return int(Decimal(repr(value)))  # the shortest decimal text, padded with zeros, as Go prints it
    return value


def _single_precision(value: float) -> str:
    """A float key: Go prints it with `%g` in 32 bits."""
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    import ctypes

    single = ctypes.c_float(value).value
    texts = (f"{single:.{digits}g}" for digits in _SINGLE_DIGITS)
    return next((t for t in texts if ctypes.c_float(float(t)).value == single), repr(single))


def _binary(text: str) -> str:
    import base64

    try:
        return base64.b64decode(text, validate=False).decode(errors="replace")
    except ValueError as error:
        raise ValueError(f"!!binary is no base64: {error}") from None
