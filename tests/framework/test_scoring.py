"""Scores, weights and totals (spec 01 §5.8), shared normalisation (spec 02 D.0) and Go's division."""

import numpy as np
import pytest
from builders import column, decide, node, pod, profile, session
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.framework.arithmetic import truncated_divide
from kschedctl.framework.normalize import reversed_share_of_maximum, share_of_maximum
from kschedctl.scheduling.decision import Outcome


@pytest.mark.parametrize(
    ("normalize", "scores", "normalized"),
    [
        pytest.param(reversed_share_of_maximum, [0, 1, 3], [100, 67, 0], id="reversed"),
        pytest.param(reversed_share_of_maximum, [0, 0], [100, 100], id="reversed, all 0"),
        pytest.param(share_of_maximum, [0, 30, 70, 80], [0, 37, 87, 100], id="plain"),
        pytest.param(share_of_maximum, [0, 0], [0, 0], id="plain, all 0"),
        pytest.param(share_of_maximum, [10, 40, 0], [25, 100, 0], id="plain, 3 of them"),
        pytest.param(share_of_maximum, [], [], id="none"),
    ],
)
def test_normalisation(normalize, scores, normalized):
    assert normalize(np.array(scores, np.int64)).tolist() == normalized


@given(st.integers(-(2**62), 2**62), st.integers(-(2**31), 2**31).filter(bool))
def test_division_truncates(dividend, divisor):
    sign = -1 if (dividend < 0) != (divisor < 0) else 1
    expected = sign * (abs(dividend) // abs(divisor))
    assert truncated_divide(np.array([dividend]), np.array([divisor])).tolist() == [expected]
    assert truncated_divide(np.array([dividend]), divisor).tolist() == [expected]


SOFT = ["a:PreferNoSchedule"]


def weighted(score, *, multi_point=()):
    return profile(plugins={"score": {"enabled": score}, "multiPoint": {"enabled": list(multi_point)}})


def test_totals_are_weighted_sums():
    decision = decide(session(node("n1"), node("n2", taints=SOFT)), pod("p", cpu="1", memory="2Gi"))
    assert decision.scores is not None
    columns = {c.plugin: c.weighted for c in decision.scores.columns}
    assert decision.scores.totals.tolist() == np.sum(list(columns.values()), axis=0).tolist()
    assert list(columns) == [
        "TaintToleration",
        "NodeResourcesFit",
        "DynamicResources",
        "NodeResourcesBalancedAllocation",
        "ImageLocality",
    ]


@pytest.mark.parametrize(
    ("entry", "weight"),
    [
        pytest.param({"name": "TaintToleration", "weight": 7}, 7, id="given"),
        pytest.param({"name": "TaintToleration"}, 1, id="named without a weight"),
    ],
)
def test_weights(entry, weight):
    asked = session(node("n1"), config=weighted([entry]))
    assert column(decide(asked, pod("p")), "TaintToleration", "weighted") == {"n1": 100 * weight}


def test_no_plugin_scores():
    config = profile(plugins={"score": {"disabled": [{"name": "*"}]}})
    decision = decide(session(node("n1"), node("n2"), config=config), pod("p"))
    assert decision.scores is not None
    assert decision.scores.totals.tolist() == [0, 0]
    assert len(decision.ties) == 2


def test_one_feasible_node_is_taken_unscored():
    decision = decide(session(node("n1"), node("n2", cordoned=True), score_single=False), pod("p"))
    assert (decision.selected_node, decision.scores) == ("n1", None)


def test_score_without_its_pre_score_fails_the_pod():
    config = profile(plugins={"preScore": {"disabled": [{"name": "TaintToleration"}]}})
    decision = decide(session(node("n1"), node("n2"), config=config), pod("p"))
    assert decision.outcome is Outcome.ERROR
    assert decision.message == (
        'running Score plugins: plugin "TaintToleration" failed with: '
        'failed to read "PreScoreTaintToleration" from cycleState: not found'
    )


def test_a_score_that_its_pre_score_would_have_skipped_is_0():
    config = profile(plugins={"preScore": {"disabled": [{"name": "NodeAffinity"}]}})
    assert column(decide(session(node("n1"), config=config), pod("p")), "NodeAffinity") == {"n1": 0}


def test_a_nominated_node_that_fits_wins_over_better_ones():
    asked = session(node("n1", taints=SOFT), node("n2"))
    decision = decide(asked, pod("p", nominated="n1"))
    assert decision.selected_node == "n1"


def test_a_nominated_node_that_does_not_fit_is_forgotten():
    asked = session(node("n1", cordoned=True), node("n2"))
    assert decide(asked, pod("p", nominated="n1")).selected_node == "n2"
