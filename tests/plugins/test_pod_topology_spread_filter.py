"""PodTopologySpread, hard constraints (spec 03 §1.2 to §1.6)."""

import pytest
from builders import (
    HOST,
    UU,
    ZONE,
    U,
    codes,
    decide,
    feasible,
    node,
    pod,
    profile,
    rejections,
    session,
    victims,
)

from kschedctl.scheduling.decision import Outcome

WEB = {"matchLabels": {"app": "web"}}
SKEW = f"{U} PodTopologySpread: node(s) didn't match pod topology spread constraints"
LABEL = (
    f"{UU} PodTopologySpread: node(s) didn't match pod topology spread constraints (missing required label)"
)
OK, SHORT, MISSING = "", "U", "UU"


def hard(key=ZONE, skew=1, selector=WEB, **more):
    constraint = {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule"} | more
    return constraint if selector is None else constraint | {"labelSelector": selector}


def web(name, on="", **more):
    return pod(name, on, labels={"app": "web"}, **more)


def cluster_k(**options):
    """n1 n2 zone A, n3 n4 zone B, n5 zone C, n6 none; so many web pods on each."""
    nodes = [node(f"n{i}", zone) for i, zone in enumerate(["A", "A", "B", "B", "C", ""], 1)]
    pods = [
        web(f"w{on}-{i}", on)
        for on, count in zip(["n1", "n2", "n3", "n4", "n5", "n6"], [2, 1, 1, 1, 1, 2], strict=True)
        for i in range(count)
    ]
    return session(nodes, pods, **options)


NOT_N5 = {"key": HOST, "operator": "NotIn", "values": ["n5"]}
AWAY_FROM_N5 = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [NOT_N5]}]
        }
    }
}


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        pytest.param([hard()], [SHORT, SHORT, SHORT, SHORT, OK, MISSING], id="zone 1"),
        pytest.param([hard(skew=2), hard(HOST)], [SHORT, SHORT, OK, OK, OK, MISSING], id="zone 2, host 1"),
        pytest.param([hard(HOST), hard()], [SHORT, SHORT, SHORT, SHORT, OK, MISSING], id="host 1, zone 1"),
        pytest.param([hard(skew=2, minDomains=3)], [SHORT, SHORT, OK, OK, OK, MISSING], id="enough domains"),
        pytest.param(
            [hard(skew=2, minDomains=4)], [SHORT, SHORT, SHORT, SHORT, OK, MISSING], id="too few domains"
        ),
        pytest.param([hard(selector={})], [OK, OK, OK, OK, OK, MISSING], id="empty selector counts nothing"),
        pytest.param([hard(selector=None)], [OK, OK, OK, OK, OK, MISSING], id="no selector matches nothing"),
    ],
)
def test_cluster_k(constraints, expected):
    found = codes(decide(cluster_k(), web("p", topologySpreadConstraints=constraints)))
    assert list(found.values()) == expected


def test_a_pod_that_does_not_match_its_own_selector():
    found = codes(decide(cluster_k(), pod("p", topologySpreadConstraints=[hard()])))
    assert list(found.values()) == [SHORT, SHORT, OK, OK, OK, MISSING]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        pytest.param("Honor", [SKEW, SKEW, None, None], id="the domain that is out of reach does not count"),
        pytest.param("Ignore", [SKEW, SKEW, SKEW, SKEW], id="it holds the minimum down"),
    ],
)
def test_node_affinity_policy(policy, expected):
    constraint = hard(nodeAffinityPolicy=policy)
    found = rejections(
        decide(cluster_k(), web("p", affinity=AWAY_FROM_N5, topologySpreadConstraints=[constraint]))
    )
    assert [found.get(f"n{i}") for i in range(1, 5)] == expected
    assert "NodeAffinity" in found["n5"]
    assert "NodeAffinity" not in found["n6"]


@pytest.mark.parametrize(
    ("policy", "fits"),
    [pytest.param("Honor", ["a1", "b1"], id="honoured"), pytest.param("Ignore", [], id="ignored")],
)
def test_node_taints_policy(policy, fits):
    nodes = [node("a1", "A"), node("b1", "B"), node("c1", "C", taints=["k=v:NoSchedule"])]
    pods = [web("w1", "a1"), web("w2", "b1")]
    constraint = hard(nodeTaintsPolicy=policy)
    decision = decide(session(nodes, pods), web("p", topologySpreadConstraints=[constraint]))
    assert (feasible(decision) if decision.outcome is Outcome.SCHEDULED else []) == fits


