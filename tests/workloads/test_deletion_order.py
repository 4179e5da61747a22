"""Which pods go first when a workload has too many."""

from typing import Any

import pytest
from builders import Data, made, pod

from kschedctl.objects.pod import Pod
from kschedctl.workloads.deletion_order import job_deletion_order, replica_deletion_order
from kschedctl.workloads.readiness import is_ready

NOT_READY = {"conditions": [{"type": "Ready", "status": "False"}]}
READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def one(name: str, on: str = "n1", cost: str = "", created: str = "", **status: Any) -> Pod:
    data: Data = pod(name, on)
    data["metadata"]["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost} if cost else {}
    data["metadata"]["creationTimestamp"] = created or None
    data["status"] |= status
    found = made(data)
    assert isinstance(found, Pod)
    return found


@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param(one("z", on=""), one("a", on="n1", **NOT_READY), id="on no node"),
        pytest.param(one("z", phase="Pending"), one("a", phase="Unknown"), id="pending before unknown"),
        pytest.param(one("z", phase="Unknown"), one("a", **NOT_READY), id="unknown before running"),
        pytest.param(one("z", **NOT_READY), one("a", cost="-5", **READY), id="not ready before cheap"),
        pytest.param(one("z", cost="-5"), one("a"), id="the cheapest"),
        pytest.param(
            one("z", created="2024-01-02T00:00:00Z"),
            one("a", created="2024-01-01T00:00:00Z"),
            id="the youngest",
        ),
        pytest.param(one("a"), one("b"), id="by name at last"),
    ],
)
def test_order_of_a_replica_set(first, then):
    assert replica_deletion_order([first, then]) == [first, then]
    assert replica_deletion_order([then, first]) == [first, then]


def test_the_node_with_most_siblings_gives_first():
    pods = [
        one("a", "n1"),
        one("b", "n2"),
        one("c", "n2"),
        one("d", "n1", cost="9"),
        one("e", "n1", cost="9"),
    ]

    assert [p.name for p in replica_deletion_order(pods)] == ["a", "b", "c", "d", "e"]


def test_a_job_looks_neither_at_costs_nor_at_siblings():
    pods = [one("a", "n1"), one("b", "n2", cost="-9"), one("c", "n2"), one("d", "n1", **NOT_READY)]

    assert [p.name for p in job_deletion_order(pods)] == ["d", "a", "b", "c"]


@pytest.mark.parametrize(
    ("status", "ready"),
    [
        ({}, True),
        ({"phase": "Running"}, True),
        (READY, True),
        ({"phase": "Running", **NOT_READY}, False),
        ({"phase": "Running", "conditions": [{"type": "Ready", "status": "Unknown"}]}, False),
        ({"phase": "Pending"}, False),
        ({"phase": "Unknown"}, False),
    ],
)
def test_whether_a_pod_is_ready(status, ready):
    assert is_ready(one("a", **status)) is ready
