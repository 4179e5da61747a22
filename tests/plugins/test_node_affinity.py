"""NodeAffinity and NodeName (spec 02 D.4, D.6, B.3)."""

import pytest
from builders import UU, column, decide, feasible, node, pod, profile, rejections, session

from kschedctl.scheduling.decision import Outcome

MISMATCH = f"{UU} NodeAffinity: node(s) didn't match Pod's node affinity/selector"
ENFORCED = f"{UU} NodeAffinity: node(s) didn't match scheduler-enforced node affinity"
CONFINED = f"{UU} : node(s) didn't satisfy plugin(s) [NodeAffinity]"


def labelled(**cells):
    """A node for each name, with its value of the label `disk`; None: without the label."""
    return [node(name, labels={} if disk is None else {"disk": disk}) for name, disk in cells.items()]


def expression(key, operator, *values):
    return {"key": key, "operator": operator, "values": list(values)}


def term(*expressions, fields=()):
    return {"matchExpressions": list(expressions), "matchFields": list(fields)}


def named(*names):
    return term(fields=[expression("metadata.name", "In", *names)])


def required(*terms):
    return {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    }


def preferred(*weighted):
    listed = [{"weight": weight, "preference": preference} for weight, preference in weighted]
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": listed}}


@pytest.mark.parametrize(
    ("operator", "values", "matching"),
    [
        pytest.param("In", ["ssd", "nvme"], ["ssd"], id="In"),
        pytest.param("NotIn", ["ssd"], ["bare", "five"], id="NotIn takes absent keys"),
        pytest.param("Exists", [], ["five", "ssd"], id="Exists"),
        pytest.param("DoesNotExist", [], ["bare"], id="DoesNotExist"),
        pytest.param("Gt", ["4"], ["five"], id="Gt"),
        pytest.param("Lt", ["6"], ["five"], id="Lt"),
        pytest.param("Gt", ["5"], [], id="Gt is strict"),
        pytest.param("Gt", ["x"], [], id="an operand that is no number never matches"),
    ],
)
def test_operators(operator, values, matching):
    asked = session(labelled(bare=None, five="5", ssd="ssd"))
    decision = decide(asked, pod("p", affinity=required(term(expression("disk", operator, *values)))))
    assert [n for n in ("bare", "five", "ssd") if n not in rejections(decision)] == matching
    assert set(rejections(decision).values()) <= {MISMATCH}


def test_terms_are_ored_and_expressions_anded():
    asked = session(
        node("a", labels={"x": "1", "y": "1"}), node("b", labels={"x": "1"}), node("c", labels={"z": "1"})
    )
    both, alone = term(expression("x", "Exists"), expression("y", "Exists")), term(expression("z", "Exists"))
    assert feasible(decide(asked, pod("p", affinity=required(both, alone)))) == ["a", "c"]


def test_selector_and_affinity_must_both_match():
    asked = session(
        node("a", labels={"x": "1", "y": "1"}), node("b", labels={"x": "1"}), node("c", labels={"y": "1"})
    )
    candidate = pod("p", nodeSelector={"y": "1"}, affinity=required(term(expression("x", "Exists"))))
    assert feasible(decide(asked, candidate)) == ["a"]


@pytest.mark.parametrize(
    ("terms", "passing", "others"),
    [
        pytest.param([named("n1")], ["n1"], CONFINED, id="one name"),
        pytest.param(
            [named("n1"), named("n2")], ["n1", "n2"], CONFINED, id="names of several terms are joined"
        ),
        pytest.param(
            [named("n1"), term(expression("disk", "Exists"))], ["n1", "n3"], MISMATCH, id="one term without"
        ),
        pytest.param([named("gone")], [], CONFINED, id="a node that does not exist"),
        pytest.param(
            [named("n1"), term()], ["n1"], MISMATCH, id="an empty term ends the narrowing, matches nothing"
        ),
    ],
)
def test_narrowing_by_name(terms, passing, others):
    asked = session(labelled(n1=None, n2=None, n3="ssd"))
    found = rejections(decide(asked, pod("p", affinity=required(*terms))))
    assert found == {n: others for n in ("n1", "n2", "n3") if n not in passing}


