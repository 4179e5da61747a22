"""InterPodAffinity, required terms (spec 03 §2.2 to §2.5)."""

import pytest
from builders import HOST, UU, ZONE, U, decide, feasible, node, pod, rejections, session, victims

from kschedctl.scheduling.decision import Outcome

NAME = "InterPodAffinity"
AFFINITY = f"{UU} {NAME}: node(s) didn't match pod affinity rules"
ANTI = f"{U} {NAME}: node(s) didn't match pod anti-affinity rules"
EXISTING = f"{U} {NAME}: node(s) didn't satisfy existing pods anti-affinity rules"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def term(key, app=None, **more):
    """A term on pods with a label `app`; without one on no pod."""
    selector = {} if app is None else {"labelSelector": {"matchLabels": {"app": app}}}
    return {"topologyKey": key} | selector | more


def near(*terms):
    return {"podAffinity": {REQUIRED: list(terms)}}


def apart(*terms):
    return {"podAntiAffinity": {REQUIRED: list(terms)}}


def app(name, app, on="", **more):
    return pod(name, on, labels={"app": app}, **more)


def nodes():
    """n1 n2 in zone A, n3 n4 in zone B, n5 in none."""
    return [node(f"n{i}", zone) for i, zone in enumerate(["A", "A", "B", "B", ""], 1)]


W1, W2 = app("w1", "web", "n1"), app("w2", "web", "n3")
A1 = app("a1", "api", "n1")
K1 = pod("k1", "n2", affinity=apart(term(HOST, "api")))
WEB_ZONE = near(term(ZONE, "web"))
API_ZONE = near(term(ZONE, "api"))


def found(pods, candidate):
    return rejections(decide(session(nodes(), pods), candidate))


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param([W1, W2, A1, K1], {"n1": ANTI, "n2": EXISTING, "n5": AFFINITY}, id="the example"),
        pytest.param(
            [W1, A1, K1],
            {"n1": ANTI, "n2": EXISTING, "n3": AFFINITY, "n4": AFFINITY, "n5": AFFINITY},
            id="without w2",
        ),
    ],
)
def test_worked_example(pods, expected):
    assert found(pods, app("p", "api", affinity=WEB_ZONE | apart(term(HOST, "api")))) == expected


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param([K1], {"n2": EXISTING, "n5": AFFINITY}, id="the first of its kind"),
        pytest.param(
            [K1, app("a1", "api", "n5")], {"n2": EXISTING, "n5": AFFINITY}, id="one without a zone is none"
        ),
        pytest.param(
            [K1, A1],
            {"n2": EXISTING, "n3": AFFINITY, "n4": AFFINITY, "n5": AFFINITY},
            id="one anywhere ends it",
        ),
    ],
)
def test_bootstrap(pods, expected):
    assert found(pods, app("p", "api", affinity=API_ZONE)) == expected


def test_no_bootstrap_for_a_pod_that_does_not_match_itself():
    assert set(found([], app("p", "x", affinity=API_ZONE)).values()) == {AFFINITY}


def test_bootstrap_needs_every_term_to_match_itself():
    candidate = app("p", "api", affinity=near(term(ZONE, "api"), term(HOST, "web")))
    assert set(found([], candidate).values()) == {AFFINITY}


def test_a_match_with_one_of_two_keys_ends_the_bootstrap():
    """The pod on n5 has the host but no zone: its host counts, so nothing is empty, and no zone is met."""
    candidate = app("p", "api", affinity=near(term(HOST, "api"), term(ZONE, "api")))
    expected = {f"n{i}": AFFINITY for i in range(1, 6)}
    assert found([app("a", "api", "n5")], candidate) == expected


def racks():
    cells = [("n1", "A", "1"), ("n2", "B", "2"), ("n3", "A", "2")]
    return [node(name, zone, labels={"rack": rack}) for name, zone, rack in cells]


def test_pairs_are_tested_one_by_one():
    """Two pods that each match both terms, at (A, 1) and (B, 2): a node at (A, 2) passes."""
    candidate = app("p", "x", affinity=near(term(ZONE, "api"), term("rack", "api")))
    asked = session(racks(), app("p1", "api", "n1"), app("p2", "api", "n2"))
    assert feasible(decide(asked, candidate)) == ["n1", "n2", "n3"]


def test_one_pod_must_match_all_terms():
    candidate = app("p", "x", affinity=near(term(ZONE, "api"), term(HOST, "web")))
    assert set(found([A1, W1], candidate).values()) == {AFFINITY}