@pytest.mark.parametrize(
    ("operator", "fits"),
    [
        pytest.param("Gt", ["c1"], id="tolerated: an empty domain more"),
        pytest.param("Lt", ["a1", "b1"], id="not tolerated"),
    ],
)
def test_the_taints_policy_compares_numbers_behind_its_gate(operator, fits):
    nodes = [node("a1", "A"), node("b1", "B"), node("c1", "C", taints=["k=10:NoSchedule"])]
    pods = [web("w1", "a1"), web("w2", "b1")]
    candidate = web(
        "p",
        topologySpreadConstraints=[hard(nodeTaintsPolicy="Honor")],
        tolerations=[{"key": "k", "operator": operator, "value": "5"}],
    )
    asked = session(nodes, pods, gates={"TaintTolerationComparisonOperators": True})
    assert feasible(decide(asked, candidate)) == fits


def test_a_cordon_counts_through_its_taint_alone():
    nodes = [node("a1", "A"), node("c1", "C", cordoned=True)]
    decision = decide(
        session(nodes, web("w", "a1")), web("p", topologySpreadConstraints=[hard(nodeTaintsPolicy="Honor")])
    )
    assert rejections(decision)["a1"] == SKEW


def test_a_skew_failure_hides_a_missing_label_behind_it():
    """No node counts for the hosts, since none has both keys; minDomains then keeps the minimum at 0."""
    constraints = [hard(HOST, minDomains=2), hard("rack")]
    matching = session(node("n1"), node("n2", labels={"rack": "r"}), web("w", "n2"))
    decision = decide(matching, web("p", topologySpreadConstraints=constraints))
    assert rejections(decision) == {"n1": LABEL, "n2": SKEW}


def test_pods_on_nodes_that_lack_a_key_do_not_count():
    nodes, pods = [node("n1"), node("n2", "A")], [web("w1", "n1"), web("w2", "n1")]
    decision = decide(session(nodes, pods), web("p", topologySpreadConstraints=[hard(HOST), hard()]))
    assert rejections(decision) == {"n1": LABEL}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"terminating": True}, id="terminating"),
        pytest.param({"namespace": "other"}, id="another namespace"),
    ],
)
def test_pods_that_do_not_count(other):
    nodes = [node("a1", "A"), node("b1", "B")]
    decision = decide(session(nodes, web("w", "a1", **other)), web("p", topologySpreadConstraints=[hard()]))
    assert feasible(decision) == ["a1", "b1"]


def test_an_empty_label_value_is_a_domain():
    nodes = [node("a1", labels={ZONE: ""}), node("b1", "B")]
    decision = decide(session(nodes, web("w", "a1")), web("p", topologySpreadConstraints=[hard()]))
    assert rejections(decision) == {"a1": SKEW}


@pytest.mark.parametrize(
    ("labels", "fits"),
    [
        pytest.param({"app": "web", "rev": "new"}, ["a1", "b1"], id="the other revision does not count"),
        pytest.param({"app": "web", "rev": "old"}, ["b1"], id="the own one does"),
        pytest.param({"app": "web"}, ["b1"], id="a key that the pod lacks is left out"),
    ],
)
def test_match_label_keys(labels, fits):
    nodes = [node("a1", "A"), node("b1", "B")]
    old = pod("w", "a1", labels={"app": "web", "rev": "old"})
    candidate = pod("p", labels=labels, topologySpreadConstraints=[hard(matchLabelKeys=["rev"])])
    assert feasible(decide(session(nodes, old), candidate)) == fits


def test_match_label_keys_behind_their_gate():
    gates = {
        "MatchLabelKeysInPodTopologySpread": False,
        "MatchLabelKeysInPodTopologySpreadSelectorMerge": False,
    }
    nodes = [node("a1", "A"), node("b1", "B")]
    old = pod("w", "a1", labels={"app": "web", "rev": "old"})
    labels = {"app": "web", "rev": "new"}
    candidate = pod("p", labels=labels, topologySpreadConstraints=[hard(matchLabelKeys=["rev"])])
    assert feasible(decide(session(nodes, old, gates=gates), candidate)) == ["b1"]


SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s", "namespace": "default"},
    "spec": {"selector": {"app": "web"}},
}


def listed(*constraints):
    return profile("PodTopologySpread", {"defaultingType": "List", "defaultConstraints": list(constraints)})


@pytest.mark.parametrize(
    ("objects", "own", "fits"),
    [
        pytest.param([SERVICE], [], ["b1"], id="selector of the service"),
        pytest.param([], [], ["a1", "b1"], id="no selector to be found"),
        pytest.param(
            [SERVICE | {"metadata": {"name": "s", "namespace": "other"}}],
            [],
            ["a1", "b1"],
            id="a service of another namespace",
        ),
        pytest.param(
            [SERVICE],
            [hard(HOST, whenUnsatisfiable="ScheduleAnyway")],
            ["a1", "b1"],
            id="an own one turns them off",
        ),
    ],
)
def test_default_constraints(objects, own, fits):
    asked = session(
        [node("a1", "A"), node("b1", "B")], web("w", "a1"), objects, config=listed(hard(selector=None))
    )
    assert feasible(decide(asked, web("p", topologySpreadConstraints=own))) == fits


def replica_set(**selector):
    meta = {"name": "rs", "namespace": "default"}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": meta,
        "spec": {"selector": {"matchLabels": selector}},
    }


@pytest.mark.parametrize(
    ("owner", "fits"),
    [
        pytest.param(
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs"},
            ["a1", "b1"],
            id="only its revision",
        ),
        pytest.param(
            {"apiVersion": "batch/v1", "kind": "Job", "name": "rs"}, ["b1"], id="a kind that adds nothing"
        ),
        pytest.param(
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone"},
            ["b1"],
            id="an owner that is not there",
        ),
    ],
)
def test_default_selector_of_an_owner(owner, fits):
    """Service and ReplicaSet together: pods of another revision are not spread against."""
    old = pod("w", "a1", labels={"app": "web", "hash": "h0"})
    objects = [SERVICE, replica_set(app="web", hash="h1")]
    asked = session([node("a1", "A"), node("b1", "B")], old, objects, config=listed(hard(selector=None)))
    candidate = pod("p", labels={"app": "web", "hash": "h1"}, owner=owner)
    assert feasible(decide(asked, candidate)) == fits


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"selector": {"hash": "h1"}}, id="its selector"),
        pytest.param(
            {"template": {"metadata": {"labels": {"hash": "h1"}}}}, id="by default its template's labels"
        ),
    ],
)
def test_default_selector_of_a_replication_controller(spec):
    controller = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "rc", "namespace": "default"},
        "spec": spec,
    }
    owner = {"apiVersion": "v1", "kind": "ReplicationController", "name": "rc"}
    pods = [pod("w1", "a1", labels={"hash": "h1"}), pod("w2", "b1", labels={"hash": "h0"})]
    asked = session([node("a1", "A"), node("b1", "B")], pods, controller, config=listed(hard(selector=None)))
    assert feasible(decide(asked, pod("p", labels={"hash": "h1"}, owner=owner))) == ["b1"]


def test_a_replication_controller_wins_over_a_service():
    """Its selector need not match the pod: with both on one key, its value counts."""
    controller = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "rc", "namespace": "default"},
        "spec": {"selector": {"app": "other"}},
    }
    owner = {"apiVersion": "v1", "kind": "ReplicationController", "name": "rc"}
    pods = [web("w1", "a1"), web("w2", "a1"), pod("o", "b1", labels={"app": "other"})]
    asked = session(
        [node("a1", "A"), node("b1", "B")], pods, SERVICE, controller, config=listed(hard(selector=None))
    )
    # The pod does not match the selector itself, so that one more than the minimum is still fine.
    assert feasible(decide(asked, web("p", owner=owner))) == ["a1", "b1"]
    more = pod("o2", "b1", labels={"app": "other"})
    asked = session(
        [node("a1", "A"), node("b1", "B")],
        pods,
        more,
        SERVICE,
        controller,
        config=listed(hard(selector=None)),
    )
    assert feasible(decide(asked, web("p", owner=owner))) == ["a1"]


