"""PodTopologySpread, soft constraints: the worked examples S1 to S8 (spec 03 §1.7, §1.8)."""

import pytest
from builders import HOST, ZONE, column, decide, node, pod, profile, session

NAME = "PodTopologySpread"
WEB, FE = {"app": "web"}, {"tier": "fe"}


def soft(key=ZONE, skew=1, labels=WEB, **more):
    selector = {} if labels is None else {"labelSelector": {"matchLabels": labels}}
    return {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "ScheduleAnyway"} | selector | more


def zoned(zones, cordoned=()):
    """Nodes n1, n2, ... in these zones; a blank is none."""
    return [node(f"n{i}", zone.strip(), cordoned=f"n{i}" in cordoned) for i, zone in enumerate(zones, 1)]


def placed(*counts, labels=WEB):
    """So many pods on n1, n2, ..."""
    return [
        pod(f"w{i}-{j}", f"n{i}", labels=labels) for i, count in enumerate(counts, 1) for j in range(count)
    ]


K = ("AABBC ", (2, 1, 1, 1, 1, 2))
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s", "namespace": "default"},
    "spec": {"selector": WEB},
}


def scores(decision):
    raw, normalized = column(decision, NAME, "raw"), column(decision, NAME)
    return [raw[n] for n in sorted(raw)], [normalized[n] for n in sorted(normalized)]


def of(zones, counts, constraints, *, cordoned=(), others=(), config=None):
    asked = session(zoned(zones, cordoned), placed(*counts), others, config=config)
    return scores(decide(asked, pod("p", labels=WEB, topologySpreadConstraints=constraints)))


@pytest.mark.parametrize(
    ("constraints", "cordoned", "raw", "normalized"),
    [
        pytest.param([soft()], (), [5, 5, 3, 3, 2, 0], [40, 40, 80, 80, 100, 0], id="S1"),
        pytest.param([soft(), soft(HOST)], (), [9, 7, 5, 5, 4, 0], [44, 66, 88, 88, 100, 0], id="S2"),
        pytest.param([soft(), soft(HOST)], ("n3",), [8, 7, 5, 3, 0], [37, 50, 75, 100, 0], id="S3"),
    ],
)
def test_own_constraints_on_cluster_k(constraints, cordoned, raw, normalized):
    assert of(*K, constraints, cordoned=cordoned) == (raw, normalized)


@pytest.mark.parametrize(
    ("zones", "counts", "raw", "normalized"),
    [
        pytest.param(
            *K, [16, 13, 12, 12, 10, 6], [37, 56, 62, 62, 75, 100], id="S4: a node without zone wins"
        ),
        pytest.param("AABBC ", (), [6, 6, 6, 6, 6, 2], [33, 33, 33, 33, 33, 100], id="S4 without pods"),
        pytest.param("AABBCC", (2, 1, 1, 0, 4), [15, 13, 10, 8, 21, 12], [66, 76, 90, 100, 38, 80], id="S5"),
    ],
)
def test_system_defaults(zones, counts, raw, normalized):
    assert of(zones, counts, [], others=[SERVICE]) == (raw, normalized)


def test_a_blank_label_and_none_are_one_domain_of_system_defaults():
    """Pods on n3, which lacks the label, count for n2, whose label is blank: 4 ln 4 + 4, and ln 5 + 2 for the host."""
    nodes = [node("n1", "A"), node("n2", labels={ZONE: ""}), node("n3")]
    asked = session(nodes, placed(1, 1, 3), SERVICE)
    assert scores(decide(asked, pod("p", labels=WEB))) == ([9, 13, 7], [84, 53, 100])


def test_different_selectors():
    """S6."""
    both = WEB | FE
    pods = [
        pod("a", "n1", labels=both),
        pod("b", "n1", labels=WEB),
        pod("c", "n2", labels=WEB),
        pod("d", "n3", labels=FE),
        pod("e", "n3", labels=FE),
        pod("f", "n4", labels=WEB),
        pod("g", "n4", labels=WEB, terminating=True),
        pod("h", "n5", labels=both, namespace="other"),
    ]
    constraints = [soft(skew=2), soft(HOST, labels=FE)]
    decision = decide(
        session(zoned("AABBB"), pods), pod("p", labels=both, topologySpreadConstraints=constraints)
    )
    assert scores(decision) == ([7, 5, 6, 2, 2], [28, 57, 42, 100, 100])