def test_anti_affinity_terms_are_matched_one_by_one():
    candidate = app("p", "x", affinity=apart(term(HOST, "api"), term(HOST, "web")))
    assert found([A1, W2], candidate) == {"n1": ANTI, "n3": ANTI}


def test_anti_affinity_over_a_zone():
    assert found([A1], app("p", "x", affinity=apart(term(ZONE, "api")))) == {"n1": ANTI, "n2": ANTI}


def test_a_pod_does_not_keep_away_from_itself():
    assert found([], app("p", "api", affinity=apart(term(ZONE, "api")))) == {}


@pytest.mark.parametrize(
    ("affinity", "expected"),
    [
        pytest.param(
            near(term("rack", "web")), {f"n{i}": AFFINITY for i in range(1, 6)}, id="affinity fails"
        ),
        pytest.param(apart(term("rack", "web")), {}, id="anti-affinity passes"),
    ],
)
def test_a_key_that_no_node_has(affinity, expected):
    assert found([W1], app("p", "api", affinity=affinity)) == expected


@pytest.mark.parametrize(
    "counts", [pytest.param({"terminating": True}, id="terminating"), pytest.param({}, id="running")]
)
def test_terminating_pods_count(counts):
    assert found([app("a", "api", "n1", **counts)], app("p", "x", affinity=apart(term(HOST, "api")))) == {
        "n1": ANTI
    }


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


OTHER = app("o", "api", "n1", namespace="other")


@pytest.mark.parametrize(
    ("scope", "counts"),
    [
        pytest.param({}, False, id="own namespace by default"),
        pytest.param({"namespaces": ["other"]}, True, id="listed"),
        pytest.param({"namespaces": ["default"]}, False, id="another listed"),
        pytest.param({"namespaceSelector": {}}, True, id="all"),
        pytest.param({"namespaceSelector": {"matchLabels": {"env": "prod"}}}, True, id="selected"),
        pytest.param({"namespaceSelector": {"matchLabels": {"env": "dev"}}}, False, id="another selected"),
        pytest.param(
            {"namespaces": ["default"], "namespaceSelector": {"matchLabels": {"env": "prod"}}},
            True,
            id="selected beside one that is listed",
        ),
        pytest.param(
            {"namespaces": ["other"], "namespaceSelector": {"matchLabels": {"env": "dev"}}},
            True,
            id="listed beside one that is selected",
        ),
        pytest.param(
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}},
            True,
            id="by its own name",
        ),
        pytest.param(
            {
                "namespaceSelector": {
                    "matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]
                }
            },
            True,
            id="a negative selector matches every namespace: as upstream",
        ),
        pytest.param(
            {"namespaceSelector": {"matchExpressions": [{"key": "env", "operator": "DoesNotExist"}]}},
            True,
            id="so does one that wants no label",
        ),
    ],
)
def test_namespaces_of_own_terms(scope, counts):
    asked = session(nodes(), OTHER, namespace("other", env="prod"), namespace("default", env="dev"))
    candidate = app("p", "x", affinity=apart(term(HOST, "api", **scope)))
    assert rejections(decide(asked, candidate)) == ({"n1": ANTI} if counts else {})


@pytest.mark.parametrize(
    ("scope", "known", "blocks"),
    [
        pytest.param({}, True, False, id="the namespace of the pod that has the term"),
        pytest.param({"namespaces": ["default"]}, True, True, id="listed"),
        pytest.param({"namespaceSelector": {}}, True, True, id="all"),
        pytest.param({"namespaceSelector": {"matchLabels": {"env": "dev"}}}, True, True, id="selected"),
        pytest.param(
            {"namespaceSelector": {"matchLabels": {"env": "dev"}}},
            False,
            False,
            id="no object, no labels",
        ),
        pytest.param(
            {
                "namespaceSelector": {
                    "matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["dev"]}]
                }
            },
            True,
            False,
            id="a negative selector is right in this direction",
        ),
    ],
)
def test_namespaces_of_existing_terms(scope, known, blocks):
    guard = pod("g", "n1", namespace="other", affinity=apart(term(HOST, "api", **scope)))
    asked = session(nodes(), guard, [namespace("default", env="dev")] if known else [])
    assert rejections(decide(asked, app("p", "api"))) == ({"n1": EXISTING} if blocks else {})


IN_PROD = term(ZONE, "api", namespaceSelector={"matchLabels": {"env": "prod"}})


