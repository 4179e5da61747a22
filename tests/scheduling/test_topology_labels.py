"""Labels of a node that a pod has once it is bound (spec 06 §2): selectors of later pods see them."""

from typing import Any

import pytest
from builders import decide, feasible, node, pod, session

from kschedctl.framework.versions import Version, version_of
from kschedctl.scheduling.effects import place
from kschedctl.whatif.session import Session

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

V1_34, V1_35, V1_36, V1_37 = map(version_of, ("1.34", "1.35", "1.36", "1.37"))


def near(selected: dict[str, str], side: str = "podAffinity") -> dict[str, Any]:
    """Affinity to nodes with pods that have these labels."""
    term = {"labelSelector": {"matchLabels": selected}, "topologyKey": "kubernetes.io/hostname"}
    return {side: {REQUIRED: [term]}}


def cluster(version: Version = V1_36, **gates: bool) -> Session:
    """Two zones; one node has no zone."""
    nodes = [node("n1", "a", labels={REGION: "r"}), node("n2", "b"), node("n3")]
    return session(nodes, version=version, gates=gates)


def bind(asked: Session, name: str, node_name: str, **labels: str) -> dict[str, str]:
    """Place a pod on a node; its labels after that."""
    decision = decide(asked, pod(name, labels=labels, nodeSelector={"kubernetes.io/hostname": node_name}))
    assert place(decision) is None
    return dict(asked.cluster.pods.records[decision.pod.id].pod.labels)


def test_a_bound_pod_has_zone_and_region_of_its_node() -> None:
    assert bind(cluster(), "p", "n1", app="web") == {"app": "web", ZONE: "a", REGION: "r"}


def test_what_the_node_does_not_say_stays_as_it_is() -> None:
    assert bind(cluster(), "p", "n3", **{ZONE: "own"}) == {ZONE: "own"}


def test_the_node_has_the_last_word() -> None:
    assert bind(cluster(), "p", "n2", **{ZONE: "own"}) == {ZONE: "b"}


@pytest.mark.parametrize(
    ("version", "gates", "seen"),
    [
        pytest.param(V1_34, {}, False, id="off in 1.34"),
        pytest.param(V1_34, {"PodTopologyLabelsAdmission": True}, True, id="on in 1.34 by its gate"),
        pytest.param(V1_35, {}, True, id="on since 1.35"),
        pytest.param(V1_36, {"PodTopologyLabelsAdmission": False}, False, id="off by its gate"),
        pytest.param(V1_37, {}, True, id="on in 1.37"),
    ],
)
def test_terms_of_later_pods_see_them(version: Version, gates: dict[str, bool], seen: bool) -> None:
    asked = cluster(version, **gates)
    bind(asked, "p", "n1")
    assert feasible(decide(asked, pod("q", affinity=near({ZONE: "a"})))) == (["n1"] if seen else [])
    away = decide(asked, pod("r", affinity=near({ZONE: "a"}, "podAntiAffinity")))
    assert feasible(away) == (["n2", "n3"] if seen else ["n1", "n2", "n3"])


def test_spread_constraints_of_later_pods_see_them() -> None:
    asked = cluster()
    bind(asked, "p", "n1")
    constraint = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {ZONE: "a"}},
    }
    spread = pod("q", labels={ZONE: "a"}, topologySpreadConstraints=[constraint])
    assert feasible(decide(asked, spread)) == ["n2", "n3"]


def test_undo_takes_them_back_also_from_what_was_counted() -> None:
    asked = cluster()
    wants = pod("q", affinity=near({ZONE: "a"}))
    decision = decide(asked, pod("p", nodeSelector={"kubernetes.io/hostname": "n1"}))
    start = asked.cluster.mark()
    before = asked.cluster.pods.records[decision.pod.id]
    assert place(decision) is None
    assert feasible(decide(asked, wants)) == ["n1"]
    asked.cluster.undo_to(start)
    assert asked.cluster.pods.records[decision.pod.id] is before
    assert asked.cluster.pods.pod_class[decision.pod.id] == before.pod_class.index
    assert feasible(decide(asked, wants)) == []


def test_they_do_not_follow_the_pod_into_another_session() -> None:
    nodes = [node("n1", "a"), node("n2", "b")]
    asked = session(nodes, [pod("p", nodeSelector={"kubernetes.io/hostname": "n1"})])
    (waiting,) = asked.pending()
    decision = asked.scheduler.decide(waiting, asked.cluster)
    assert place(decision) is None
    again = asked.with_objects(asked.objects, asked.scheduler.options)
    (waiting,) = again.pending()
    assert waiting.pod.labels == {}
