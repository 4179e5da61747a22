"""Workloads that have a controller themselves."""

import pytest

from kschedctl.whatif.disruption.budgets import Budgets
from kschedctl.whatif.world.changes import Delete, Scale
from kschedctl.whatif.world.world import World

from .builders import (
    Data,
    controlled,
    node,
    nodes_of,
    objects,
    owned_replica_set,
    placements,
    pod,
    replica,
    run,
    workload,
)


def operated(replicas: int = 2) -> list[Data]:
    """A stateful set of a custom resource, with its pods."""
    own = workload("StatefulSet", "prom", replicas)
    own["metadata"]["ownerReferences"] = [
        {"apiVersion": "monitoring.coreos.com/v1", "kind": "Prometheus", "name": "main", "controller": True}
    ]
    pods = [
        pod(f"prom-{i}", f"n{i + 1}", owner=controlled("StatefulSet", "prom"), labels={"app": "prom"})
        for i in range(replicas)
    ]
    return [node("n1"), node("n2"), node("n3"), own, *pods]


def running(found) -> list[str]:
    return [pod.name for pod in found.world.pods]


def test_scaling_down_the_set_of_a_custom_resource_takes_a_pod_away():
    found = run(operated(), Scale("statefulset/prom", 1))

    assert running(found) == ["prom-0"]
    assert placements(found) == {}


def test_deleting_the_set_of_a_custom_resource_takes_its_pods_away():
    assert running(run(operated(), Delete("statefulset/prom"))) == []


def test_a_manifest_replaces_the_pods_of_the_set_of_a_custom_resource():
    found = run(operated(), manifests=[workload("StatefulSet", "prom", 2, cpu="2")])

    assert running(found) == []
    assert len(placements(found)) == len(nodes_of(found, "StatefulSet/prom")) == 2


@pytest.mark.parametrize(("replicas", "fresh"), [(5, 3), (2, 0)])
def test_scaling_the_replica_set_of_a_deployment_counts_its_pods(replicas, fresh):
    web = workload("Deployment", "web", 2)
    pods = [replica(f"web-abc-{i}", "n1", labels={"app": "web", "pod-template-hash": "abc"}) for i in "ab"]
    cluster = [node("n1", cpu="8"), web, owned_replica_set("web-abc", web), *pods]

    assert len(run(cluster, Scale("rs/web-abc", replicas)).tasks) == fresh


def test_a_budget_counts_by_the_scale_of_the_set_of_a_custom_resource():
    cluster = operated()
    next(data for data in cluster if data["kind"] == "StatefulSet")["spec"]["replicas"] = 4
    assert expected_pods(cluster, "prom") == 4


@pytest.mark.parametrize(
    ("owner", "expected"),
    [pytest.param("Deployment", 3, id="deployment"), pytest.param("Rollout", 5, id="custom resource")],
)
def test_a_budget_counts_by_the_replica_set_unless_a_deployment_has_it(owner, expected):
    web = workload("Deployment", "web", 3)
    replicas = owned_replica_set("web-abc", web)
    replicas["spec"]["replicas"] = 5
    replicas["metadata"]["ownerReferences"][0]["kind"] = owner
    mine = replica("web-abc-a", "n1", labels={"app": "web", "pod-template-hash": "abc"})

    assert expected_pods([node("n1"), web, replicas, mine], "web") == expected


def expected_pods(cluster: list[Data], app: str) -> int:
    """How many pods a budget in percent says there should be."""
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "budget"},
        "spec": {"selector": {"matchLabels": {"app": app}}, "maxUnavailable": "50%"},
    }
    world = World(objects([*cluster, budget]))
    (found,) = Budgets(world).of(world.pods[0])
    return found.expected
