"""TaintToleration and NodeUnschedulable (spec 02 D.0, D.3, D.5)."""

import pytest
from builders import UU, column, decide, node, pod, rejections, session

from kschedctl.framework.versions.v1_34 import VERSION as V1_34

TAINTED = f"{UU} TaintToleration: node(s) had untolerated taint(s)"
KEY = {"key": "k", "effect": "NoSchedule"}


def refused(taints, tolerations, **options):
    asked = session(node("n1", taints=taints), **options)
    return rejections(decide(asked, pod("p", tolerations=tolerations))).get("n1")


@pytest.mark.parametrize(
    ("taint", "toleration", "tolerated"),
    [
        pytest.param(
            "k=v:NoSchedule", {"key": "k", "operator": "Equal", "value": "v"}, True, id="equal, any effect"
        ),
        pytest.param("k=v:NoSchedule", {"key": "k", "value": "v"}, True, id="no operator is Equal"),
        pytest.param("k=v:NoSchedule", {"key": "k", "value": "w"}, False, id="other value"),
        pytest.param("k=v:NoSchedule", {"key": "k", "operator": "Exists"}, True, id="exists, value ignored"),
        pytest.param("k=v:NoSchedule", {"operator": "Exists"}, True, id="exists without key tolerates all"),
        pytest.param("k=v:NoSchedule", {"key": "j", "operator": "Exists"}, False, id="other key"),
        pytest.param(
            "k=v:NoSchedule",
            {"key": "k", "operator": "Exists", "effect": "NoExecute"},
            False,
            id="other effect",
        ),
        pytest.param(
            "k=v:NoExecute", {"key": "k", "operator": "Exists", "effect": "NoExecute"}, True, id="same effect"
        ),
        pytest.param("k:NoSchedule", {"key": "k", "operator": "Equal"}, True, id="empty values are equal"),
    ],
)
def test_toleration_of_one_taint(taint, toleration, tolerated):
    assert refused([taint], [toleration]) == (None if tolerated else TAINTED)


@pytest.mark.parametrize("effect", ["PreferNoSchedule", ""])
def test_other_effects_never_filter(effect):
    assert refused([f"k=v:{effect}"], []) is None


def test_the_first_patches_of_1_34_name_the_first_taint_that_is_not_tolerated():
    taints = ["soft=x:PreferNoSchedule", "fine=1:NoSchedule", "bad=2:NoExecute", "worse=3:NoSchedule"]
    tolerations = [{"key": "fine", "operator": "Exists"}]
    reason = "node(s) had untolerated taint {bad: 2}"
    found = refused(taints, tolerations, version=V1_34.at_patch(1))
    assert found == f"{UU} TaintToleration: {reason}"


@pytest.mark.parametrize(
    ("operator", "value", "tolerated"),
    [
        pytest.param("Lt", "6", True, id="5 < 6"),
        pytest.param("Lt", "5", False, id="5 < 5"),
        pytest.param("Gt", "4", True, id="5 > 4"),
        pytest.param("Gt", "5", False, id="5 > 5"),
        pytest.param("Gt", "-1", True, id="5 > -1"),
    ],
)
def test_comparison_needs_its_gate(operator, value, tolerated):
    toleration = [{"key": "k", "operator": operator, "value": value, "effect": "NoSchedule"}]
    gate = {"TaintTolerationComparisonOperators": True}
    assert refused(["k=5:NoSchedule"], toleration, gates=gate) == (None if tolerated else TAINTED)


def test_score_is_the_reversed_share_of_intolerable_soft_taints():
    soft = ["a:PreferNoSchedule", "b:PreferNoSchedule", "c:PreferNoSchedule"]
    asked = session(node("n1"), node("n2", taints=soft[:1]), node("n3", taints=soft))
    decision = decide(asked, pod("p"))
    assert column(decision, "TaintToleration", "raw") == {"n1": 0, "n2": 1, "n3": 3}
    assert column(decision, "TaintToleration") == {"n1": 100, "n2": 67, "n3": 0}
    assert column(decision, "TaintToleration", "weighted") == {"n1": 300, "n2": 201, "n3": 0}


