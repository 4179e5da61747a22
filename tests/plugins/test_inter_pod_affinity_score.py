"""InterPodAffinity, preferences: the worked examples I1 to I6 (spec 03 §2.6, §2.7)."""

import pytest
from builders import HOST, ZONE, column, decide, node, pod, profile, session
from hypothesis import given
from hypothesis import strategies as st

NAME = "InterPodAffinity"
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
BY_NAME = "kubernetes.io/metadata.name"


def term(key, app, **more):
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}} | more


def preferring(near=(), apart=()):
    """Preferred terms as `(weight, term)`."""
    made = {
        "podAffinity": [{"weight": weight, "podAffinityTerm": one} for weight, one in near],
        "podAntiAffinity": [{"weight": weight, "podAffinityTerm": one} for weight, one in apart],
    }
    return {side: {PREFERRED: terms} for side, terms in made.items() if terms}


def app(name, app, on="", **more):
    return pod(name, on, labels={"app": app}, **more)


def nodes(cordoned=()):
    zones = ["A", "A", "B", "B", ""]
    return [node(f"n{i}", zone, cordoned=f"n{i}" in cordoned) for i, zone in enumerate(zones, 1)]


EXISTING = [
    app("e1", "cache", "n1"),
    app("e2", "web", "n1"),
    app("e3", "cache", "n2", affinity={"podAffinity": {REQUIRED: [term(ZONE, "web")]}}),
    app("e4", "db", "n3", affinity=preferring(near=[(20, term(ZONE, "web"))])),
    app("e5", "noisy", "n4", affinity=preferring(apart=[(50, term(HOST, "web"))])),
    app("e6", "web", "n4", terminating=True),
    app("e7", "cache", "n5"),
    app("e8", "cache", "n3", namespace="other"),
]
INCOMING = preferring(near=[(80, term(ZONE, "cache"))], apart=[(100, term(HOST, "web"))])


def scores(affinity, *, cordoned=(), args=None, others=()):
    """Raw and normalised, by node name; None where the plugin skipped."""
    asked = session(nodes(cordoned), EXISTING, others, config=profile(NAME, args) if args else None)
    candidate = app("p", "web", affinity=affinity) if affinity else app("p", "web")
    decision = decide(asked, candidate)
    raw, normalized = column(decision, NAME, "raw"), column(decision, NAME)
    return None if raw is None else (list(raw.values()), list(normalized.values()))


@pytest.mark.parametrize(
    ("options", "raw", "normalized"),
    [
        pytest.param({}, [61, 161, 20, -130, 0], [65, 100, 51, 0, 44], id="I1"),
        pytest.param(
            {"args": {"hardPodAffinityWeight": 100}},
            [160, 260, 20, -130, 0],
            [74, 100, 38, 0, 33],
            id="I2, 100",
        ),
        pytest.param(
            {"args": {"hardPodAffinityWeight": 0}},
            [60, 160, 20, -130, 0],
            [65, 100, 51, 0, 44],
            id="I2, 0",
        ),
        pytest.param({"cordoned": ("n2", "n5")}, [61, 20, -130], [100, 78, 0], id="I3"),
        pytest.param(
            {"args": {"ignorePreferredTermsOfExistingPods": True}},
            [61, 161, 20, -130, 0],
            [65, 100, 51, 0, 44],
            id="ignoring has no effect with own preferences",
        ),
    ],
)
def test_with_own_preferences(options, raw, normalized):
    assert scores(INCOMING, **options) == (raw, normalized)


def test_without_own_preferences():
    """I4: only pods with affinity are looked at."""
    assert scores(None) == ([1, 1, 20, -30, 0], [62, 62, 100, 0, 60])


def test_ignoring_the_preferences_of_others_without_own_ones():
    """I4: no column, the weight of required terms included."""
    assert scores(None, args={"ignorePreferredTermsOfExistingPods": True}) is None


def test_required_terms_are_no_preferences():
    required = {"podAffinity": {REQUIRED: [term(ZONE, "cache")]}}
    assert scores(required, args={"ignorePreferredTermsOfExistingPods": True}) is None


def test_divides_first_then_multiplies_and_truncates():
    """I5: 29 of 100 gives 28."""
    zoned = [node(name, zone) for name, zone in zip("abcd", "ABCC", strict=True)]
    pods = [app("c1", "cache", "a"), app("c2", "cache", "b"), app("w", "web", "b")]
    affinity = preferring(near=[(29, term(ZONE, "cache")), (71, term(ZONE, "web"))])
    decision = decide(session(zoned, pods), app("p", "x", affinity=affinity))
    assert column(decision, NAME, "raw") == {"a": 29, "b": 100, "c": 0, "d": 0}
    assert column(decision, NAME) == {"a": 28, "b": 100, "c": 0, "d": 0}


