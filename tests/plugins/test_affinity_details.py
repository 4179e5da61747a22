"""What InterPodAffinity says to people: who attracts or repels, by which term, in which direction."""

from collections.abc import Sequence
from typing import Any

import pytest
from builders import HOST, ZONE, Data, decide, node, pod, session

from kschedctl.framework.status import Background, BackgroundOf
from kschedctl.scheduling.decision import Decision


def term(app: str, key: str = ZONE, **more: Any) -> Data:
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}} | more


def required(kind: str, *terms: Data) -> Data:
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def preferred(kind: str, weight: int, term: Data) -> Data:
    wish = {"weight": weight, "podAffinityTerm": term}
    return {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}}


NODES = [node(f"n{i}", zone) for i, zone in enumerate(("a", "a", "b", "b", ""), 1)]


def decided(*running: Data, app: str = "api", others: Sequence[Data] = (), **affinity: Any) -> Decision:
    """Zones a (n1, n2) and b (n3, n4), n5 without a zone."""
    asked = session(NODES, list(running), list(others), every_failure=True)
    return decide(asked, pod("new", labels={"app": app}, affinity=affinity))


def web(name: str, on: str, app: str = "web", namespace: str = "default", **affinity: Any) -> Data:
    return pod(name, on, labels={"app": app}, namespace=namespace, affinity=affinity)


def texts(decision: Decision, name: str) -> list[str]:
    return [detail.text for detail in decision.details_of(decision.cluster.nodes.row_of[name])]


def facts(decision: Decision, asked: BackgroundOf = BackgroundOf.FILTER) -> list[Background]:
    return [one for one in decision.background() if one.asked is asked]


def test_affinity_that_no_pod_meets() -> None:
    decision = decided(web("w", "n1"), **required("podAffinity", term("web")))

    assert texts(decision, "n3") == [f"its pod affinity over {ZONE}: no app=web in default in {ZONE}=b"]
    assert texts(decision, "n5") == [f"no label {ZONE}, which its pod affinity to app=web in default needs"]
    assert texts(decision, "n2") == []


def test_only_the_term_that_is_not_met_is_told() -> None:
    decision = decided(web("w", "n1"), **required("podAffinity", term("web"), term("web", HOST)))

    assert texts(decision, "n2") == [f"its pod affinity over {HOST}: no app=web in default in {HOST}=n2"]


def test_its_own_anti_affinity_names_the_pod_it_avoids() -> None:
    decision = decided(web("w1", "n3"), web("w2", "n4"), **required("podAntiAffinity", term("web")))

    own = f"its anti-affinity to app=web in default over {ZONE}"
    assert texts(decision, "n4") == [f"{own}: default/w2 on n4 and 1 more in {ZONE}=b"]
    assert texts(decision, "n3") == [f"{own}: default/w1 on n3 and 1 more in {ZONE}=b"]


def test_a_running_pod_keeps_it_away_by_its_own_term() -> None:
    lonely = web("lonely", "n1", **required("podAntiAffinity", term("other", HOST), term("api", HOST)))
    decision = decided(lonely)

    assert texts(decision, "n1") == [f"default/lonely on n1 keeps away app=api in default over {HOST}"]


def test_replicas_that_are_to_be_apart_are_one_fact() -> None:
    apart = required("podAntiAffinity", term("api"))
    decision = decided(web("other", "n1", app="api", **apart), **apart)

    told = f"mutual anti-affinity with app=api in default over {ZONE}"
    assert texts(decision, "n2") == [f"{told}: default/other on n1 in {ZONE}=a"]
    (background,) = facts(decision)
    assert background.title == f"mutual pod anti-affinity with app=api in default over {ZONE}"


@pytest.mark.parametrize(
    "running",
    [
        pytest.param(
            web("lonely", "n1", app="db", **required("podAntiAffinity", term("api"))), id="not meant"
        ),
        pytest.param(
            web(
                "lonely",
                "n1",
                app="api",
                **required("podAntiAffinity", term("api"), {"topologyKey": ZONE, "labelSelector": {}}),
            ),
            id="by another term too",
        ),
    ],
)
def test_what_either_side_says_of_other_pods_is_two_facts(running: Data) -> None:
    decision = decided(running, web("meant", "n2", app="api"), **required("podAntiAffinity", term("api")))

    assert len(texts(decision, "n1")) == len(facts(decision)) == 2


