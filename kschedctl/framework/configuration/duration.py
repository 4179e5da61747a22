"""Go's durations: `1m30s` as written in a configuration, and as kube-scheduler prints it."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from kschedctl.objects.go import INT64_MAX, quote

_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART = re.compile(r"([0-9]*\.?[0-9]*)([^0-9.]*)")


class Duration(int):
    """A span of time in nanoseconds; prints as Go does."""

    __slots__ = ()

    @classmethod
    def of_seconds(cls, seconds: int) -> Duration:
        """The duration of whole seconds."""
        return cls(seconds * 10**9)

    def __str__(self) -> str:
        """The text: `10s`, `1m30s`, `1h0m0s`, `1.5ms`; zero is `0s`."""
        sign, rest = ("-" if self < 0 else ""), abs(int(self))
        if rest < 10**9:
            unit = next(u for u in ("s", "ns", "µs", "ms") if _fits(u, rest))
            return f"{sign}{_decimal(rest, _UNITS[unit])}{unit}"
        minutes, nanoseconds = divmod(rest, _UNITS["m"])
        hours, minutes = divmod(minutes, 60)
        shown = f"{_decimal(nanoseconds, _UNITS['s'])}s"
        if hours or minutes:
            shown = f"{minutes}m{shown}"
        return f"{sign}{hours}h{shown}" if hours else f"{sign}{shown}"


def parse_duration(text: str) -> Duration:
    """The duration written in Go's form: signed decimal numbers, each with a unit.

    Raises:
        ValueError: not a duration; the text is Go's.
    """
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return Duration(0)
    if not rest:
        raise ValueError(f"time: invalid duration {quote(text)}")
    total = 0
    while rest:
        part = _PART.match(rest)
        if part is None or not part[1].strip("."):
            raise ValueError(f"time: invalid duration {quote(text)}")
        if not part[2]:
            raise ValueError(f"time: missing unit in duration {quote(text)}")
        if part[2] not in _UNITS:
            raise ValueError(f"time: unknown unit {quote(part[2])} in duration {quote(text)}")
        total += int(Decimal(part[1]) * _UNITS[part[2]])
        rest = rest[part.end() :]
    if total > INT64_MAX:
        raise ValueError(f"time: invalid duration {quote(text)}")
    return Duration(sign * total)


def _fits(unit: str, nanoseconds: int) -> bool:
    """Whether a duration below a second is printed in this unit; zero is printed in seconds."""
    if unit == "s":
        return nanoseconds == 0
    return 0 < nanoseconds < _UNITS[unit] * 1000


def _decimal(nanoseconds: int, unit: int) -> str:
    whole, fraction = divmod(nanoseconds, unit)
    digits = f"{fraction:0{len(str(unit)) - 1}d}".rstrip("0") if unit > 1 else ""
    return f"{whole}.{digits}" if digits else str(whole)
