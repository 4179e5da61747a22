"""Sampling: how many nodes are looked at, and from where (spec 01 §5.4)."""

import numpy as np
import pytest
from builders import decide, enter, node, pod, profile, rejections, session

from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.node_search import sampling_target, search
from kschedctl.scheduling.options import Sampling


@pytest.mark.parametrize(
    ("nodes", "percentage", "target"),
    [
        pytest.param(0, 0, 0, id="none"),
        pytest.param(99, 5, 99, id="a small cluster is looked at whole"),
        pytest.param(100, 0, 100, id="100"),
        pytest.param(250, 0, 120, id="48 % of 250"),
        pytest.param(1000, 0, 420, id="42 % of 1000"),
        pytest.param(5000, 0, 500, id="10 % of 5000"),
        pytest.param(6000, 0, 300, id="at least 5 %"),
        pytest.param(300, 1, 100, id="at least 100 nodes"),
        pytest.param(5000, 100, 5000, id="all"),
        pytest.param(150, 70, 105, id="given"),
    ],
)
def test_target(nodes, percentage, target):
    assert sampling_target(nodes, percentage) == target


@pytest.mark.parametrize(
    ("passing", "start", "target", "examined", "feasible"),
    [
        pytest.param([0, 1, 2, 3], 0, None, [0, 1, 2, 3], [0, 1, 2, 3], id="all"),
        pytest.param([0, 1, 2, 3], 2, None, [2, 3, 0, 1], [2, 3, 0, 1], id="from the start on and around"),
        pytest.param([0, 1, 2, 3], 0, 2, [0, 1], [0, 1], id="the node too many counts nowhere"),
        pytest.param([0, 2, 3], 0, 1, [0, 1], [0], id="refused nodes before it count"),
        pytest.param([1], 0, 1, [0, 1, 2, 3], [1], id="the target met by the last: all are looked at"),
        pytest.param([], 3, 2, [3, 0, 1, 2], [], id="none passes"),
        pytest.param([0, 1, 2, 3], 9, 2, [1, 2], [1, 2], id="the start wraps"),
    ],
)
def test_walk(passing, start, target, examined, feasible):
    passed = np.zeros(4, bool)
    passed[passing] = True
    found = search(np.arange(4), passed, start, target)
    assert found.examined.tolist() == examined
    assert found.feasible.tolist() == feasible


def test_walk_over_a_narrowed_set():
    passed = np.ones(6, bool)
    found = search(np.array([1, 3, 5]), passed, 4, None)
    assert found.examined.tolist() == [3, 5, 1]


def test_walk_over_nothing():
    assert search(np.array([], np.int64), np.ones(3, bool), 2, 1).examined.tolist() == []


def nodes(count, bad=0):
    """Nodes of which the first are cordoned."""
    return [node(f"n{i:03}", cordoned=i < bad) for i in range(count)]


def test_the_start_moves_on_by_what_was_looked_at():
    asked = session(nodes(200), config=profile(percentageOfNodesToScore=50), sampling=Sampling.UPSTREAM)
    candidate = enter(asked, pod("p"))
    starts = []
    for _ in range(3):
        decision = asked.scheduler.decide(candidate, asked.cluster)
        assert (decision.evaluated, len(decision.feasible)) == (100, 100)
        starts.append(asked.cluster.next_start)
    assert starts == [100, 0, 100]


def test_a_target_that_is_not_met_returns_to_the_start():
    asked = session(nodes(150, bad=120), sampling=Sampling.UPSTREAM)
    asked.cluster.advance_start(7)
    decision = decide(asked, pod("p"))
    assert (decision.evaluated, len(decision.feasible)) == (150, 30)
    assert asked.cluster.next_start == 7


@pytest.mark.parametrize(
    ("common", "own", "seen"),
    [
        pytest.param(100, None, 300, id="that of the configuration"),
        pytest.param(100, 0, 144, id="0 in the profile is adaptive"),
        pytest.param(None, 40, 120, id="that of the profile"),
    ],
)
def test_percentages(common, own, seen):
    config = profile(**({} if own is None else {"percentageOfNodesToScore": own}))
    if common is not None:
        config["percentageOfNodesToScore"] = common
    decision = decide(session(nodes(300), config=config, sampling=Sampling.UPSTREAM), pod("p"))
    assert len(decision.feasible) == seen


def test_nothing_to_score_ends_with_the_first_node():
    config = profile(plugins={"score": {"disabled": [{"name": "*"}]}})
    decision = decide(session(nodes(5, bad=2), config=config, sampling=Sampling.UPSTREAM), pod("p"))
    assert decision.selected_node == "n002"
    assert decision.evaluated == 3


def test_a_nominated_node_that_fits_is_taken_without_a_search():
    asked = session(nodes(150), sampling=Sampling.UPSTREAM)
    decision = decide(asked, pod("p", nominated="n077"))
    assert (decision.selected_node, decision.evaluated, asked.cluster.next_start) == ("n077", 1, 0)


NO_PORTS_STATE = profile(plugins={"preFilter": {"disabled": [{"name": "NodePorts"}]}})
"""Every node that reaches the filter of NodePorts fails the cycle."""


@pytest.mark.parametrize("nominated", ["", "n000"], ids=["alone", "after a nominated node that is refused"])
def test_an_error_moves_the_start_by_what_was_looked_at_before(nominated):
    asked = session(nodes(5, bad=2), config=NO_PORTS_STATE, sampling=Sampling.UPSTREAM)
    decision = decide(asked, pod("p", nominated=nominated))
    assert decision.outcome is Outcome.ERROR
    assert asked.cluster.next_start == 2


def test_an_error_on_the_nominated_node_alone_is_not_heard_of():
    """The search is confined to a cordoned node, which never gets as far as the filter that fails."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n000"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    plugins = {
        "preFilter": {"disabled": [{"name": "NodePorts"}]},
        "filter": {"disabled": [{"name": "NodeAffinity"}]},
    }
    asked = session(nodes(3, bad=1), config=profile(plugins=plugins))
    decision = decide(asked, pod("p", nominated="n002", affinity={"nodeAffinity": required}))
    rest = "UnschedulableAndUnresolvable : node(s) didn't satisfy plugin(s) [NodeAffinity]"
    assert decision.outcome is Outcome.UNSCHEDULABLE
    assert rejections(decision)["n001"] == rejections(decision)["n002"] == rest
