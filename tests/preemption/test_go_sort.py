"""Go's unstable sort: the check values of spec 01 §9.8, and what any sort must do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.preemption.go_sort import go_sort


def positions(count, less):
    """List positions in sorted order."""
    items = list(range(count))
    go_sort(items, less)
    return items


def by_remainder(modulus):
    """Position p has the priority p mod `modulus`; all have the same start time."""
    return lambda x, y: x % modulus > y % modulus


@pytest.mark.parametrize(
    ("count", "modulus", "order"),
    [
        pytest.param(13, 2, "9 1 3 5 7 11 2 4 6 8 0 10 12", id="13 pods, two priorities"),
        pytest.param(16, 2, "9 1 15 3 13 5 11 7 8 0 10 6 12 4 14 2", id="16 pods, two priorities"),
        pytest.param(
            20, 3, "8 17 2 14 11 5 10 16 19 1 7 4 13 12 3 15 0 9 18 6", id="20 pods, three priorities"
        ),
    ],
)
def test_equal_start_times(count, modulus, order):
    assert positions(count, by_remainder(modulus)) == [int(p) for p in order.split()]


@pytest.mark.parametrize(
    ("count", "order"),
    [
        pytest.param(3, "2 1 0", id="3 pods"),
        pytest.param(13, "11 10 9 8 7 0 5 4 3 2 1 12 6", id="13 pods"),
        pytest.param(16, "11 10 9 6 7 13 15 4 3 2 1 12 14 5 0 8", id="16 pods"),
    ],
)
def test_all_equal_without_start_times(count, order):
    assert positions(count, lambda x, y: True) == [int(p) for p in order.split()]


@pytest.mark.parametrize("count", [1, 12, 13, 60, 200])
def test_all_equal_with_start_times_stay(count):
    assert positions(count, lambda x, y: False) == list(range(count))


@given(st.lists(st.integers(0, 1000), max_size=300))
def test_a_consistent_order_is_sorted(values):
    ordered = list(values)
    go_sort(ordered, lambda x, y: x < y)
    assert ordered == sorted(values)