@pytest.mark.parametrize(
    ("skew", "raw", "normalized"),
    [
        (1, [6, 6, 1, 1, 1], [16, 16, 100, 100, 100]),
        (3, [8, 8, 3, 3, 3], [37, 37, 100, 100, 100]),
        (5, [10, 10, 5, 5, 5], [50, 50, 100, 100, 100]),
    ],
)
def test_a_larger_skew_waters_down(skew, raw, normalized):
    """S7."""
    assert of("AABBB", (4, 0, 1), [soft(skew=skew)]) == (raw, normalized)


@pytest.mark.parametrize(
    ("policy", "raw", "normalized"),
    [("Honor", [3, 3, 2, 3], [66, 66, 100, 66]), ("Ignore", [3, 3, 8, 3], [100, 100, 37, 100])],
)
def test_taints_policy(policy, raw, normalized):
    """S8: n4 is tainted, so it cannot be taken, and its pods count only where the policy ignores taints."""
    nodes = [*zoned("AAB"), node("n4", "B", taints=["k=v:NoSchedule"]), node("n5", "C")]
    asked = session(nodes, placed(1, 1, 1, 4, 2))
    constraint = soft(nodeTaintsPolicy=policy)
    assert scores(decide(asked, pod("p", labels=WEB, topologySpreadConstraints=[constraint]))) == (
        raw,
        normalized,
    )


def listed(*constraints):
    return profile(NAME, {"defaultingType": "List", "defaultConstraints": list(constraints)})


def test_listed_defaults_ignore_nodes_without_the_label():
    """Only system defaults score nodes that lack a label."""
    config = listed(soft(labels=None))
    assert of("AB ", (1,), [], others=[SERVICE], config=config) == ([1, 0, 0], [0, 100, 0])


def test_the_count_of_a_host_ignores_the_inclusion_policies():
    """With TaintToleration off, a tainted node is feasible, and its own pods count although taints are honoured."""
    off = [{"name": "TaintToleration"}]
    config = profile(plugins={"filter": {"disabled": off}})
    nodes = [node("n1", taints=["k=v:NoSchedule"]), node("n2")]
    constraint = soft(HOST, nodeTaintsPolicy="Honor")
    decision = decide(
        session(nodes, placed(3, 1), config=config),
        pod("p", labels=WEB, topologySpreadConstraints=[constraint]),
    )
    raw, _ = scores(decision)
    assert raw == [4, 1]


@pytest.mark.parametrize(
    ("service", "owned"),
    [
        pytest.param(None, False, id="no service"),
        pytest.param({"selector": {}}, False, id="a service that selects everything"),
        pytest.param(None, True, id="a Job as owner"),
    ],
)
def test_no_default_selector_no_column(service, owned):
    others = [SERVICE | {"spec": service}] if service else []
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j"} if owned else None
    decision = decide(session(zoned("AB"), placed(1), others), pod("p", labels=WEB, owner=owner))
    assert column(decision, NAME) is None


def test_no_matching_pod_scores_100():
    assert of("AB", (), [soft()]) == ([0, 0], [100, 100])


def test_all_nodes_lack_the_key():
    assert of("  ", (1,), [soft()]) == ([0, 0], [0, 0])


def test_pods_on_nodes_that_lack_one_of_the_keys_do_not_count():
    """n2 is in zone A but in no rack: it gets 0, and its pods do not burden n1."""
    nodes = [node("n1", "A", labels={"rack": "r"}), node("n2", "A"), node("n3", "B", labels={"rack": "r"})]
    constraints = [soft(), soft("rack")]
    decision = decide(
        session(nodes, placed(0, 3)), pod("p", labels=WEB, topologySpreadConstraints=constraints)
    )
    assert scores(decision) == ([0, 0, 0], [100, 0, 100])


def test_another_key_for_each_node_is_an_ordinary_topology():
    nodes = [node(f"n{i}", labels={"name": f"n{i}"}) for i in (1, 2)]
    decision = decide(
        session(nodes, placed(1)), pod("p", labels=WEB, topologySpreadConstraints=[soft("name")])
    )
    assert scores(decision) == ([1, 0], [0, 100])


def test_nominated_pods_do_not_score():
    rival = pod("rival", labels=WEB, priority=10, nominated="n1")
    decision = decide(session(zoned("AB"), rival), pod("p", labels=WEB, topologySpreadConstraints=[soft()]))
    assert scores(decision) == ([0, 0], [100, 100])
