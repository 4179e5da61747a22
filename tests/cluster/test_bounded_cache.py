"""What is kept to save work stays within its bound, and what was used least recently goes first."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

from kschedctl.cluster.bounded_cache import BoundedCache, array_bytes

KB = 1024


def kept(cache: BoundedCache[str, int | None]) -> str:
    """The keys that are there, without counting as use."""
    return "".join(key for key in "abcd" if key in cache)


def test_the_least_recently_used_goes_first():
    cache = BoundedCache[str, int | None](40 * KB)
    for key in "abc":
        cache.put(key, 1, 10 * KB)
    assert cache.get("a") == 1

    cache.put("d", 1, 10 * KB)

    assert kept(cache) == "acd"
    assert cache.nbytes <= 40 * KB


def test_the_last_one_stays_however_large():
    cache = BoundedCache[str, int | None](40 * KB)
    cache.put("a", 1, KB)
    cache.put("b", 2, 100 * KB)
    assert (kept(cache), cache.get("b"), cache.get("a")) == ("b", 2, None)


def test_another_value_takes_the_place_of_the_first():
    cache = BoundedCache[str, int | None](40 * KB)
    cache.put("a", 1, 30 * KB)
    cache.put("b", 1, 0)
    cache.put("a", 2, 30 * KB)
    assert (kept(cache), cache.get("a")) == ("ab", 2)


def test_nothing_can_be_kept_too():
    cache = BoundedCache[str, int | None](40 * KB)
    cache.put("a", None, 0)
    assert "a" in cache
    assert cache.get("a") is None
    cache.clear()
    assert (len(cache), cache.nbytes) == (0, 0)


@dataclass
class State:
    columns: Any


class Counts(Struct):
    columns: Any


ARRAY = np.zeros(8, np.int64)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(ARRAY, 64, id="an array"),
        pytest.param((ARRAY, [ARRAY]), 64, id="the same one twice"),
        pytest.param({"a": np.zeros(3, bool), "b": "text"}, 3, id="in a mapping"),
        pytest.param(State((np.zeros(5, bool), State(None))), 5, id="in a dataclass"),
        pytest.param([Counts(ARRAY), Counts(ARRAY)], 64, id="in structs, once"),
        pytest.param(None, 0, id="none"),
    ],
)
def test_bytes_of_arrays(value: Any, expected: int):
    assert array_bytes(value) == expected


def test_bytes_of_values_that_hold_themselves():
    state = State([ARRAY])
    state.columns.append(state)
    assert array_bytes(state) == 64
