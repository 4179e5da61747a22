"""Amounts of resources as people write them: `1.2` cpu, `3.5Gi` of memory."""

from __future__ import annotations

from typing import Final

_BINARY: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_IN_BYTES: Final = frozenset(("memory", "ephemeral-storage", "storage"))


def amount_text(resource: str, amount: int) -> str:
    """An amount in the unit in which the scheduler counts the resource: cpu in milli, the rest in whole units."""
    if resource == "cpu":
        return _decimal(amount / 1000, 3)
    if resource in _IN_BYTES or resource.startswith("hugepages-"):
        return bytes_text(amount)
    return str(amount)


def bytes_text(amount: int) -> str:
    """Bytes with a binary suffix, to one digit: `512Mi`, `3.5Gi`."""
    size, step = float(abs(amount)), 0
    while size >= 1024 and step < len(_BINARY) - 1:
        size, step = size / 1024, step + 1
    if round(size, 1) >= 1024 and step < len(_BINARY) - 1:
        size, step = size / 1024, step + 1
    return f"{'-' if amount < 0 else ''}{_decimal(size, 1)}{_BINARY[step]}"


def _decimal(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
