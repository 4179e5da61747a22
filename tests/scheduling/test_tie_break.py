"""Which of several nodes with equal points is taken (spec 01 §5.8)."""

import heapq
import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
from builders import decide, node, pod, session
from hypothesis import given

from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.scheduling.options import TieBreak
from kschedctl.scheduling.tie_break import heap_choice


@pytest.mark.parametrize(
    ("totals", "winner"),
    [
        pytest.param([7], 0, id="one"),
        pytest.param([1, 9, 9, 9], 1, id="1 9 9 9"),
        pytest.param([1, 2, 9, 3, 9], 4, id="left subtree before right"),
        pytest.param([9, 9, 9], 0, id="the root"),
        pytest.param([1, 2, 9, 2, 2, 9], 2, id="a node before what is below it"),
        pytest.param([-5, -5], 0, id="negative"),
    ],
)
def test_first_maximum_in_pre_order(totals, winner):
    assert heap_choice(np.flatnonzero(np.array(totals) == max(totals)), len(totals)) == winner


def popped(totals):
    """The winner of a heap: sift down by a strict comparison, then take the root."""
    items = list(range(len(totals)))

    def sift(root):
        while (child := 2 * root + 1) < len(items):
            right = child + 1
            if right < len(items) and totals[items[right]] > totals[items[child]]:
                child = right
            if totals[items[child]] <= totals[items[root]]:
                return
            items[root], items[child] = items[child], items[root]
            root = child

    for root in range(len(items) // 2 - 1, -1, -1):
        sift(root)
    return items[0]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_the_rule_is_that_of_a_heap(totals):
    assert heap_choice(np.flatnonzero(np.array(totals) == max(totals)), len(totals)) == popped(totals)
    assert totals[popped(totals)] == heapq.nlargest(1, totals)[0]


def selected(rule, version=V1_36, seed=0):
    """Five equal nodes; in snapshot order b and d come first, since zones take turns."""
    nodes = [node(name, zone) for name, zone in zip("abcde", "12212", strict=True)]
    return decide(session(nodes, tie_break=rule, version=version, seed=seed), pod("p"))


def test_ties_are_all_told_by_name():
    decision = selected(TieBreak.UPSTREAM)
    assert [decision.cluster.nodes.names[row] for row in decision.ties] == list("abcde")


@pytest.mark.parametrize(
    ("rule", "version"),
    [
        pytest.param(TieBreak.FIRST, V1_36, id="first by name"),
        pytest.param(TieBreak.UPSTREAM, V1_34, id="1.34 has no order: first by name"),
    ],
)
def test_first(rule, version):
    assert selected(rule, version).selected_node == "a"


def test_random_is_repeatable_and_reaches_all():
    draws = [selected(TieBreak.RANDOM, seed=seed).selected_node for seed in range(40)]
    assert draws == [selected(TieBreak.RANDOM, seed=seed).selected_node for seed in range(40)]
    assert set(draws) == set("abcde")


def test_what_is_random_hangs_on_the_pod_and_on_nothing_that_was_decided_before():
    asked = session([node(name) for name in "abcde"], tie_break=TieBreak.RANDOM)
    pods = [pod(f"p{i}") for i in range(20)]
    forwards = {data["metadata"]["name"]: decide(asked, data).selected_node for data in pods}
    backwards = {data["metadata"]["name"]: decide(asked, data).selected_node for data in reversed(pods)}
    assert forwards == backwards
    assert len(set(forwards.values())) > 1


def test_what_else_is_asked_for_changes_no_draw():
    """Where one node alone will do, nothing is drawn, whether it is scored or not."""
    nodes = [node(name) for name in "abcde"] + [node("x", labels={"disk": "ssd"})]
    pods = [pod(f"p{i}", nodeSelector={"disk": "ssd"} if i % 3 else {}) for i in range(12)]
    found = [
        [decide(asked, data).selected_node for data in pods]
        for score_single, reuse in itertools.product((True, False), repeat=2)
        for asked in [session(nodes, tie_break=TieBreak.RANDOM, score_single=score_single, reuse=reuse)]
    ]
    assert found[1:] == found[:1] * 3
    assert len(set(found[0][::3])) > 1