def test_a_bad_selector_of_an_owner_adds_nothing():
    broken = replica_set()
    broken["spec"]["selector"] = {"matchExpressions": [{"key": "hash", "operator": "Foo"}]}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs"}
    asked = session(
        [node("a1", "A"), node("b1", "B")],
        web("w", "a1"),
        SERVICE,
        broken,
        config=listed(hard(selector=None)),
    )
    assert feasible(decide(asked, web("p", owner=owner))) == ["b1"]


def test_removing_a_terminating_pod_lowers_a_count_it_was_never_in():
    """The real scheduler does not look at the deletion in RemovePod, so T makes room by its removal."""
    nodes = [node("n1", "A"), node("n2", "B")]
    pods = [web("l1", "n1", priority=100), web("l2", "n1", priority=100), web("b", "n2", priority=100)]
    asked = session(nodes, pods, web("t", "n1", priority=1, terminating=True))
    decision = decide(
        asked, web("p", priority=10, topologySpreadConstraints=[hard()], nodeSelector={HOST: "n1"})
    )
    # Zone B is out of reach by the selector and so counts nothing: only zone A is left, at its own minimum.
    assert decision.outcome is Outcome.SCHEDULED
    constraint = hard(nodeAffinityPolicy="Ignore")
    decision = decide(
        asked, web("q", priority=10, topologySpreadConstraints=[constraint], nodeSelector={HOST: "n1"})
    )
    assert victims(decision) == {"n1": ["t"]}


def test_preemption_within_a_zone():
    nodes = [node("a1", "A"), node("a2", "A"), node("b1", "B", cordoned=True)]
    pods = [
        web("low1", "a1", priority=1, start="2024-01-01T00:00:00Z"),
        web("low2", "a1", priority=1, start="2024-01-02T00:00:00Z"),
    ]
    others = [web("fixed", "a2", priority=100), web("b", "b1", priority=100)]
    decision = decide(session(nodes, pods, others), web("p", priority=10, topologySpreadConstraints=[hard()]))
    assert victims(decision) == {"a1": ["low1", "low2"]}


@pytest.mark.parametrize(
    ("selector", "refused"),
    [pytest.param(WEB, True, id="matching"), pytest.param({}, True, id="empty, yet counted here")],
)
def test_nominated_pods_count_on_their_node(selector, refused):
    nodes = [node("a1", "A"), node("b1", "B")]
    rival = web("rival", priority=10, nominated="a1")
    decision = decide(
        session(nodes, rival), web("p", priority=10, topologySpreadConstraints=[hard(selector=selector)])
    )
    assert rejections(decision) == ({"a1": SKEW} if refused else {})


def test_a_nominated_pod_may_raise_the_minimum():
    """Zone A is the lowest; with the rival there it has as many as B, and one more is fine."""
    nodes = [node("a1", "A"), node("b1", "B")]
    rival = web("rival", priority=10, nominated="a1")
    asked = session(nodes, rival, web("w", "b1"))
    decision = decide(asked, web("p", priority=10, topologySpreadConstraints=[hard()]))
    assert rejections(decision) == {"b1": SKEW}


@pytest.mark.parametrize(
    ("policy", "refused"),
    [pytest.param("Honor", {}, id="honoured"), pytest.param("Ignore", {"a1": SKEW}, id="ignored")],
)
def test_a_nominated_pod_counts_where_the_policies_accept_its_node(policy, refused):
    """With TaintToleration off, the tainted node is tried, and the policy alone decides what counts there."""
    config = profile(plugins={"filter": {"disabled": [{"name": "TaintToleration"}]}})
    nodes = [node("a1", "A", taints=["k=v:NoSchedule"]), node("a2", "A"), node("b1", "B")]
    rival = web("rival", priority=10, nominated="a1")
    constraint = hard(nodeTaintsPolicy=policy)
    decision = decide(
        session(nodes, rival, config=config), web("p", priority=10, topologySpreadConstraints=[constraint])
    )
    assert rejections(decision) == refused


def test_a_nominated_pod_does_not_count_on_a_node_that_lacks_a_key():
    nodes = [node("a1", "A"), node("a2", "A", labels={"rack": "r"}), node("b1", "B", labels={"rack": "r"})]
    rival = web("rival", priority=10, nominated="a1")
    constraints = [hard(), hard("rack")]
    decision = decide(session(nodes, rival), web("p", priority=10, topologySpreadConstraints=constraints))
    assert rejections(decision) == {"a1": LABEL}
