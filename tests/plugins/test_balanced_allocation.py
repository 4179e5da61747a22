"""NodeResourcesBalancedAllocation (spec 02 D.9)."""

import pytest
from builders import column, decide, node, pod, profile, session

from kschedctl.framework.versions import SUPPORTED
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.scheduling.decision import Outcome

NAME = "NodeResourcesBalancedAllocation"
GPU = "example.com/gpu"


def resources(*names):
    return profile(NAME, {"resources": [{"name": name, "weight": 1} for name in names]})


def score(used, asked, *, memory="8Gi", config=None, version=V1_36):
    old = pod("old", "n1", **used) if used else []
    asked_of = session(node("n1", memory=memory, more={GPU: "4"}), old, config=config, version=version)
    return column(decide(asked_of, pod("p", **asked)), NAME)


@pytest.mark.parametrize(
    ("used", "asked", "expected"),
    [
        pytest.param({"cpu": "1", "memory": "2Gi"}, {"cpu": "1", "memory": "1Gi"}, 71, id="worse"),
        pytest.param({"memory": "4Gi"}, {"cpu": "1", "memory": "0"}, 81, id="better"),
        pytest.param({"cpu": "3500m"}, {"cpu": "500m"}, 72, id="worse, at the limit"),
        pytest.param({}, {"cpu": "2", "memory": "4Gi"}, 75, id="unchanged"),
    ],
)
def test_change_of_balance(used, asked, expected):
    assert score(used, asked) == {"n1": expected}


def test_fractions_are_capped():
    """3,900 of 4,000 in use and 500 more: the filter is off, so the score sees it."""
    config = profile(plugins={"filter": {"disabled": [{"name": "NodeResourcesFit"}]}})
    assert score({"cpu": "3900m"}, {"cpu": "500m"}, config=config) == {"n1": 74}


def test_one_resource_is_always_in_balance():
    assert score({"cpu": "1"}, {"cpu": "1"}, config=resources("cpu")) == {"n1": 75}


def test_three_resources_take_the_standard_deviation():
    used, asked = {"cpu": "1", "memory": "2Gi"}, {"cpu": "500m", "memory": "1Gi", "more": {GPU: "1"}}
    assert score(used, asked, memory="16Gi", config=resources("cpu", "memory", GPU)) == {"n1": 76}


def test_a_pod_that_asks_for_nothing_has_no_column():
    assert score({"cpu": "1"}, {}) is None


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_a_pod_that_asks_for_nothing_scores_nothing_where_pre_score_is_off(version):
    config = profile(plugins={"preScore": {"disabled": [{"name": NAME}]}})
    assert score({"cpu": "1"}, {}, config=config, version=version) == {"n1": 0}
    assert score({}, {"cpu": "2", "memory": "4Gi"}, config=config, version=version) != {"n1": 0}


def test_an_extended_resource_that_is_not_asked_for_does_not_count():
    used, asked = {"cpu": "1", "memory": "2Gi"}, {"cpu": "1", "memory": "1Gi"}
    assert score(used, asked, config=resources("cpu", "memory", GPU)) == {"n1": 71}


def test_1_34_scores_the_balance_afterwards():
    used, asked = {"cpu": "1", "memory": "2Gi"}, {"cpu": "1", "memory": "1Gi"}
    assert score(used, asked, version=V1_34) == {"n1": 93}


@pytest.mark.parametrize(
    ("version", "outcome"),
    [
        pytest.param(V1_36, Outcome.SCHEDULED, id="equally bad before and after"),
        pytest.param(V1_34, Outcome.ERROR, id="1.34: no score at all"),
    ],
)
def test_a_balance_beyond_int64_is_the_smallest_int64(version, outcome):
    """Memory in use has wrapped below zero, on a node that has one byte."""
    old = [pod(f"old{i}", "n1", memory="5E") for i in range(2)]
    alone = profile(plugins={"score": {"disabled": [{"name": "NodeResourcesFit"}]}})
    asked = session(node("n1", memory="1"), old, config=alone, version=version)
    assert decide(asked, pod("p", cpu="100m")).outcome is outcome


def test_pod_level_requests_count():
    level = {"cpu": "1", "memory": "0", "resources": {"requests": {"cpu": "2", "memory": "4Gi"}}}
    assert score({}, level) == {"n1": 75}
