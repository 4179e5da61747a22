"""What findings say of the pods that they are about."""

import pytest

from kschedctl.whatif.scenarios.expectations import check_all
from kschedctl.whatif.scenarios.scenario import ALL, Expectations, OnNodes, Spread

from .builders import Data, controlled, node, pod, run, workload

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


def test_each_reason_of_a_workload_is_told_with_the_pods_that_it_keeps_pending():
    daemons = workload("DaemonSet", "agent", cpu="2")
    cluster = [node("n1", cpu="1"), node("n2", cpu="1"), node("n3", pods="0"), node("n4")]
    (check,) = check_all(Expectations(schedulable=ALL), run(cluster, manifests=[daemons]))

    assert [finding.message for finding in check.findings] == [
        "2 pods of DaemonSet/agent stay pending: 0/4 nodes are available: 1 Insufficient cpu, "
        "3 node(s) didn't satisfy plugin(s) [NodeAffinity]",
        "1 pod of DaemonSet/agent stays pending: 0/4 nodes are available: 1 Too many pods, "
        "3 node(s) didn't satisfy plugin(s) [NodeAffinity]",
    ]


def test_members_that_are_not_created_are_no_pending_pods_and_not_schedulable():
    found = run([node("n1", cpu="1")], manifests=[workload("StatefulSet", "db", 4)])
    schedulable, few = check_all(Expectations(schedulable=ALL, max_pending=1), found)

    assert [finding.message for finding in schedulable.findings] == [
        "1 pod of StatefulSet/db stays pending: 0/1 nodes are available: 1 Insufficient cpu",
        "2 pods of StatefulSet/db are not created: they wait for db-1",
    ]
    assert few.findings == ()


def test_pods_that_a_kubelet_refuses_are_not_schedulable_and_count_as_pending():
    pinned = workload("Deployment", "web", 5, pod={"nodeName": "n1"})
    found = run([node("n1"), node("n2")], manifests=[pinned])
    schedulable, few = check_all(Expectations(schedulable=ALL, max_pending=0), found)

    assert [finding.message for finding in schedulable.findings] == [
        "1 pod of Deployment/web is refused by the kubelet of n1: OutOfcpu: cpu: needs 1, free 0 of 4"
    ]
    (finding,) = few.findings
    assert finding.message.startswith("1 pod stays pending or refused by a kubelet, none may: default/web-")


def operated(*on: str) -> list[Data]:
    """A stateful set of a custom resource, its pods on nodes or, for an empty name, pending."""
    own = workload("StatefulSet", "prom", len(on))
    own["metadata"]["ownerReferences"] = [
        {"apiVersion": "monitoring.coreos.com/v1", "kind": "Prometheus", "name": "main", "controller": True}
    ]
    pods = [pod(f"prom-{i}", n, owner=controlled("StatefulSet", "prom"), cpu="1") for i, n in enumerate(on)]
    return [node("n1", cpu="2"), node("n2", cpu="2"), node("n3", cpu="2"), own, *pods]


@pytest.mark.parametrize(
    ("expectations", "on", "message"),
    [
        pytest.param(
            Expectations(on_nodes=(OnNodes("statefulset/prom", "n3"),)),
            ("n1", "n3"),
            "1 pod of StatefulSet/prom is on other nodes than n3: default/prom-0 on n1",
            id="on nodes",
        ),
        pytest.param(
            Expectations(spread=(Spread("default/StatefulSet/prom", HOST, max_skew=1),)),
            ("n1", "n1"),
            f"StatefulSet/prom has a skew of 2 over {HOST}, 1 is allowed (n1 2, n2 0, n3 0)",
            id="spread",
        ),
        pytest.param(
            Expectations(schedulable=("default/StatefulSet/prom",)),
            ("n1", "n1", "n2", "n2", "n3", "n3", ""),
            "1 pod of Prometheus/main stays pending: 0/3 nodes are available: 3 Insufficient cpu",
            id="schedulable",
        ),
    ],
)
def test_the_pods_of_a_workload_that_has_a_controller_are_its_own(expectations, on, message):
    (check,) = check_all(expectations, run(operated(*on)))

    assert [finding.message for finding in check.findings] == [message]


def test_a_pod_that_a_workload_with_a_controller_gets_is_its_own():
    expectations = Expectations(schedulable=("statefulset/prom",))
    (check,) = check_all(expectations, run(operated("n1", "")))

    assert check.passed


