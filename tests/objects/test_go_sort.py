"""Go's unstable sort, by the check values of the specification (spec 01 §9.8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.objects.go_sort import go_sort


def order(count, less):
    positions = list(range(count))
    go_sort(positions, less)
    return positions


def by_priority(modulus):
    """Higher priority first; the priority of a position is its remainder."""
    return lambda x, y: x % modulus > y % modulus


@pytest.mark.parametrize(
    ("count", "less", "expected"),
    [
        pytest.param(13, by_priority(2), "9 1 3 5 7 11 2 4 6 8 0 10 12", id="13, two priorities"),
        pytest.param(16, by_priority(2), "9 1 15 3 13 5 11 7 8 0 10 6 12 4 14 2", id="16, two priorities"),
        pytest.param(20, by_priority(3), "8 17 2 14 11 5 10 16 19 1 7 4 13 12 3 15 0 9 18 6", id="20, three"),
        pytest.param(16, lambda x, y: False, " ".join(map(str, range(16))), id="16 equal"),
        pytest.param(3, lambda x, y: True, "2 1 0", id="3 without start time"),
        pytest.param(13, lambda x, y: True, "11 10 9 8 7 0 5 4 3 2 1 12 6", id="13 without start time"),
        pytest.param(
            16, lambda x, y: True, "11 10 9 6 7 13 15 4 3 2 1 12 14 5 0 8", id="16 without start time"
        ),
    ],
)
def test_check_values(count, less, expected):
    assert order(count, less) == [int(position) for position in expected.split()]


@given(st.lists(st.integers(-50, 50), max_size=400))
def test_sorts(items):
    mine = list(items)
    go_sort(mine, lambda x, y: x < y)
    assert mine == sorted(items)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers()), max_size=12))
def test_is_stable_up_to_twelve(items):
    mine = list(items)
    go_sort(mine, lambda x, y: x[0] < y[0])
    assert mine == sorted(items, key=lambda item: item[0])


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([i % 7 * 1000 + (i * 37) % 100 for i in range(500)], id="blocks"),
        pytest.param([*range(250), *range(250, 0, -1)], id="organ pipe"),
        pytest.param(list(range(300, 0, -1)), id="descending"),
        pytest.param([1, 2] * 200, id="alternating"),
        pytest.param([*range(100), 5, 17, 99, 3], id="nearly sorted"),
    ],
)
def test_sorts_hard_patterns(items):
    mine = list(items)
    go_sort(mine, lambda x, y: x < y)
    assert mine == sorted(items)
