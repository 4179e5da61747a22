"""What PodTopologySpread says to people: per node the skew, per decision the domains and which of them count."""

from typing import Any

import pytest
from builders import HOST, ZONE, Data, decide, node, pod, profile, session

from kschedctl.framework.status import Background, BackgroundOf
from kschedctl.scheduling.decision import Decision

WEB = {"app": "web"}


def constraint(key: str = ZONE, skew: int = 1, how: str = "DoNotSchedule", **more: Any) -> Data:
    chosen = {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": how}
    return chosen | {"labelSelector": {"matchLabels": WEB}} | more


def decided(
    *constraints: Data, more: tuple[Data, ...] = (), labels: dict[str, str] = WEB, **spec: Any
) -> Decision:
    """The cluster of the worked example: zones a (3 web pods), b (2), c (1), and n6 without a zone (2)."""
    nodes = [node(f"n{i}", zone) for i, zone in enumerate(("a", "a", "b", "b", "c", ""), 1)]
    places = ("n1", "n1", "n2", "n3", "n4", "n5", "n6", "n6")
    running = [pod(f"w{i}", on, labels=WEB) for i, on in enumerate(places)]
    asked = session(nodes, running, *more, every_failure=True)
    return decide(asked, pod("new", labels=labels, topologySpreadConstraints=list(constraints), **spec))


def texts(decision: Decision, name: str) -> list[str]:
    return [detail.text for detail in decision.details_of(decision.cluster.nodes.row_of[name])]


def only(decision: Decision, asked: BackgroundOf = BackgroundOf.FILTER) -> Background:
    (found,) = [one for one in decision.background() if one.asked is asked]
    return found


def by_domain(background: Background, column: str) -> dict[str, Any]:
    at = background.columns.index(column)
    return {str(row[0]): row[at] for row in background.rows}


def test_a_node_says_its_count_the_minimum_and_the_skew() -> None:
    decision = decided(constraint())

    assert texts(decision, "n1") == [
        f"{ZONE}=a has 3 pods app=web, minimum 1 (c): one more makes skew 3, maxSkew is 1"
    ]
    assert texts(decision, "n6") == [f"no label {ZONE}, which a spread constraint needs"]
    assert texts(decision, "n5") == []


def test_nodes_of_one_cause_share_a_subject() -> None:
    decision = decided(constraint())

    subjects = {d.subject for row in range(6) for d in decision.details_of(row) if ZONE in d.subject}
    assert subjects == {
        f"spread over {ZONE}: skew above 1",
        f"no label {ZONE}, which a spread constraint needs",
    }


def test_a_pod_that_does_not_match_its_selector_adds_nothing() -> None:
    decision = decided(constraint(), labels={"app": "other"})

    assert texts(decision, "n1") == [
        f"{ZONE}=a has 3 pods app=web, minimum 1 (c): without this pod, which is not counted, skew 2, maxSkew is 1"
    ]
    assert "this pod does not match the selector and adds nothing" in only(decision).notes[0]


def test_every_constraint_that_is_violated_is_told() -> None:
    decision = decided(constraint(), constraint(HOST))

    assert [text.split("=")[0] for text in texts(decision, "n1")] == [ZONE, HOST]


def test_domains_stand_with_their_counts_fewest_first() -> None:
    background = only(decided(constraint()))

    assert background.title == f"spread of app=web in default over {ZONE}, skew at most 1"
    assert background.columns == ("domain", "pods", "nodes", "counted", "skew", "fits")
    assert background.rows == (
        ("c", 1, 1, True, 1, True),
        ("b", 2, 2, True, 2, False),
        ("a", 3, 2, True, 3, False),
    )
    assert background.notes == (
        "The minimum is 1 (c); this pod adds 1.",
        f"Not counted: n6 (no label {ZONE}).",
    )


def test_too_few_domains() -> None:
    decision = decided(constraint(minDomains=4))

    assert only(decision).notes[0] == "The minimum is taken as 0: 3 domains, minDomains 4; this pod adds 1."
    assert "minimum taken as 0 (3 domains, minDomains 4): one more makes skew 2" in texts(decision, "n5")[0]


TAINTED = node("n7", "d", taints=("dedicated=gpu:NoSchedule",))


@pytest.mark.parametrize(
    ("policy", "counted", "note"),
    [
        pytest.param(
            "Ignore",
            True,
            "Counted although barred to the pod: n7 (taints, nodeTaintsPolicy Ignore).",
            id="ignored",
        ),
        pytest.param(
            "Honor",
            False,
            "Not counted: n7 (taints that the pod does not tolerate, nodeTaintsPolicy Honor).",
            id="honored",
        ),
    ],
)
def test_tainted_nodes(policy: str, counted: bool, note: str) -> None:
    background = only(decided(constraint(nodeTaintsPolicy=policy), more=(TAINTED,)))

    assert by_domain(background, "counted")["d"] is counted
    assert note in background.notes


def test_a_minimum_where_the_pod_cannot_go_is_pointed_out() -> None:
    background = only(decided(constraint(), more=(TAINTED,)))

    assert background.notes[0] == "The minimum is 0 (d, where the pod cannot go); this pod adds 1."


@pytest.mark.parametrize(
    ("policy", "counted", "cause"),
    [
        pytest.param(
            "Honor", False, "the pod's node selector or affinity, nodeAffinityPolicy Honor", id="honored"
        ),
        pytest.param(
            "Ignore", True, "its node selector or affinity, nodeAffinityPolicy Ignore", id="ignored"
        ),
    ],
)
def test_nodes_that_the_pod_does_not_select(policy: str, counted: bool, cause: str) -> None:
    other = node("n7", "d", labels={"disk": "hdd"})
    selected = {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]}]
        }
    }
    decision = decided(
        constraint(nodeAffinityPolicy=policy), more=(other,), affinity={"nodeAffinity": selected}
    )

    background = only(decision)
    assert by_domain(background, "counted")["d"] is counted
    assert any(f"n7 ({cause})" in note for note in background.notes)