def test_a_zone_away_the_node_of_the_pod_is_named() -> None:
    decision = decided(web("lonely", "n1", **required("podAntiAffinity", term("api"))))

    assert texts(decision, "n2") == [
        f"default/lonely on n1 in {ZONE}=a keeps away app=api in default over {ZONE}"
    ]


def test_domains_with_an_example_each() -> None:
    decision = decided(
        web("w1", "n1"), web("w2", "n1"), web("w3", "n4"), **required("podAffinity", term("web"))
    )

    (background,) = facts(decision)
    assert background.title == f"pod affinity to app=web in default over {ZONE}"
    assert background.rows == (
        ("a", 2, "attracts", "default/w1 on n1"),
        ("b", 1, "attracts", "default/w3 on n4"),
    )


def test_terms_of_running_pods_are_quoted() -> None:
    decision = decided(web("lonely", "n1", **required("podAntiAffinity", term("api"))))

    (background,) = facts(decision)
    assert background.title == f"running pods with anti-affinity to this pod over {ZONE}"
    assert dict(zip(background.columns, background.rows[0], strict=True)) == {
        "domain": "a",
        "pods": 1,
        "effect": "repels",
        "example": "default/lonely on n1",
        "term": "keeps away app=api in default",
    }


@pytest.mark.parametrize(
    ("app", "note"),
    [
        pytest.param(
            "api",
            "This pod matches its own terms: as the first it may go to any node with the label.",
            id="the first of its kind",
        ),
        pytest.param(
            "other",
            "This pod does not match its own terms: it cannot be the first.",
            id="cannot be the first",
        ),
    ],
)
def test_the_first_pod_rule(app: str, note: str) -> None:
    decision = decided(app=app, **required("podAffinity", term("api")))

    (background,) = facts(decision)
    assert note in background.notes
    assert (texts(decision, "n1") == []) is (app == "api")


def spaces(**teams: str) -> list[Data]:
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"env": env}}}
        for name, env in teams.items()
    ]


def without(env: str) -> Data:
    return {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": [env]}]}


@pytest.mark.parametrize(
    ("namespace", "told"),
    [
        pytest.param("prod", True, id="a pod in a namespace that is left out"),
        pytest.param("test", False, id="all pods in namespaces that are meant"),
    ],
)
def test_the_namespace_selector_quirk_is_named_where_it_matters(namespace: str, told: bool) -> None:
    decision = decided(
        web("w", "n1", namespace=namespace),
        others=spaces(default="dev", prod="prod", test="test"),
        **required("podAntiAffinity", term("web", namespaceSelector=without("prod"))),
    )

    (background,) = facts(decision)
    quirk = "The namespace selector env!=prod leaves out prod, yet their pods count"
    assert any(note.startswith(quirk) for note in background.notes) is told


def test_wishes_of_both_sides_stand_with_their_points() -> None:
    decision = decided(
        web("w1", "n1"),
        web("fond", "n3", app="fond", **preferred("podAffinity", 20, term("api"))),
        web("noisy", "n4", app="noisy", **preferred("podAntiAffinity", 50, term("api", HOST))),
        **preferred("podAffinity", 80, term("web")),
    )

    told = {one.title: one.rows for one in facts(decision, BackgroundOf.SCORE)}
    assert told == {
        f"prefers app=web in default over {ZONE}, 80 points a pod": (
            ("a", 1, "attracts", "default/w1 on n1"),
        ),
        f"points by running pods' terms over {ZONE}": (
            ("b", 20, "default/fond on n3", "prefers app=api in default"),
        ),
        f"points by running pods' terms over {HOST}": (
            ("n4", -50, "default/noisy on n4", "avoids app=api in default"),
        ),
    }


def test_nothing_is_said_where_no_term_is_about_the_pod() -> None:
    assert decided(web("w", "n1", **required("podAntiAffinity", term("db")))).background() == ()


def test_pods_that_a_term_misses_by_their_namespace_are_told() -> None:
    away = [web("w", "n1", namespace="prod"), web("v", "n3", namespace="dev"), web("x", "", namespace="test")]
    (background,) = facts(decided(*away, **required("podAffinity", term("web"))))

    assert "Pods with these labels run in dev, prod, where the term does not look." in background.notes


def test_a_term_that_finds_pods_tells_of_no_others() -> None:
    pods = [web("w", "n1"), web("v", "n3", namespace="dev")]
    (background,) = facts(decided(*pods, **required("podAffinity", term("web"))))

    assert not any("does not look" in note for note in background.notes)
