"""Amounts of resources as people write them: `1.2` cpu, `3.5Gi` of memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Final

_BINARY: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_IN_BYTES: Final = frozenset(("memory", "ephemeral-storage", "storage"))
_ABSURD: Final = 10**30
"""From here on nobody reads digits, and from 10**308 on they are more than a float has."""
STORAGE_OF_CLASS: Final = "storage of class "
"""What the room for new volumes of a storage class is called, before the name of the class."""
_BYTES_OF: Final = ("hugepages-", STORAGE_OF_CLASS)


def amount_text(resource: str, amount: int) -> str:
    """An amount in the unit in which the scheduler counts the resource: cpu in milli, the rest in whole units."""
    return _text(resource, amount, 0)


def amount_texts(resource: str, amounts: Iterable[int]) -> list[str]:
    """Amounts of one sentence: `7.5Gi` and `7Gi`, but `7168Mi` and `7167Mi` where both were `7Gi`.

    Equal amounts have equal texts. Different ones have different texts: those that rounding makes equal are
    told in smaller units, down to single bytes.
    """
    ordered = list(amounts)
    usual = [_text(resource, amount, 0) for amount in ordered]
    if len(set(usual)) == len(set(ordered)):
        return usual
    finer = dict.fromkeys(ordered, 0)
    while True:
        texts = {amount: _text(resource, amount, steps) for amount, steps in finer.items()}
        count = Counter(texts.values())
        equal = [amount for amount, text in texts.items() if count[text] > 1]
        if not equal:
            return [texts[amount] for amount in ordered]
        for amount in equal:
            finer[amount] += 1


def amount_of(resource: str, text: str) -> str:
    """An amount with its resource: `2 cpu`, `7Gi memory`, `1 byte of memory`, `1 attachment of a driver`."""
    if text == "1" and resource.startswith("attachments "):
        return f"1 attachment {resource.partition(' ')[2]}"
    return f"{text} of {resource}" if text.endswith(("byte", "bytes")) else f"{text} {resource}"


@lru_cache(maxsize=2**16)  # a report on thousands of nodes tells few amounts, but each of them many times
def _text(resource: str, amount: int, finer: int) -> str:
    """The amount in a unit so many steps below the usual one."""
    if abs(amount) >= _ABSURD:
        return f"{Decimal(amount):f}" if finer else f"{Decimal(amount):.1e}"
    if resource == "cpu":
        return _milli_text(amount)
    if resource in _IN_BYTES or resource.startswith(_BYTES_OF):
        return _bytes_text(amount, finer)
    return str(amount)


def _milli_text(amount: int) -> str:
    whole, rest = divmod(abs(amount), 1000)
    return f"{_sign(amount)}{whole}{f'.{rest:03}'.rstrip('0').rstrip('.')}"


def _bytes_text(amount: int, finer: int) -> str:
    """Bytes with a binary suffix, to one digit: `512Mi`, `3.5Gi`."""
    step = max(0, _usual_step(abs(amount)) - finer)
    if not step:
        unit = "" if not amount else " byte" if abs(amount) == 1 else " bytes"
        return f"{amount}{unit}"
    return f"{_sign(amount)}{f'{abs(amount) / 1024**step:.1f}'.removesuffix('.0')}{_BINARY[step]}"


def _usual_step(size: int) -> int:
    """The unit in which the number is at least 1, as rounded, and below 1024."""
    step = 0
    while step < len(_BINARY) - 1 and round(size / 1024**step, 1) >= 1024:
        step += 1
    return step


def _sign(amount: int) -> str:
    return "-" if amount < 0 else ""