@pytest.mark.parametrize(
    ("label", "bound", "told"),
    [
        ("151", "150.1", "label build=151, wants Gt [150.1], which is no integer and matches nothing"),
        ("1.5k", "150", "label build=1.5k, wants Gt [150]; 1.5k is no integer"),
        ("149", "150", "label build=149, wants Gt [150]"),
    ],
    ids=["the bound", "the label", "neither"],
)
def test_what_is_no_integer_is_told_where_integers_are_compared(label, bound, told):
    asked = session(node("n1", labels={"build": label}))
    decision = decide(asked, pod("p", affinity=required(term(expression("build", "Gt", bound)))))
    assert [detail.text for detail in decision.details_of(0)] == [told]


def test_names_that_exclude_each_other_reject_the_pod():
    conflict = term(fields=[expression("metadata.name", "In", "n1"), expression("metadata.name", "In", "n2")])
    decision = decide(session(node("n1"), node("n2")), pod("p", affinity=required(conflict)))
    assert decision.event.startswith("0/2 nodes are available: pod affinity terms conflict.")


def test_added_affinity_comes_first():
    added = {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [term(expression("disk", "Exists"))]
        }
    }
    asked = session(labelled(a=None, b="ssd"), config=profile("NodeAffinity", {"addedAffinity": added}))
    assert rejections(decide(asked, pod("p", nodeSelector={"disk": "hdd"}))) == {"a": ENFORCED, "b": MISMATCH}


def test_preferred_terms_add_their_weights():
    asked = session(node("a", labels={"x": "1"}), node("b", labels={"x": "1", "y": "1"}), node("c"))
    wanted = preferred((10, term(expression("x", "Exists"))), (30, term(expression("y", "Exists"))))
    decision = decide(asked, pod("p", affinity=wanted))
    assert column(decision, "NodeAffinity", "raw") == {"a": 10, "b": 40, "c": 0}
    assert column(decision, "NodeAffinity") == {"a": 25, "b": 100, "c": 0}
    assert column(decision, "NodeAffinity", "weighted") == {"a": 50, "b": 200, "c": 0}


def test_added_preferences_count_with_those_of_the_pod():
    added = {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 7, "preference": term(expression("x", "Exists"))}
        ]
    }
    config = profile("NodeAffinity", {"addedAffinity": added})
    asked = session(node("a", labels={"x": "1"}), node("b", labels={"y": "1"}), config=config)
    decision = decide(asked, pod("p", affinity=preferred((5, term(expression("y", "Exists"))))))
    assert column(decision, "NodeAffinity", "raw") == {"a": 7, "b": 5}


def added_preferences(*weighted):
    """A profile that adds preferred terms to every pod."""
    return profile("NodeAffinity", {"addedAffinity": preferred(*weighted)["nodeAffinity"]})


def test_added_preferences_make_a_column_even_where_they_count_nothing():
    config = added_preferences((0, term(expression("x", "Exists"))))
    assert column(decide(session(node("a"), config=config), pod("p")), "NodeAffinity") == {"a": 0}


@pytest.mark.parametrize(
    ("negative", "outcome"),
    [pytest.param(-1, Outcome.SCHEDULED, id="truncates to 0"), pytest.param(-50, Outcome.ERROR, id="-5 %")],
)
@pytest.mark.parametrize("single", [True, False], ids=["in full", "from what is kept of the class"])
def test_added_preferences_may_be_negative(negative, outcome, single):
    terms = (negative, term(expression("x", "Exists"))), (1000, term(expression("y", "Exists")))
    nodes = [node("a", labels={"x": "1"}), node("b", labels={"y": "1"})]
    asked = session(nodes, config=added_preferences(*terms), score_single=single)
    assert decide(asked, pod("p")).outcome is outcome


def test_no_column_without_preferences():
    assert column(decide(session(node("a")), pod("p")), "NodeAffinity") is None


def test_preferences_that_nothing_matches_score_0():
    decision = decide(session(node("a")), pod("p", affinity=preferred((5, term(expression("x", "Exists"))))))
    assert column(decision, "NodeAffinity") == {"a": 0}


def test_a_bad_preference_fails_the_pod_at_scoring():
    bad = preferred((1, term(expression("disk", "In", "bad value"))))
    decision = decide(session(node("a")), pod("p", affinity=bad))
    assert decision.outcome is Outcome.ERROR
    assert decision.message.startswith(
        'running PreScore plugin "NodeAffinity": [0].matchExpressions[0].values[0][disk]: '
        'Invalid value: "bad value": a valid label must be an empty string or consist of'
    )


def test_node_name():
    decision = decide(session(node("a"), node("b")), pod("p", on="b"))
    assert rejections(decision) == {"a": f"{UU} NodeName: node(s) didn't match the requested node name"}
