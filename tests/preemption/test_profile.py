"""Preemption works on all nodes at once: more nodes mean longer columns, not more Python calls."""

import sys

import pytest
from builders import enter, node, pod, session


def full(names):
    """Nodes of three kinds: candidates, without victims, and too full even when emptied."""
    for i, name in enumerate(names):
        yield node(name)
        fixed = ("1", "4", "3")[i % 3]
        yield pod(f"fixed-{i:04d}", name, cpu=fixed, priority=100)
        if i % 3 != 1:
            for j in range(5):
                start = f"2026-01-0{j + 1}T00:00:00Z"
                yield pod(f"low-{i:04d}-{j}", name, cpu="200m", priority=j, start=start, labels={"app": "a"})


BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "b", "namespace": "default"},
    "spec": {"selector": {"matchLabels": {"app": "a"}}},
    "status": {"disruptionsAllowed": 2},
}


def calls_for(nodes):
    """How many Python functions are called to decide, and how many candidates there are."""
    names = [f"n{i:04d}" for i in range(nodes)]
    asked = session(full(names), BUDGET)
    record = enter(asked, pod("vip", cpu="2500m", priority=50))
    asked.scheduler.decide(record, asked.cluster)
    count = 0

    def tracing(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(tracing)
    try:
        decision = asked.scheduler.decide(record, asked.cluster)
    finally:
        sys.setprofile(None)
    assert decision.preemption is not None
    return count, len(decision.preemption.candidates), len(decision.preemption.failed)


@pytest.mark.parametrize("more", [2, 5])
def test_no_python_call_per_node(more):
    few, many = calls_for(60), calls_for(60 * more)
    assert few[1:] == (20, 40)
    assert many[1:] == (20 * more, 40 * more)
    assert many[0] == few[0]
