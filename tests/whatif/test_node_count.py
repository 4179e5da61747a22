"""The fewest nodes that a target needs: the number is right, whatever the nodes gain, and few tries find it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.whatif.capacity.node_count import NodeCountResult, fewest_nodes
from kschedctl.workloads.limits import SUPPORTED_NODES


def tries_for(gains, target, now=0, shapes=1):
    """What is found, and the numbers that were tried; the count ends at the target, as fillings do."""
    tried = []

    def sets_with(count):
        tried.append(count)
        return min(target, now + gains(count))

    return fewest_nodes(sets_with, target, now, shapes), tried


@pytest.mark.parametrize(
    ("per_node", "target", "now", "nodes", "most_tries"),
    [(1, 1, 0, 1, 1), (1, 200, 0, 200, 4), (3, 200, 17, 61, 4), (10, 4000, 0, 400, 5), (1, 5000, 0, 5000, 6)],
)
def test_equal_gains_take_few_tries(per_node, target, now, nodes, most_tries):
    found, tried = tries_for(lambda count: per_node * count, target, now)

    assert found.nodes == nodes
    assert len(tried) <= most_tries


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=80),
    st.integers(1, 150),
    st.integers(0, 20),
    st.integers(1, 3),
)
def test_with_one_node_less_the_target_does_not_fit(gains, target, now, shapes):
    def total(count):
        return sum(gains[i % len(gains)] for i in range(count))

    wanted = now + target
    found, tried = tries_for(total, wanted, now, shapes)

    assert len(tried) <= 40
    if found.nodes is None:
        assert total(found.tried) < target
    else:
        assert total(found.nodes) >= target > total(found.nodes - 1)
        assert found.tried == max(tried)


@pytest.mark.parametrize("shapes", [1, 3])
def test_nodes_that_gain_nothing_end_the_search(shapes):
    found, tried = tries_for(lambda count: 0, 7, 2, shapes)

    assert found == NodeCountResult(None, max(tried))
    assert 8 * shapes < found.tried <= 16 * shapes


def test_the_search_has_an_end():
    found, tried = tries_for(lambda count: count // 10, 10_000)

    assert found == NodeCountResult(None, SUPPORTED_NODES)
    assert len(tried) <= 8
