"""Quantities: exact decimals with the representation of the API machinery (spec 02 A).

A quantity has one value and two representations. The *small* one is an int64 mantissa with a power of ten,
the *big* one an unbounded decimal. They agree on every sane number; they differ in what overflow gives and in
how inexact negative numbers are rounded, and the scheduler's verdict on absurd numbers follows from that.
"""

from __future__ import annotations

import re
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr

from kschedctl.objects.go import INT64_MAX, INT64_MIN, div, wrap_int64

FORMAT_ERROR: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
SUFFIX_ERROR: Final = "unable to parse quantity's suffix"
NUMERIC_ERROR: Final = "unable to parse numeric part of quantity"


class QuantityError(ValueError):
    """A text is no quantity; the message is that of the API server."""


class Family(Enum):
    """The family of suffixes a quantity is printed with."""

    DECIMAL = "DecimalSI"
    BINARY = "BinarySI"
    EXPONENT = "DecimalExponent"


_DECIMAL_SUFFIXES = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES = ["", *_BINARY_SUFFIXES]

_NANO = -9
_MAX_DIGITS = 18
"""Digits that always fit an int64."""
MAX_DIGITS: Final = 10_000
"""Longest text of a quantity that is read; the API server has no such limit, and takes minutes over more."""
_MAX_EXPONENT = 1000
"""Powers of ten above this are all just too large; computing 10^2147483647 would never end."""

# Nothing is given back (`*+`): digits that could belong to either end would be tried at both.
_TEXT = re.compile(r"([+-]?)([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*+[+-]?[0-9]*+)", re.ASCII)


class Quantity(Struct, frozen=True, eq=False):
    """An exact amount `mantissa * 10^exponent`; equality, order and hash are those of the value."""

    mantissa: int
    exponent: int
    family: Family = Family.DECIMAL
    big: bool = False
    """Whether the API machinery holds it as an unbounded decimal."""
    text: str | None = None
    """The text as written, where the API machinery prints that."""
    nano: int = 0
    """The exact value times 10^9; follows from the others."""

    def __post_init__(self) -> None:
        force_setattr(self, "nano", self.mantissa * 10 ** (self.exponent - _NANO))

    @property
    def is_zero(self) -> bool:
        """Whether the value is 0."""
        return self.mantissa == 0

    def value(self) -> int:
        """The value as int64, rounded up (spec 02 A.3)."""
        return self._scaled(0)

    def milli_value(self) -> int:
        """A thousand times the value as int64, rounded up (spec 02 A.3)."""
        return self._scaled(-3)

    def _scaled(self, target: int) -> int:
        shift = self.exponent - target
        if self.big:
            return _scale_big(self.mantissa, shift)
        if shift >= 0:
            scaled = _scale_up(self.mantissa, shift)
            return wrap_int64(scaled if scaled is not None else 0)
        return _divide_away(self.mantissa, 10**-shift)

    def rounded_up_to_milli(self) -> Quantity:
        """The value rounded away from zero to a whole milli, as the API server stores it (spec 02 A.5)."""
        if self.exponent >= -3:
            return self
        mantissa = _divide_away(self.mantissa, 10 ** (-3 - self.exponent))
        return Quantity(mantissa, -3, self.family, self.big)

    def __add__(self, other: Quantity) -> Quantity:
        family = other.family if self.is_zero else self.family
        if not self.big and not other.big:
            if other.is_zero:
                return Quantity(self.mantissa, self.exponent, family)
            if self.is_zero:
                return Quantity(other.mantissa, other.exponent, family)
            exponent = min(self.exponent, other.exponent)
            left = _scale_up_checked(self.mantissa, self.exponent - exponent)
            right = _scale_up_checked(other.mantissa, other.exponent - exponent)
            if left is not None and right is not None and INT64_MIN <= left + right <= INT64_MAX:
                return Quantity(left + right, exponent, family)
        exponent = min(self.exponent, other.exponent)
        mantissa = self.mantissa * 10 ** (self.exponent - exponent)
        mantissa += other.mantissa * 10 ** (other.exponent - exponent)
        return Quantity(mantissa, exponent, family, big=True)

    def __neg__(self) -> Quantity:
        return Quantity(-self.mantissa, self.exponent, self.family, self.big)

    def __sub__(self, other: Quantity) -> Quantity:
        return self + -other

    def __eq__(self, other: object) -> bool:
        return self.nano == other.nano if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: Quantity) -> bool:
        return self.nano < other.nano

    def __le__(self, other: Quantity) -> bool:
        return self.nano <= other.nano

    def __hash__(self) -> int:
        return hash(self.nano)

    def __str__(self) -> str:
        return self.text or _canonical(self)

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"


def _scale_up(mantissa: int, digits: int) -> int | None:
    """The product, which may have to wrap; None where the API machinery gives 0 instead."""
    product: int = mantissa * 10**digits
    if digits in (0, 1, 2, 3, 6, 9) or INT64_MIN <= product <= INT64_MAX:
        return product
    return None


def _scale_up_checked(mantissa: int, digits: int) -> int | None:
    product: int = mantissa * 10**digits
    return product if INT64_MIN <= product <= INT64_MAX else None


def _divide_away(mantissa: int, divisor: int) -> int:
    """The quotient, rounded away from zero."""
    quotient = (abs(mantissa) + divisor - 1) // divisor
    return quotient if mantissa >= 0 else -quotient


