from typing import Any

from kschedctl.objects.meta import LabelSelector

from .builders import admitted, existing, pod

LABELS = {"app": "web", "hash": "h1", "tenant": "t1"}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def with_term(**term: Any) -> dict[str, Any]:
    required = [{"topologyKey": "zone", **term}]
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def shown(selector: LabelSelector | None) -> list[tuple[str, str, str]]:
    assert selector is not None
    return [(e.key, e.operator, ",".join(e.values)) for e in selector.match_expressions]


def anti_affinity(spec: Any) -> LabelSelector | None:
    return spec.affinity.pod_anti_affinity.required[0].label_selector  # type: ignore[no-any-return]


def test_keys_of_affinity_terms_become_requirements() -> None:
    fields = with_term(
        labelSelector={"matchLabels": {"app": "web"}},
        matchLabelKeys=["hash", "absent"],
        mismatchLabelKeys=["tenant", "gone"],
    )
    expected = [("hash", "In", "h1"), ("tenant", "NotIn", "t1")]
    assert shown(anti_affinity(admitted(pod(labels=LABELS, **fields)).spec)) == expected
    assert shown(anti_affinity(existing(pod(labels=LABELS, **fields)).spec)) == expected


def test_preferred_terms_and_affinity_too() -> None:
    term = {"topologyKey": "zone", "labelSelector": {}, "matchLabelKeys": ["hash"]}
    preferred = [{"weight": 1, "podAffinityTerm": term}]
    fields = {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}}
    affinity = admitted(pod(labels=LABELS, **fields)).spec.affinity
    assert affinity is not None
    assert affinity.pod_affinity is not None
    assert shown(affinity.pod_affinity.preferred[0].pod_affinity_term.label_selector) == [
        ("hash", "In", "h1")
    ]


def test_keys_of_spread_constraints_become_requirements() -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
        "matchLabelKeys": ["hash", "absent"],
    }
    made = admitted(pod(labels=LABELS, topologySpreadConstraints=[constraint])).spec
    assert shown(made.topology_spread_constraints[0].label_selector) == [("hash", "In", "h1")]
    assert made.topology_spread_constraints[0].match_label_keys == ("hash", "absent")


def test_what_was_merged_when_a_pod_was_made_stays_even_if_its_label_was_changed() -> None:
    merged = {"matchExpressions": [expression("hash", "In", "old"), expression("tenant", "NotIn", "old")]}
    fields = with_term(labelSelector=merged, matchLabelKeys=["hash"], mismatchLabelKeys=["tenant"])
    assert shown(anti_affinity(existing(pod(labels=LABELS, **fields)).spec)) == [
        ("hash", "In", "old"),
        ("tenant", "NotIn", "old"),
    ]


def test_a_mismatch_key_is_merged_beside_what_the_user_wrote_on_it() -> None:
    fields = with_term(
        labelSelector={"matchExpressions": [expression("tenant", "Exists")]}, mismatchLabelKeys=["tenant"]
    )
    assert shown(anti_affinity(existing(pod(labels=LABELS, **fields)).spec)) == [
        ("tenant", "Exists", ""),
        ("tenant", "NotIn", "t1"),
    ]


def test_pods_that_differ_in_a_label_that_counts_do_not_share_a_spec() -> None:
    fields = with_term(labelSelector={}, matchLabelKeys=["hash"])
    one, other = (admitted(pod(labels={"hash": value}, **fields)).spec for value in ("h1", "h2"))
    assert one != other
