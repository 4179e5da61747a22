"""What may surprise in an answer that is right."""

from __future__ import annotations

import pytest
from builders import HOST, decide, node, pod, profile, session

from kschedctl.reports.explain.surprises import surprises

_SPREAD = {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule"}
_TOLERATES = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]


def _told(objects, candidate, **more):
    return surprises(decide(session(objects, every_failure=True, **more), candidate))


@pytest.mark.parametrize(
    ("objects", "candidate", "text"),
    [
        pytest.param(
            [node("n1", cordoned=True)],
            pod("new", tolerations=_TOLERATES),
            "n1 is cordoned, and the pod tolerates that",
            id="cordoned",
        ),
        pytest.param(
            [node("n1"), node("n2")],
            pod("new", topologySpreadConstraints=[_SPREAD]),
            f"the spread over {HOST} has no labelSelector: it counts no pod, and decides nothing",
            id="a constraint without a selector",
        ),
        pytest.param(
            [node("n1"), node("n2")],
            pod("new", topologySpreadConstraints=[_SPREAD | {"labelSelector": {}}]),
            f"the spread over {HOST} has an empty labelSelector: it counts no pod, and decides nothing",
            id="a constraint with an empty selector",
        ),
        pytest.param(
            [node("n1", capacity={"x.io/gpu": "4"}, more={"x.io/gpu": "0"})],
            pod("new", more={"x.io/gpu": "1"}),
            "n1 has 4 x.io/gpu in its capacity, of which 0 can be allocated: what offers it there may be down, or "
            "keeps it for the system",
            id="in capacity alone",
        ),
        pytest.param(
            [node("n1", images=[{"names": ["app:latest"], "sizeBytes": 1000}]), node("n2")],
            pod("new"),
            "image app is on some node and counts 0: its size, times the share of nodes that have it, is below the "
            "threshold",
            id="an image that is too small",
        ),
        pytest.param([node("n1"), node("n2")], pod("new"), None, id="nothing"),
    ],
)
def test_surprises(objects, candidate, text):
    assert _told(objects, candidate) == ([] if text is None else [text])


def test_a_strategy_that_scores_nothing_the_pod_asks_for():
    args = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "x.io/gpu", "weight": 1}]}}
    config = profile("NodeResourcesFit", args)
    (told,) = _told([node("n1"), node("n2")], pod("new", cpu="1"), config=config)
    assert (
        told
        == "all nodes get 0 points from NodeResourcesFit: the pod asks for none of what it scores (x.io/gpu)"
    )


def test_constraints_of_the_configuration():
    args = {
        "defaultingType": "List",
        "defaultConstraints": [{"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "ScheduleAnyway"}],
    }
    (told,) = _told([node("n1"), node("n2")], pod("new"), config=profile("PodTopologySpread", args))
    assert told.endswith(f"those of the scheduler's configuration count ({HOST})")