@pytest.mark.parametrize(
    ("there", "own", "refused"),
    [
        pytest.param({}, {"affinity": apart(IN_PROD)}, {}, id="anti-affinity"),
        pytest.param({"affinity": apart(IN_PROD)}, {}, {}, id="that of the pod there"),
        pytest.param(
            {},
            {"affinity": near(IN_PROD)},
            dict.fromkeys(["n1", "n2", "n3", "n4", "n5"], AFFINITY),
            id="affinity: no match, and the candidate is not the first of its kind",
        ),
    ],
)
def test_a_namespace_selector_does_not_add_the_own_namespace(there, own, refused):
    asked = session(nodes(), app("a1", "api", "n1", **there), namespace("default", env="dev"))
    assert rejections(decide(asked, app("p", "api", **own))) == refused


def test_a_null_selector_matches_no_pod_and_an_empty_one_all():
    assert found([W1, A1], app("p", "x", affinity=apart(term(HOST)))) == {}
    assert found([W1, A1], app("p", "x", affinity=apart(term(HOST, labelSelector={})))) == {"n1": ANTI}


@pytest.mark.parametrize(
    ("labels", "refused"),
    [
        pytest.param({"app": "api", "rev": "2"}, False, id="another revision"),
        pytest.param({"app": "api", "rev": "1"}, True, id="the same revision"),
    ],
)
def test_match_label_keys_are_merged(labels, refused):
    old = pod("old", "n1", labels={"app": "api", "rev": "1"})
    candidate = pod("p", labels=labels, affinity=apart(term(HOST, "api", matchLabelKeys=["rev"])))
    assert found([old], candidate) == ({"n1": ANTI} if refused else {})


def test_a_bad_term_of_an_existing_pod_empties_its_list():
    bad = term(HOST, labelSelector={"matchExpressions": [{"key": "app", "operator": "Near"}]})
    guard = pod("g", "n1", affinity=apart(term(HOST, "api"), bad))
    assert found([guard], app("p", "api")) == {}


def test_required_affinity_of_existing_pods_never_filters():
    follower = pod("f", "n1", affinity=near(term(HOST, "web")))
    assert found([follower], app("p", "api")) == {}


def everywhere_but(*names):
    return [node(n, zone, cordoned=n not in names) for n, zone in [("n1", "A"), ("n2", "A"), ("n3", "B")]]


@pytest.mark.parametrize(
    ("offender", "affinity"),
    [
        pytest.param(app("low", "api", "n1", priority=1), apart(term(HOST, "api")), id="own anti-affinity"),
        pytest.param(
            pod("low", "n1", priority=1, affinity=apart(term(HOST, "db"))), {}, id="that of the pod there"
        ),
    ],
)
def test_preemption_removes_the_offender(offender, affinity):
    asked = session(everywhere_but("n1"), offender)
    decision = decide(asked, app("p", "db", priority=10, affinity=affinity))
    assert victims(decision) == {"n1": ["low"]}


def test_preemption_does_not_reach_other_nodes_of_the_zone():
    asked = session(
        everywhere_but("n1"), app("low", "api", "n2", priority=1), app("bystander", "x", "n1", priority=1)
    )
    decision = decide(asked, app("p", "db", priority=10, affinity=apart(term(ZONE, "api"))))
    assert victims(decision) == {}


def test_a_pod_that_is_needed_is_no_victim():
    """Removing the only pod the candidate wants to be near makes the node hopeless."""
    low = app("low", "web", "n1", priority=1, cpu="4")
    decision = decide(
        session(everywhere_but("n1"), low),
        app("p", "db", priority=10, cpu="1", affinity=near(term(HOST, "web"))),
    )
    assert decision.outcome is Outcome.UNSCHEDULABLE
    assert victims(decision) == {}
    assert "1 node(s) didn't match pod affinity rules" in decision.event


def test_removing_the_last_match_makes_the_candidate_the_first_of_its_kind():
    """Without the victim no pod matches the term any more, and the candidate matches it itself."""
    low = app("low", "web", "n1", priority=1, cpu="4")
    decision = decide(
        session(everywhere_but("n1"), low),
        app("p", "web", priority=10, cpu="1", affinity=near(term(HOST, "web"))),
    )
    assert victims(decision) == {"n1": ["low"]}


def test_a_nominated_pod_keeps_others_away():
    rival = pod("rival", priority=10, nominated="n1", affinity=apart(term(HOST, "api")))
    guard = pod("guard", "n2", priority=10, affinity=apart(term(HOST, "api")))
    assert found([rival, guard], app("p", "api", priority=10)) == {"n1": EXISTING, "n2": EXISTING}


def test_a_nominated_pod_is_not_noticed_where_the_filter_was_skipped():
    """Without any term in the cluster that concerns the pod, the plugin skips, hooks and all."""
    rival = pod("rival", priority=10, nominated="n1", affinity=apart(term(HOST, "api")))
    assert found([rival], app("p", "api", priority=10)) == {}
