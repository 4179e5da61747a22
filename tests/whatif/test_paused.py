"""Paused deployments are scaled and not rolled out."""

from typing import Any

import pytest

from kschedctl.whatif.simulate import SimulationResult
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.changes import Patch, Scale

from .builders import Data, left, node, owned_replica_set, replica, run, workload

NODES = [node("n1", cpu="20")]
LABELS = {"app": "web", "pod-template-hash": "abc"}
PODS = [replica(f"web-abc-{i}", "n1", cpu="1", labels=LABELS) for i in range(2)]


def web(replicas: int, cpu: str, **spec: Any) -> Data:
    return workload("Deployment", "web", replicas, cpu=cpu, **spec)


def cluster(*, replica_set: bool = True, paused: bool = False, changed: bool = False) -> list[Data]:
    """Two pods of 1 cpu; the template may have changed to 3 cpu while the deployment was paused."""
    more = {"paused": True} if paused else {}
    sets = [owned_replica_set("web-abc", web(2, "1"))] if replica_set else []
    return [*NODES, web(2, "3" if changed else "1", **more), *sets, *PODS]


def sizes(found: SimulationResult) -> list[str]:
    """The cpu of the pods that were made."""
    return [str(t.pod.spec.containers[0].resources.requests["cpu"]) for t in found.tasks if t.placed]


@pytest.mark.parametrize("rollout", RolloutMode)
@pytest.mark.parametrize("replica_set", [True, False])
@pytest.mark.parametrize(("replicas", "made", "kept"), [(2, [], 2), (3, ["1"], 2), (1, [], 1)])
def test_applying_a_paused_deployment_only_changes_its_number(rollout, replica_set, replicas, made, kept):
    found = run(
        cluster(replica_set=replica_set), manifests=[web(replicas, "3", paused=True)], rollout=rollout
    )

    assert sizes(found) == made
    assert len(left(found)) == kept
    assert found.rollouts == []
    assert found.notes == ["Deployment/web: no rollout, as it is paused"]


def test_a_paused_deployment_is_scaled_in_the_form_that_runs():
    found = run(cluster(paused=True, changed=True), Scale("deployment/web", 3))

    assert sizes(found) == ["1"]


@pytest.mark.parametrize("rollout", [RolloutMode.ROLLING, RolloutMode.RECREATE])
def test_a_deployment_that_is_paused_no_more_is_rolled_out(rollout):
    resume = Patch({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"paused": None}}, rollout)
    found = run(cluster(paused=True, changed=True), resume)

    assert sizes(found) == ["3", "3"]
    assert left(found) == []


@pytest.mark.parametrize("rollout", RolloutMode)
def test_a_new_deployment_that_is_paused_has_no_pods(rollout):
    found = run(NODES, manifests=[web(2, "1", paused=True)], rollout=rollout)

    assert found.tasks == []
    assert found.notes == ["Deployment/web: no pods before its first rollout, as it is paused"]
