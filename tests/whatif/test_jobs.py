"""Jobs that run no pods, and jobs whose pods are replaced only once they have ended."""

from typing import Any

import pytest

from kschedctl.whatif.world.change_forms import FailMode, RolloutMode
from kschedctl.whatif.world.changes import DrainNodes, FailDomain, Scale

from .builders import Data, controlled, left, node, placements, pod, run, workload

ZONE = "topology.kubernetes.io/zone"
NODES = [node("n1", "a"), node("n2", "b")]


def job(status: Data | None = None, parallelism: int = 2, **spec: Any) -> Data:
    made = workload("Job", "batch", parallelism=parallelism, completions=9, **spec)
    made["status"] = status or {}
    return made


def condition(kind: str, status: str = "True") -> Data:
    return {"conditions": [{"type": kind, "status": status}]}


def worker(name: str = "batch-a", on: str = "n1", **more: Any) -> Data:
    return pod(name, on, cpu="1", owner=controlled("Job", "batch"), **more)


IDLE = [
    pytest.param({"suspend": True}, {}, "it is suspended", id="suspended"),
    pytest.param({}, condition("Failed"), "it has failed", id="failed"),
    pytest.param({}, condition("FailureTarget"), "it has failed", id="failing"),
    pytest.param({}, condition("Complete"), "it is complete", id="complete"),
    pytest.param({}, condition("SuccessCriteriaMet"), "it is complete", id="completing"),
]


@pytest.mark.parametrize("rollout", RolloutMode)
@pytest.mark.parametrize(("spec", "status", "why"), IDLE)
def test_a_job_that_is_over_or_suspended_starts_no_pods(spec, status, why, rollout):
    found = run([*NODES, job(status, **spec)], manifests=[job(**spec)], rollout=rollout)

    assert found.tasks == []
    assert found.notes == [f"Job/batch: no pods, as {why}"]


@pytest.mark.parametrize(("spec", "status", "why"), IDLE)
def test_a_job_that_is_over_or_suspended_is_not_scaled_up(spec, status, why):
    assert run([*NODES, job(status, **spec)], Scale("job/batch", 4)).tasks == []


def test_a_condition_that_is_not_met_stops_nothing():
    found = run(NODES, manifests=[job(condition("Failed", "False"))])

    assert len(found.tasks) == 2


ENDING = worker(terminating=True)


@pytest.mark.parametrize(
    ("policy", "started"), [("Failed", 1), ("TerminatingOrFailed", 2)], ids=["once gone", "at once"]
)
def test_a_pod_that_ends_counts_where_only_ended_ones_are_replaced(policy, started):
    found = run([*NODES, job(parallelism=1, podReplacementPolicy=policy), ENDING], Scale("job/batch", 2))

    assert len(found.tasks) == started


@pytest.mark.parametrize(("policy", "made"), [("Failed", {"batch-a": "n2"}), ("TerminatingOrFailed", {})])
def test_a_pod_that_ends_is_replaced_once_it_is_gone(policy, made):
    found = run([*NODES, job(podReplacementPolicy=policy), ENDING], DrainNodes("n1"))

    assert placements(found) == made


@pytest.mark.parametrize(("policy", "made"), [("Failed", 0), ("TerminatingOrFailed", 1)])
def test_a_pod_on_an_unreachable_node_is_not_replaced_before_it_is_gone(policy, made):
    found = run(
        [*NODES, job(podReplacementPolicy=policy), worker()], FailDomain(ZONE, "a", FailMode.UNREACHABLE)
    )

    assert len(found.tasks) == made
    assert len(found.notes) == 1 - made
    assert left(found) == ["batch-a"]