def test_a_node_that_lacks_the_key_of_another_constraint() -> None:
    decision = decided(constraint(), constraint("rack", 9))

    zone = decision.background()[0]
    assert "Not counted: n1, n2, n3, n4, n5 (lacks the key of another hard constraint)." in zone.notes
    assert set(by_domain(zone, "counted").values()) == {False}


def test_an_empty_selector_counts_nothing() -> None:
    background = only(decided(constraint(labelSelector={})))

    assert set(by_domain(background, "pods").values()) == {0}
    assert "The selector is empty: kube-scheduler counts no running pod for it." in background.notes


def test_wished_spread_says_what_each_domain_adds() -> None:
    background = only(decided(constraint(how="ScheduleAnyway")), BackgroundOf.SCORE)

    assert background.rows == (("c", 1, 1.61), ("b", 2, 3.22), ("a", 3, 4.83))
    assert background.notes[-1] == "0 points: n6 (lacks a key)."


def test_default_constraints_are_told_as_such() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": WEB}}
    asked = session(node("n1", "a"), node("n2", "b"), service, every_failure=True)
    found = decide(asked, pod("new", labels=WEB)).background()

    assert [one.title for one in found] == [
        f"spread of app=web in default over {HOST}, wished",
        f"spread of app=web in default over {ZONE}, wished",
    ]
    assert all("A default constraint; the selector is" in one.notes[-1] for one in found)


def test_nothing_is_said_where_nothing_is_asked() -> None:
    asked = session(node("n1", "a"), every_failure=True)

    assert decide(asked, pod("new")).background() == ()


def test_a_disabled_filter_has_no_background() -> None:
    off = profile(plugins={"multiPoint": {"disabled": [{"name": "PodTopologySpread"}]}})
    asked = session(node("n1", "a"), config=off, every_failure=True)

    assert decide(asked, pod("new", labels=WEB, topologySpreadConstraints=[constraint()])).background() == ()
