"""The order of victims in columns is the order that Go's sort leaves, row by row."""

import numpy as np
import pytest
from builders import node, pod, session
from hypothesis import given, settings
from hypothesis import strategies as st

from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.objects.go_sort import go_sort
from kschedctl.preemption.importance import by_importance, ranked

STARTS = (None, "2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00.000000001Z")

pods_of_a_row = st.lists(
    st.tuples(st.sampled_from((0, 1, 2)), st.sampled_from(STARTS)), min_size=1, max_size=40
)


def as_go_sorts(pods, *, clock):
    """Positions of `(priority, start)` pairs, the most important first.

    `clock`: the clock is read at each comparison of pods without start time; else once for each, in their order.
    """

    def less(x, y):
        (p, s), (q, t) = pods[x], pods[y]
        if p != q:
            return p > q
        if start_of(s) == start_of(t) == NO_START:
            return clock or x < y
        return start_of(s) < start_of(t)

    order = list(range(len(pods)))
    go_sort(order, less)
    return order


@settings(max_examples=50)
@given(rows=st.lists(pods_of_a_row, min_size=1, max_size=4))
@pytest.mark.parametrize("version", [V1_36, V1_37], ids=str)
def test_rows_come_out_as_one_by_one(version, rows):
    nodes = [node(f"n{i}") for i in range(len(rows))]
    pods = [
        pod(f"p{i:02d}-{j:02d}", f"n{i}", priority=priority, start=start)
        for i, row in enumerate(rows)
        for j, (priority, start) in enumerate(row)
    ]
    cluster = session(nodes, pods).cluster
    at = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    victims = by_importance(cluster, ranked(np.arange(len(pods)), at), version.facts)
    first = np.searchsorted(at, np.arange(len(rows)))
    expected = [
        int(first[i]) + place
        for i, row in enumerate(rows)
        for place in as_go_sorts(row, clock=version is V1_36)
    ]
    assert victims.pods.tolist() == expected


def test_no_victims():
    cluster = session(node("n1")).cluster
    none = np.zeros(0, np.int64)
    assert by_importance(cluster, ranked(none, none), V1_37.facts).pods.tolist() == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1970-01-01T00:00:01Z", 1_000_000_000, id="seconds"),
        pytest.param("1970-01-01T02:00:00+02:00", 0, id="another zone is the same instant"),
        pytest.param("1970-01-01T00:00:00.5Z", 500_000_000, id="fractions"),
        pytest.param(None, NO_START, id="none"),
        pytest.param("yesterday", NO_START, id="no time at all"),
        pytest.param("2024-02-30T00:00:00Z", NO_START, id="no such day"),
        pytest.param("0001-01-01T00:00:00Z", -(2**63), id="before what nanoseconds can tell"),
        pytest.param("9999-01-01T00:00:00Z", NO_START - 1, id="after it"),
    ],
)
def test_start_times_are_instants(text, expected):
    assert start_of(text) == expected