@given(st.integers(1, 100), st.integers(0, 100))
def test_normalisation_is_that_of_float64(top, share):
    share = min(share, top)
    pods = [app("top", "top", "n1"), app("mid", "mid", "n2")]
    weights = [(top, term(HOST, "top"))] + ([(share, term(HOST, "mid"))] if share else [])
    decision = decide(session(nodes()[:3], pods), app("p", "x", affinity=preferring(near=weights)))
    assert column(decision, NAME) == {"n1": 100, "n2": int(100.0 * (share / top)), "n3": 0}


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


NOT_PROD = {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]}


@pytest.mark.parametrize(
    ("selector", "raw", "normalized"),
    [
        pytest.param({"matchLabels": {"env": "dev"}}, [21, 21, 20, -30, 0], [100, 100, 98, 0, 58], id="own"),
        pytest.param({}, [21, 21, 30, -20, 0], [82, 82, 100, 0, 40], id="all"),
        pytest.param(
            NOT_PROD, [21, 21, 30, -20, 0], [82, 82, 100, 0, 40], id="a negative selector: as upstream"
        ),
        pytest.param(
            {"matchLabels": {BY_NAME: "default"}}, [21, 21, 20, -30, 0], [100, 100, 98, 0, 58], id="by name"
        ),
    ],
)
def test_namespace_selectors(selector, raw, normalized):
    """I6."""
    affinity = preferring(near=[(10, term(ZONE, "cache", namespaceSelector=selector))])
    others = [namespace("default", env="dev"), namespace("other", env="prod")]
    assert scores(affinity, others=others) == (raw, normalized)


def test_required_terms_without_weight_are_no_increments():
    """The preference is met where no node has the key, the required term where it counts for nothing."""
    wish = app("w", "cache", "n5", affinity=preferring(near=[(5, term(ZONE, "x"))]))
    need = app("r", "cache", "n1", affinity={"podAffinity": {REQUIRED: [term(ZONE, "x")]}})
    for weight, expected in ((0, None), (1, [100, 100, 0, 0, 0])):
        config = profile(NAME, {"hardPodAffinityWeight": weight})
        found = column(decide(session(nodes(), wish, need, config=config), app("p", "x")), NAME)
        assert (None if found is None else list(found.values())) == expected


def test_each_profile_has_its_own_weight_for_required_terms():
    """Both see the same pods, one after the other: what is kept for the one must not serve the other."""
    config = profile(NAME, {"hardPodAffinityWeight": 1})
    args = [{"name": NAME, "args": {"hardPodAffinityWeight": 50}}]
    config["profiles"].append({"schedulerName": "other", "pluginConfig": args})
    need = app("r", "cache", "n1", affinity={"podAffinity": {REQUIRED: [term(HOST, "x")]}})
    asked = session(nodes()[:2], need, config=config)
    for name, weight in (("default-scheduler", 1), ("other", 50), ("default-scheduler", 1)):
        decision = decide(asked, app("p", "x", schedulerName=name))
        assert column(decision, NAME, "raw") == {"n1": weight, "n2": 0}


def test_increments_that_cancel_do_not_skip():
    affinity = preferring(near=[(5, term(HOST, "cache"))], apart=[(5, term(HOST, "cache"))])
    decision = decide(session(nodes()[:2], app("c", "cache", "n1")), app("p", "x", affinity=affinity))
    assert column(decision, NAME) == {"n1": 0, "n2": 0}


def test_terms_of_existing_pods_that_cancel_do_not_skip_either():
    torn = preferring(near=[(5, term(HOST, "x"))], apart=[(5, term(HOST, "x"))])
    decision = decide(session(nodes()[:2], app("c", "cache", "n1", affinity=torn)), app("p", "x"))
    assert column(decision, NAME) == {"n1": 0, "n2": 0}


@pytest.mark.parametrize(
    "affinity",
    [
        pytest.param(preferring(near=[(5, term(HOST, "absent"))]), id="nothing matches"),
        pytest.param(preferring(near=[(5, term("rack", "cache"))]), id="no node has the key"),
        pytest.param(None, id="no preferences anywhere"),
    ],
)
def test_no_increment_no_column(affinity):
    candidate = app("p", "x", affinity=affinity) if affinity else app("p", "x")
    assert column(decide(session(nodes(), app("c", "cache", "n1")), candidate), NAME) is None


def test_equal_scores_are_0():
    pods = [app("c1", "cache", "n1"), app("c2", "cache", "n2")]
    affinity = preferring(near=[(5, term(HOST, "cache"))])
    assert column(decide(session(nodes()[:2], pods), app("p", "x", affinity=affinity)), NAME) == {
        "n1": 0,
        "n2": 0,
    }


def test_a_pod_that_two_terms_match_adds_both():
    affinity = preferring(near=[(5, term(HOST, "cache")), (7, term(HOST, "cache"))])
    decision = decide(session(nodes()[:2], app("c", "cache", "n1")), app("p", "x", affinity=affinity))
    assert column(decision, NAME, "raw") == {"n1": 12, "n2": 0}