@pytest.mark.parametrize(
    "expectations",
    [
        pytest.param(Expectations(schedulable=("deployment/web",)), id="schedulable"),
        pytest.param(Expectations(on_nodes=(OnNodes("deployment/web", "n1"),)), id="on nodes"),
        pytest.param(
            Expectations(spread=(Spread("deployment/web", HOST, max_skew=1, min_domains=1),)), id="spread"
        ),
    ],
)
def test_nothing_is_as_expected_of_a_workload_without_a_pod(expectations):
    (check,) = check_all(expectations, run([node("n1"), workload("Deployment", "web", 2)]))

    assert [finding.message for finding in check.findings] == ["Deployment/web has no pod"]


@pytest.mark.parametrize(
    "expectations",
    [
        pytest.param(Expectations(on_nodes=(OnNodes("deployment/web", "n1"),)), id="on nodes"),
        pytest.param(Expectations(spread=(Spread("deployment/web", HOST, max_skew=1),)), id="skew"),
        pytest.param(Expectations(spread=(Spread("deployment/web", HOST, min_domains=1),)), id="domains"),
    ],
)
def test_pods_that_are_on_no_node_are_not_where_they_should_be(expectations):
    (check,) = check_all(
        expectations, run([node("n1", cpu="1")], manifests=[workload("Deployment", "web", 2, cpu="2")])
    )

    assert [finding.message for finding in check.findings] == [
        "no pod of Deployment/web is on a node: 0/1 nodes are available: 1 Insufficient cpu"
    ]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        pytest.param(
            {},
            "2 pods of Deployment/web are on nodes without the label rack, which no node has",
            id="no node",
        ),
        pytest.param(
            {"n1": {"rack": "a"}, "n2": {"rack": "b"}},
            "2 pods of Deployment/web are on nodes without the label rack: n3",
            id="other nodes",
        ),
    ],
)
def test_pods_on_nodes_without_the_label_are_not_spread_over_it(labels, message):
    nodes = [node(name, labels=labels.get(name, {})) for name in ("n1", "n2", "n3")]
    pods = [pod(f"web-{i}", "n3", labels={"app": "web"}) for i in range(2)]
    wanted = Expectations(spread=(Spread("deployment/web", "rack", max_skew=1),))
    (check,) = check_all(wanted, run([*nodes, workload("Deployment", "web", 2), *pods]))

    assert [finding.message for finding in check.findings] == [message]


def test_nothing_is_as_expected_of_manifests_that_there_are_not():
    (check,) = check_all(Expectations(schedulable="manifests"), run([node("n1"), pod("waits")]))

    assert [finding.message for finding in check.findings] == ["the scenario has no manifests with pods"]


def test_a_workload_that_asks_for_no_pod_needs_none():
    found = run([node("n1"), workload("Deployment", "web", 0)])
    (check,) = check_all(Expectations(schedulable=("deployment/web",)), found)

    assert check.passed


def test_a_pod_that_a_workload_selects_and_nothing_controls_is_its_own():
    cluster = [node("n1"), workload("Deployment", "web", 1), pod("web-1", "n1", labels={"app": "web"})]
    (check,) = check_all(Expectations(schedulable=("deployment/web",)), run(cluster))

    assert check.passed


@pytest.mark.parametrize(
    ("expectations", "zones", "message"),
    [
        pytest.param(
            Expectations(survives_zones=1), (), f"no node has a zone ({ZONE})", id="no node has a zone"
        ),
        pytest.param(
            Expectations(survives_zones=2),
            ("a", "a"),
            "there is only 1 zone, 2 cannot fail at once",
            id="zones",
        ),
        pytest.param(
            Expectations(survives_nodes=3),
            ("a", "b"),
            "there are only 2 nodes, 3 cannot fail at once",
            id="nodes",
        ),
        pytest.param(Expectations(survives_nodes=1), None, "there is no node", id="no node"),
    ],
)
def test_what_is_not_there_cannot_be_lost(expectations, zones, message):
    cluster = [node(f"n{i}", labels={ZONE: zone}) for i, zone in enumerate(zones or ())]
    cluster += [node("plain")] if zones == () else []
    (check,) = check_all(expectations, run(cluster))

    assert [finding.message for finding in check.findings] == [message]
