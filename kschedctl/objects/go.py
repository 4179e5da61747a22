"""Go's arithmetic and printing where Python's differ; the engine uses these and nothing else."""

from __future__ import annotations

import math
import re

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

_DECIMAL = re.compile(r"[+-]?[0-9]+")
_MOST_DIGITS = len(str(INT64_MAX))
_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}


def div(a: int, b: int) -> int:
    """Integer division that truncates toward zero.

    Raises:
        ZeroDivisionError: `b` is 0.
    """
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def round_half_away(x: float) -> int:
    """The nearest integer; a half goes away from zero (`math.Round`)."""
    whole = math.trunc(x)
    if abs(x - whole) >= 0.5:
        whole += 1 if x > 0 else -1
    return whole


def wrap_int64(x: int) -> int:
    """The int64 that is left of an integer after overflow: its value modulo 2^64, read as signed."""
    return (x + 2**63) % 2**64 - 2**63


def int64_of(x: float) -> int:
    """A float as int64, truncated; one that does not fit gives the smallest int64, as on amd64."""
    whole = math.trunc(x)
    return whole if INT64_MIN <= whole <= INT64_MAX else INT64_MIN


def parse_int(text: str, bits: int = 64) -> int | None:
    """A decimal number with a sign or without (`strconv.ParseInt`).

    Returns:
        None where the text is none, or does not fit; however many digits it has.
    """
    if not _DECIMAL.fullmatch(text):
        return None
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        return None
    number = int(digits or "0") * (-1 if text[0] == "-" else 1)
    return number if -(1 << bits - 1) <= number < 1 << bits - 1 else None


def quote(text: str) -> str:
    """A string the way `%q` prints it."""
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _escaped(c)) for c in text) + '"'


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
