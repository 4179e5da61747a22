"""What is kept to save work, bounded by bytes: what was used least recently goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np
from msgspec import Struct, structs

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MIB: Final = 1 << 20
_ENTRY: Final = 2048
"""What the objects around the arrays of an entry take, about."""


_WITHOUT_ARRAYS: Final = frozenset((str, int, bool, float, type(None)))
"""Of these there may be one for each node, as the values of a label."""
_MANY: Final = 64


class BoundedCache(Generic[K, V]):
    """Values by key that take at most so many bytes together; the last one put in stays, however large."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def get(self, key: K) -> V | None:
        """The value of a key, which counts as used now; None where there is none."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, nbytes: int) -> None:
        """Keep a value that takes so many bytes in arrays, in the place of an earlier one."""
        self._drop(self._kept.pop(key, None))
        self._kept[key] = (value, nbytes + _ENTRY)
        self.nbytes += nbytes + _ENTRY
        while self.nbytes > self._most and len(self._kept) > 1:
            self._drop(self._kept.popitem(last=False)[1])

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self.nbytes = 0

    def _drop(self, entry: tuple[V, int] | None) -> None:
        if entry is not None:
            self.nbytes -= entry[1]


def array_bytes(*values: Any) -> int:
    """Bytes of the arrays in some values and in what these are made of; each array counts once.

    Arrays that several entries share count for each of them: the bound is then met too early, never too late.
    """
    total, met, left = 0, set[int](), list(values)
    while left:
        value = left.pop()
        if id(value) in met:
            continue
        met.add(id(value))
        if isinstance(value, np.ndarray):
            total += value.nbytes
        elif isinstance(value, (tuple, list)):
            left += _with_arrays(value)
        elif isinstance(value, Mapping):
            left += _with_arrays(value.values())
        elif isinstance(value, Struct):
            left += structs.astuple(value)
        elif is_dataclass(value):
            left += (getattr(value, each.name) for each in fields(value))
    return total


def _with_arrays(values: Collection[Any]) -> list[Any]:
    """Those of some values that may hold arrays; of many, which are all of a kind, the first one tells."""
    if len(values) > _MANY and next(iter(values)).__class__ in _WITHOUT_ARRAYS:
        return []
    return [each for each in values if each.__class__ not in _WITHOUT_ARRAYS]
