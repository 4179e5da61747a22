"""Why the selected node and not the next best, in the words of each plugin."""

import pytest
from builders import decide, node, pod, profile, session

from kschedctl.reports.explain.comparison import comparison_of

SSD = {
    "weight": 40,
    "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]},
}
FAST = {
    "weight": 5,
    "preference": {"matchExpressions": [{"key": "speed", "operator": "In", "values": ["high", "top"]}]},
}
PREFERRING = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [SSD, FAST]}}
IMAGE = {"names": ["example.com/app:1"], "sizeBytes": 600 * 2**20}


def compared(*objects, **candidate):
    found = comparison_of(decide(session(*objects), pod("new", **candidate)))
    assert found is not None
    return found.selected, found.runner_up, {gap.plugin: (gap.points, gap.why) for gap in found.gaps}


@pytest.mark.parametrize(
    ("objects", "candidate", "plugin", "why"),
    [
        pytest.param(
            [node("n1"), node("n2"), pod("a", "n2", cpu="2", memory="1Gi")],
            {"cpu": "1", "memory": "1Gi"},
            "NodeResourcesFit",
            "requested: cpu 25 % against 75 %; memory 12 % against 25 %",
            id="room",
        ),
        pytest.param(
            [node("n1"), node("n2", taints=["spot=yes:PreferNoSchedule"])],
            {},
            "TaintToleration",
            "n2 has taint spot=yes:PreferNoSchedule",
            id="soft taint",
        ),
        pytest.param(
            [node("n1", labels={"disk": "ssd"}), node("n2", labels={"speed": "top"})],
            {"affinity": PREFERRING},
            "NodeAffinity",
            "n1 has disk=ssd, weight 40; n2 has speed In [high, top], weight 5",
            id="preference",
        ),
        pytest.param(
            [node("n1", images=[IMAGE]), node("n2")],
            {"containers": [{"name": "main", "image": "example.com/app:1"}]},
            "ImageLocality",
            "n1 holds example.com/app:1",
            id="image",
        ),
    ],
)
def test_a_gap_is_told_in_the_words_of_its_plugin(objects, candidate, plugin, why):
    selected, runner_up, gaps = compared(*objects, **candidate)
    assert (selected, runner_up) == ("n1", "n2")
    assert gaps[plugin][1] == why
    assert gaps[plugin][0] > 0


def test_gaps_add_up_to_the_difference_of_the_totals():
    decision = decide(
        session(node("n1"), node("n2", taints=["a:PreferNoSchedule"]), pod("a", "n1", cpu="3", memory="1Gi")),
        pod("new", cpu="1", memory="1Gi"),
    )
    found = comparison_of(decision)
    assert found is not None
    low, high = sorted(decision.scores.totals.tolist())
    assert sum(gap.points for gap in found.gaps) == high - low
    assert [gap.points for gap in found.gaps] == sorted((gap.points for gap in found.gaps), reverse=True)


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([node("n1"), node("n2")], id="equal"),
        pytest.param([node("n1")], id="alone"),
        pytest.param([node("n1", cordoned=True)], id="nowhere"),
    ],
)
def test_there_is_nothing_to_compare(objects):
    assert comparison_of(decide(session(*objects), pod("new"))) is None


def test_the_next_best_is_the_one_that_tables_show_second():
    objects = [node("n1", labels={"disk": "ssd"}), node("n10"), node("n2")]
    assert compared(*objects, affinity=PREFERRING)[1] == "n2"


def scoring(strategy, *resources):
    args = {
        "scoringStrategy": {
            "type": strategy,
            "resources": [{"name": name, "weight": weight} for name, weight in resources],
        }
    }
    return profile("NodeResourcesFit", args)


@pytest.mark.parametrize(
    ("config", "why"),
    [
        pytest.param(None, "requested: cpu 50 % against 75 %; memory 25 % against 50 %", id="by default"),
        pytest.param(
            scoring("LeastAllocated", ("memory", 1)), "requested: memory 25 % against 50 %", id="memory alone"
        ),
        pytest.param(
            scoring("LeastAllocated", ("example.com/gpu", 9), ("cpu", 1)),
            "requested: example.com/gpu 25 % against 75 %; cpu 50 % against 75 %",
            id="a scalar resource that the pod asks for",
        ),
        pytest.param(
            scoring("LeastAllocated", ("example.com/fpga", 9), ("cpu", 1)),
            "requested: cpu 50 % against 75 %",
            id="one that it does not ask for",
        ),
        pytest.param(
            scoring("LeastAllocated", ("ephemeral-storage", 9), ("cpu", 1)),
            "requested: ephemeral-storage 10 % against 40 %; cpu 50 % against 75 %",
            id="a named one that it does not ask for",
        ),
    ],
)
def test_only_resources_that_the_profile_scores_are_cited(config, why):
    """By the account that is scored: cpu and memory with stand-ins for absent requests, others without."""
    more = {"example.com/gpu": "4", "example.com/fpga": "4", "ephemeral-storage": "10Gi"}
    used = {"example.com/gpu": "1", "example.com/fpga": "3", "ephemeral-storage": "4Gi"}
    here = {"ephemeral-storage": "1Gi"}
    objects = [
        node("n1", more=more),
        node("n2", more=more),
        pod("a", "n1", cpu="1", memory="1Gi", more=here),
        pod("b", "n2", cpu="2", memory="3Gi", more=used | {"example.com/gpu": "2"}),
    ]
    asked = session(*objects, config=config)
    found = comparison_of(decide(asked, pod("new", cpu="1", memory="1Gi", more={"example.com/gpu": "1"})))
    assert found is not None
    assert {gap.plugin: gap.why for gap in found.gaps}["NodeResourcesFit"] == why


def test_a_wish_of_the_profile_is_told_as_its_own():
    wish = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}
    added = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7, "preference": wish}]}
    config = profile("NodeAffinity", {"addedAffinity": added})
    asked = session(node("n1"), node("n2", labels={"pool": "a"}), config=config)
    found = comparison_of(decide(asked, pod("new")))
    assert {gap.plugin: gap.why for gap in found.gaps}[
        "NodeAffinity"
    ] == "n2 has pool=a, weight 7 of the profile"
