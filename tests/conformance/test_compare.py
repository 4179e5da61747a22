"""The first field that differs, and the plugin behind it."""

import pytest

from kschedctl.conformance.compare import compare

FIT = {
    "code": "Unschedulable",
    "plugin": "NodeResourcesFit",
    "reasons": ["Insufficient cpu", "Insufficient memory"],
}
TAINT = {"code": "UnschedulableAndUnresolvable", "plugin": "TaintToleration", "reasons": ["untolerated"]}
SCHEDULED = {
    "pod": "default/p",
    "outcome": "Scheduled",
    "failed": {"n1": FIT},
    "feasible": ["n2", "n3"],
    "scores": {
        "n2": {"NodeResourcesFit": 50, "ImageLocality": 0},
        "n3": {"NodeResourcesFit": 40, "ImageLocality": 9},
    },
    "totals": {"n2": 50, "n3": 49},
    "ties": ["n2"],
    "selected": "n2",
}
EVENT = "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes"
UNSCHEDULABLE = {
    "pod": "default/p",
    "outcome": "Unschedulable",
    "failed": {"n1": FIT, "n2": FIT},
    "event": EVENT,
    "preemption": {"eligible": True, "message": "no", "failed": {"n1": FIT}},
}


def shuffled(status):
    return status | {"reasons": status["reasons"][::-1]}


@pytest.mark.parametrize(
    ("want", "change"),
    [
        pytest.param(SCHEDULED, {}, id="equal"),
        pytest.param(SCHEDULED, {"feasible": ["n3", "n2"]}, id="feasible nodes are a set"),
        pytest.param(SCHEDULED, {"failed": {"n1": shuffled(FIT)}}, id="reasons are a set"),
        pytest.param(SCHEDULED, {"victims": [], "gated": ""}, id="empty is absent"),
        pytest.param(
            {"pod": "default/p", "outcome": "Invalid", "error": "a"}, {"error": "b"}, id="texts of Invalid"
        ),
        pytest.param({"pod": "default/p", "outcome": "Error"}, {"event": "b"}, id="texts of Error"),
    ],
)
def test_agreement(want, change):
    assert compare(want, want | change) is None


@pytest.mark.parametrize(
    ("want", "change", "field", "plugin"),
    [
        pytest.param(SCHEDULED, {"outcome": "Gated"}, "outcome", "", id="outcome"),
        pytest.param(
            UNSCHEDULABLE,
            {"outcome": "Scheduled", "failed": {"n1": FIT}},
            "outcome",
            "NodeResourcesFit",
            id="fits",
        ),
        pytest.param(
            SCHEDULED,
            {"feasible": ["n2"], "failed": {"n1": FIT, "n3": TAINT}},
            "feasible",
            "TaintToleration",
            id="too strict",
        ),
        pytest.param(
            SCHEDULED,
            {"feasible": ["n1", "n2", "n3"], "failed": {}},
            "feasible",
            "NodeResourcesFit",
            id="too lax",
        ),
        pytest.param(SCHEDULED, {"failed": {"n1": TAINT}}, "failed", "NodeResourcesFit", id="other plugin"),
        pytest.param(SCHEDULED, {"absent": TAINT}, "absent", "TaintToleration", id="absent"),
        pytest.param(UNSCHEDULABLE, {"preFilter": TAINT}, "preFilter", "TaintToleration", id="preFilter"),
        pytest.param(
            SCHEDULED,
            {"scores": SCHEDULED["scores"] | {"n3": {"NodeResourcesFit": 40, "ImageLocality": 8}}},
            "scores",
            "ImageLocality",
            id="score",
        ),
        pytest.param(
            SCHEDULED,
            {
                "scores": {
                    n: {"NodeResourcesFit": s["NodeResourcesFit"]} for n, s in SCHEDULED["scores"].items()
                }
            },
            "scores",
            "ImageLocality",
            id="missing column",
        ),
        pytest.param(SCHEDULED, {"totals": {"n2": 51, "n3": 49}}, "totals", "", id="totals"),
        pytest.param(SCHEDULED, {"ties": ["n2", "n3"]}, "ties", "", id="ties"),
        pytest.param(SCHEDULED, {"selected": "n3"}, "selected", "", id="selected"),
        pytest.param(SCHEDULED, {"evaluated": 3}, "evaluated", "", id="evaluated"),
        pytest.param(SCHEDULED, {"feasibleCount": 3}, "feasibleCount", "", id="feasibleCount"),
        pytest.param(SCHEDULED, {"victims": ["default/v"]}, "victims", "DefaultPreemption", id="victims"),
        pytest.param(SCHEDULED, {"pod": "default/q"}, "pod", "", id="another pod"),
    ],
)
def test_first_difference(want, change, field, plugin):
    found = compare(want, want | change)
    assert found is not None
    assert (found.field, found.plugin) == (field, plugin)


def test_no_result():
    found = compare(SCHEDULED, None)
    assert found is not None
    assert found.field == "missing"


@pytest.mark.parametrize(
    ("change", "only"),
    [
        pytest.param({"preemption": {"eligible": False}}, True, id="preemption"),
        pytest.param({"preemption": None, "event": EVENT.split(" no new")[0]}, True, id="not evaluated"),
        pytest.param({"event": EVENT + " more"}, True, id="text of preemption"),
        pytest.param(
            {"event": EVENT.replace("2 Insufficient cpu", "1 Insufficient cpu")}, False, id="filter part"
        ),
        pytest.param({"failed": {"n1": FIT}}, False, id="a node"),
    ],
)
def test_differences_in_preemption_alone(change, only):
    found = compare(UNSCHEDULABLE, UNSCHEDULABLE | change)
    assert found is not None
    assert found.preemption_only is only
