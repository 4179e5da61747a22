"""Where a pending pod waits, by its conditions."""

import pytest
from builders import node, pod, session

from kschedctl.reports.explain.queue_state import queue_state


def scheduled_condition(reason: str) -> dict:
    return {"conditions": [{"type": "PodScheduled", "status": "False", "reason": reason}]}


def state_of(data, **status):
    data["status"] = {**data.get("status", {}), **status}
    found = session(node("n", cpu="4"), data)
    with found.deciding(found.find("default", "x")) as decision:
        return queue_state(decision)


def test_a_pod_that_was_not_tried_is_next():
    found = state_of(pod("x"))

    assert (found.queue, found.certain) == ("Active", True)


def test_a_pod_that_fits_nowhere_waits_for_what_its_plugins_hear_of():
    found = state_of(pod("x", cpu="9"), **scheduled_condition("Unschedulable"))

    assert (found.queue, found.certain) == ("Unschedulable", False)
    assert "a pod on a node ends" in found.wakes
    assert found.text.startswith("failed, and waits: tried again when a pod on a node ends")


def test_a_pod_that_fits_by_now_says_so():
    found = state_of(pod("x", cpu="1"), **scheduled_condition("Unschedulable"))

    assert "would fit now" in found.text


def test_a_gated_pod_waits_for_its_gates():
    found = state_of(pod("x", schedulingGates=[{"name": "g"}]), **scheduled_condition("SchedulingGated"))

    assert (found.queue, found.wakes) == ("Gated", ["its scheduling gates are removed"])


def test_errors_back_off():
    assert state_of(pod("x"), **scheduled_condition("SchedulerError")).queue == "Backoff"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(pod("x", schedulerName="other"), id="another scheduler has it"),
        pytest.param(pod("x", terminating=True), id="it is being deleted"),
    ],
)
def test_pods_in_no_queue(data):
    assert state_of(data) is None


def test_a_condition_that_nobody_knows():
    assert state_of(pod("x"), **scheduled_condition("Sulking")) is None
