"""What an applied manifest keeps of the workload that is there."""

import pytest

from .builders import Data, node, nodes_of, run, workload

NODES = [node("n1", cpu="100")]


def replicated(kind: str, replicas: int | None, cpu: str = "1") -> Data:
    selector = {"selector": {"app": "web"}} if kind == "ReplicationController" else {}
    return workload(kind, "web", replicas, cpu=cpu, **selector)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"])
@pytest.mark.parametrize(
    ("live", "stated", "pods"),
    [
        pytest.param(4, None, 4, id="none stated"),
        pytest.param(4, 2, 2, id="stated"),
        pytest.param(0, None, 0, id="none stated, scaled to none"),
        pytest.param(None, None, 1, id="none stated anywhere"),
    ],
)
def test_a_manifest_without_replicas_keeps_those_of_the_live_workload(kind, live, stated, pods):
    found = run([*NODES, replicated(kind, live)], manifests=[replicated(kind, stated, cpu="2")])

    assert nodes_of(found, f"{kind}/web") == ["n1"] * pods
