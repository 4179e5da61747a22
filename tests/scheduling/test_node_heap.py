"""The heap of scored nodes, against Go's container/heap (spec 01, Appendix A)."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from kschedctl.scheduling.node_heap import NodeHeap
from kschedctl.scheduling.tie_break import heap_choice


def emptied(totals):
    heap = NodeHeap((total, number) for number, total in enumerate(totals))
    return [heap.pop() for _ in range(len(heap))]


@pytest.mark.parametrize(
    ("totals", "order"),
    [
        pytest.param([], [], id="none"),
        pytest.param([1, 3, 2], [1, 2, 0], id="different"),
        pytest.param([5, 5, 5], [0, 2, 1], id="equal: the last one takes the root's place"),
        pytest.param([5, 5, 5, 5], [0, 3, 2, 1], id="four equal ones"),
    ],
)
def test_order(totals, order):
    assert [number for _, number in emptied(totals)] == order


@given(st.lists(st.integers(0, 4), max_size=12))
def test_totals_fall_and_every_node_comes_once(totals):
    found = emptied(totals)
    assert [total for total, _ in found] == sorted(totals, reverse=True)
    assert sorted(number for _, number in found) == list(range(len(totals)))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_the_first_is_the_choice_of_a_cycle(totals):
    assert emptied(totals)[0][1] == heap_choice(np.flatnonzero(np.array(totals) == max(totals)), len(totals))
