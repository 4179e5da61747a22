"""Where a request comes from is told when no container states it as it is."""

from typing import Any

import pytest
from builders import made, node, pod

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain_pod
from kschedctl.questions.scheduler import scheduler_of

NODES = [node("n1"), node("n2")]
KATA = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "kata"},
    "handler": "kata",
    "overhead": {"podFixed": {"cpu": "250m", "memory": "1Ki"}},
}
LIMITS = {
    "apiVersion": "v1",
    "kind": "LimitRange",
    "metadata": {"name": "usual", "namespace": "default"},
    "spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": "99"}}]},
}


def container(name: str, cpu: str | None = None, limit: str | None = None, **more: Any) -> dict[str, Any]:
    stated = {"requests": {"cpu": cpu} if cpu else {}, "limits": {"cpu": limit} if limit else {}}
    return {"name": name, "image": "app", "resources": stated, **more}


def told(*others: dict[str, Any], **spec: Any) -> list[str]:
    cluster = Cluster([made(one) for one in [*NODES, *others]], scheduler_of())
    return explain_pod(cluster, made(pod("p") | {"spec": spec})).requests


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        pytest.param({"containers": [container("a", "60"), container("b", "40")]}, [], id="as it is"),
        pytest.param({"containers": [container("a", "1")]}, [], id="no node is short of it"),
        pytest.param(
            {
                "containers": [container("a", "60")],
                "initContainers": [container("mesh", "40", restartPolicy="Always")],
            },
            ["cpu 100: containers 60, sidecars 40"],
            id="sidecars",
        ),
        pytest.param(
            {
                "containers": [container("a", "60")],
                "initContainers": [
                    container("mesh", "5", restartPolicy="Always"),
                    container("migrate", "90"),
                    container("late", "50", restartPolicy="Always"),
                ],
            },
            ["cpu 115: containers 60, sidecars 55"],
            id="what runs in the end needs most",
        ),
        pytest.param(
            {
                "containers": [container("a", "60")],
                "initContainers": [
                    container("mesh", "5", restartPolicy="Always"),
                    container("small", "1"),
                    container("migrate", "90"),
                ],
            },
            ["cpu 95: init container migrate 90, sidecars 5"],
            id="an init container needs most",
        ),
        pytest.param(
            {"containers": [container("a", "60")], "resources": {"requests": {"cpu": "99"}}},
            ["cpu 99: spec.resources of the pod 99"],
            id="of the pod as a whole",
        ),
        pytest.param(
            {"containers": [container("a", limit="3")], "initContainers": [container("fetch", "90")]},
            ["cpu 90: init container fetch 90"],
            id="limits that do not count are not told",
        ),
        pytest.param(
            {"containers": [container("a", limit="60"), container("b", "40")]},
            ["cpu 100: containers 100, a requests its limit, as it states no request"],
            id="from limits",
        ),
    ],
)
def test_sums(spec: dict[str, Any], texts: list[str]) -> None:
    assert told(**spec) == texts


def test_the_overhead_of_a_runtime_class() -> None:
    found = told(KATA, containers=[container("a", "60")], runtimeClassName="kata")
    assert found == ["cpu 60.25: containers 60, overhead of runtime class kata 0.25"]


def test_the_default_of_a_limit_range() -> None:
    found = told(LIMITS, containers=[container("a")])
    assert found == ["cpu 99: containers 99, a requests the default of a LimitRange, as it states none"]
