"""What an applied manifest keeps of the workload that is there."""

import pytest

from kschedctl.whatif.world.changes import Scale

from .builders import Data, controlled, node, nodes_of, pod, run, workload

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


def job(succeeded: int = 0, **spec) -> Data:
    status = {"status": {"succeeded": succeeded}} if succeeded else {}
    return workload("Job", "etl", **spec) | status


def workers(count: int) -> list[Data]:
    return [pod(f"etl-{i}", "n1", cpu="1", owner=controlled("Job", "etl")) for i in range(count)]


@pytest.mark.parametrize(
    ("succeeded", "running", "new"),
    [
        pytest.param(0, 0, 4, id="nothing done"),
        pytest.param(5, 1, 1, id="one left"),
        pytest.param(6, 0, 0, id="complete"),
    ],
)
def test_an_applied_job_goes_on_from_what_it_has_completed(succeeded, running, new):
    spec = {"parallelism": 4, "completions": 6}
    found = run([*NODES, job(succeeded, **spec), *workers(running)], manifests=[job(**spec)])

    assert len(found.tasks) == new


@pytest.mark.parametrize(
    ("spec", "succeeded", "running", "to", "new", "left"),
    [
        pytest.param({"completions": 3}, 0, 2, 5, 1, 2, id="no more than it has to complete"),
        pytest.param({"completions": 6}, 5, 1, 2, 0, 1, id="the last one runs"),
        pytest.param({"completions": 6}, 0, 3, 1, 0, 1, id="fewer at once"),
        pytest.param({}, 0, 1, 3, 2, 1, id="a work queue"),
        pytest.param({}, 1, 2, 5, 0, 2, id="a work queue that has seen a success"),
        pytest.param({"completions": 6, "suspend": True}, 0, 0, 3, 0, 0, id="suspended"),
    ],
)
def test_a_scaled_job_runs_what_its_controller_would(spec, succeeded, running, to, new, left):
    cluster = [*NODES, job(succeeded, parallelism=2, **spec), *workers(running)]
    found = run(cluster, Scale("job/etl", to))

    assert len(found.tasks) == new
    assert len(found.world.pods) == left