def test_nothing_intolerable_scores_100_everywhere():
    decision = decide(session(node("n1"), node("n2")), pod("p"))
    assert column(decision, "TaintToleration") == {"n1": 100, "n2": 100}


def test_repeated_soft_taints_count_each():
    twice = ["a=1:PreferNoSchedule", "a=2:PreferNoSchedule"]
    decision = decide(session(node("n1", taints=twice), node("n2", taints=twice[:1])), pod("p"))
    assert column(decision, "TaintToleration", "raw") == {"n1": 2, "n2": 1}


def test_a_hard_toleration_does_not_help_against_a_soft_taint():
    hard = {"key": "a", "operator": "Exists", "effect": "NoSchedule"}
    decision = decide(session(node("n1", taints=["a:PreferNoSchedule"])), pod("p", tolerations=[hard]))
    assert column(decision, "TaintToleration", "raw") == {"n1": 1}


CORDON = "node.kubernetes.io/unschedulable"


@pytest.mark.parametrize(
    ("toleration", "helps"),
    [
        pytest.param(None, False, id="none"),
        pytest.param({"operator": "Exists"}, True, id="exists, no key"),
        pytest.param({"key": CORDON, "operator": "Exists"}, True, id="exists"),
        pytest.param({"key": CORDON, "operator": "Equal", "value": ""}, True, id="equal to nothing"),
        pytest.param(
            {"key": CORDON, "operator": "Exists", "effect": "NoSchedule"}, True, id="effect NoSchedule"
        ),
        pytest.param({"key": CORDON, "operator": "Equal", "value": "x"}, False, id="equal to something"),
        pytest.param(
            {"key": CORDON, "operator": "Exists", "effect": "NoExecute"}, False, id="effect NoExecute"
        ),
    ],
)
def test_cordoned_node(toleration, helps):
    asked = session(node("n1", cordoned=True))
    found = rejections(decide(asked, pod("p", tolerations=[toleration] if toleration else [])))
    assert found == ({} if helps else {"n1": f"{UU} NodeUnschedulable: node(s) were unschedulable"})


def test_the_taint_of_a_cordoned_node_is_the_business_of_taints():
    asked = session(node("n1", taints=[f"{CORDON}:NoSchedule"]))
    assert rejections(decide(asked, pod("p"))) == {"n1": TAINTED}


@pytest.mark.parametrize(
    ("tolerations", "near"),
    [
        pytest.param([], "", id="no toleration"),
        pytest.param([{"key": "other", "operator": "Exists"}], "", id="of another key"),
        pytest.param([{"key": "k", "value": "w"}], ", only value w is", id="other value"),
        pytest.param([{"key": "k"}], ", only value (empty) is", id="no value"),
        pytest.param(
            [{"key": "k", "operator": "Exists", "effect": "NoExecute"}],
            ", only effect NoExecute is",
            id="other effect",
        ),
        pytest.param(
            [{"key": "k", "value": "w"}, {"key": "k", "value": "x"}, {"key": "k", "value": "w"}],
            ", only value w or value x is",
            id="several",
        ),
        pytest.param([{"key": "k", "operator": "Gt", "value": "5"}], ", only value above 5 is", id="numbers"),
    ],
)
def test_details_tell_by_how_little_a_toleration_misses(tolerations, near):
    gates = {"TaintTolerationComparisonOperators": True}
    asked = session(node("n1", taints=["k=v:NoSchedule"]), every_failure=True, gates=gates)
    (detail,) = decide(asked, pod("p", tolerations=tolerations)).details_of(0)
    assert detail.text == f"taint k=v:NoSchedule is not tolerated{near}"