def _scale_big(mantissa: int, shift: int) -> int:
    if shift >= 0:
        return wrap_int64(mantissa * 10**shift)
    divisor = 10**-shift
    if INT64_MIN <= mantissa < INT64_MAX and -shift < 19:
        # The 64-bit path truncates and then adds one, which is off by one for negative numbers.
        quotient = div(mantissa, divisor)
        return quotient + 1 if mantissa != quotient * divisor else quotient
    quotient, remainder = divmod(mantissa, divisor)
    return wrap_int64(quotient + 1 if remainder else quotient)


ZERO: Final = Quantity(0, 0, text="0")


@lru_cache(maxsize=65536, typed=True)
def parse(raw: str | int | float, most: int = MAX_DIGITS) -> Quantity:
    """The quantity that a JSON string or number stands for.

    Args:
        raw: the string or number.
        most: how many characters are read.

    Raises:
        QuantityError: the text is no quantity; the message is that of the API server.
    """
    text = raw.strip() if isinstance(raw, str) else _number_text(raw)
    if len(text) > most:
        raise QuantityError(f"quantities of more than {most:,} digits are not read")
    found = _TEXT.fullmatch(text)
    if not text or found is None:
        raise QuantityError(FORMAT_ERROR)
    sign, integer, fraction, suffix = found.groups(default="")
    base, exponent, family = _interpret(suffix)
    digits = integer.lstrip("0") or "0"
    negative = sign == "-"
    if base == 10:
        exponent10, mantissa10 = exponent - len(fraction), digits + fraction
        if len(mantissa10) <= _MAX_DIGITS and exponent10 >= _NANO:
            canonical = exponent10 % 3 == 0 and not mantissa10.endswith("000") and mantissa10[0] != "0"
            magnitude = int(mantissa10)
            return _small(magnitude, exponent10, family, negative, text if canonical else None)
    elif not fraction and 15 - len(digits) - exponent * 3 // 10 - 1 >= 0:
        canonical = int(digits) % 8 != 0
        return _small(int(digits) << exponent, 0, family, negative, text if canonical else None)
    if not integer and not fraction:
        raise QuantityError(NUMERIC_ERROR)
    return _big(int(Decimal(digits + fraction)), len(fraction), base, exponent, family, negative)


def _number_text(number: int | float) -> str:
    """The text that YAML to JSON conversion gives a number."""
    if isinstance(number, int):
        return str(number)
    if 1e-6 <= abs(number) < 1e21 or number == 0:
        return format(Decimal(repr(number)).normalize(), "f")
    return repr(number)


def _interpret(suffix: str) -> tuple[int, int, Family]:
    """Base, exponent and family of a suffix."""
    if suffix in _DECIMAL_SUFFIXES:
        return 10, _DECIMAL_SUFFIXES[suffix], Family.DECIMAL
    if suffix in _BINARY_SUFFIXES:
        return 2, _BINARY_SUFFIXES[suffix], Family.BINARY
    if suffix[0] in "eE" and re.fullmatch(r"[+-]?[0-9]{1,4000}", suffix[1:]):
        exponent = int(suffix[1:])
        if INT64_MIN <= exponent <= INT64_MAX:
            return 10, (exponent + 2**31) % 2**32 - 2**31, Family.EXPONENT
    raise QuantityError(SUFFIX_ERROR)


def _small(magnitude: int, exponent: int, family: Family, negative: bool, text: str | None) -> Quantity:
    mantissa = -magnitude if negative else magnitude
    return Quantity(mantissa, min(exponent, _MAX_EXPONENT), family, text=text)


def _big(magnitude: int, places: int, base: int, exponent: int, family: Family, negative: bool) -> Quantity:
    if not magnitude:
        return Quantity(0, 0, family, big=True)
    if base == 2:
        magnitude <<= exponent
        exponent = 0
    shift = min(exponent, _MAX_EXPONENT) - places - _NANO
    if shift >= 0:
        nano = magnitude * 10**shift
    elif -shift > len(str(Decimal(magnitude))) + 1:
        nano = 1
    else:
        nano = _divide_away(magnitude, 10**-shift)
    one = 10**9
    if family is Family.BINARY and nano > INT64_MAX * one:
        return Quantity(-INT64_MAX if negative else INT64_MAX, 0, family, big=True)
    if family is Family.BINARY and nano < one:
        family = Family.DECIMAL
    return Quantity(-nano if negative else nano, _NANO, family, big=True)


def _canonical(quantity: Quantity) -> str:
    if quantity.is_zero:
        return "0"
    if quantity.family is Family.BINARY and abs(quantity.nano) >= 1024 * 10**9 and quantity.nano % 10**9 == 0:
        return _canonical_binary(quantity.nano // 10**9)
    mantissa, exponent = quantity.mantissa, quantity.exponent
    while mantissa % 10 == 0:
        mantissa //= 10
        exponent += 1
    mantissa *= 10 ** (exponent % 3)
    exponent -= exponent % 3
    if quantity.family is Family.EXPONENT or exponent not in _DECIMAL_NAMES:
        return f"{_written(mantissa)}e{exponent}" if exponent else _written(mantissa)
    return f"{_written(mantissa)}{_DECIMAL_NAMES[exponent]}"


def _canonical_binary(value: int) -> str:
    power = 0
    while value % 1024 == 0 and power < len(_BINARY_NAMES) - 1:
        value //= 1024
        power += 1
    return f"{_written(value)}{_BINARY_NAMES[power]}"


def _written(number: int) -> str:
    """A whole number of any length: `str` gives up at 4,300 digits."""
    return f"{Decimal(number):f}"
