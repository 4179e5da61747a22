"""All candidates of large clusters: in lockstep, and one node at a time."""

import random

from builders import ZONE, decide, node, pod, session
from preemption_oracle import expected, found

NODES = 5_000
PRIORITIES = (0, 10, 50, 100)


def large_cluster(seed, **more):
    """Nodes of which every one is full of small pods of low priority."""
    draw = random.Random(seed)
    for i in range(NODES):
        yield node(f"n{i:04d}", f"z{i % 3}", cpu="4", memory="64Gi")
        for j in range(5):
            yield pod(
                f"e-{i}-{j}",
                f"n{i:04d}",
                labels={"app": f"a{draw.randrange(7)}"},
                namespace=f"ns{j % 2}",
                cpu=draw.choice(("700m", "790m")),
                priority=draw.choice(PRIORITIES),
                start=f"2026-01-0{draw.randint(1, 9)}T00:{draw.randint(10, 59)}:00Z",
                **more,
            )


def budget(i, allowed):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": f"b{i}", "namespace": f"ns{i % 2}"},
        "spec": {"selector": {"matchLabels": {"app": f"a{i}"}}},
        "status": {"disruptionsAllowed": allowed},
    }


def test_every_candidate():
    budgets = [budget(i, i % 2) for i in range(4)]
    asked = session(large_cluster(1), budgets)
    decision = decide(asked, pod("vip", cpu="3", priority=60))
    actual = found(decision)
    assert len(actual.candidates) + len(actual.failed) == NODES
    assert 0 < len(actual.failed) < NODES
    assert actual == expected(decision)


def test_every_candidate_with_spread():
    spread = {
        "maxSkew": 2,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "a1"}},
    }
    asked = session(large_cluster(3))
    vip = pod(
        "vip",
        labels={"app": "a1"},
        namespace="ns0",
        cpu="3",
        priority=200,
        topologySpreadConstraints=[spread],
    )
    decision = decide(asked, vip)
    assert found(decision).candidates
    assert found(decision) == expected(decision)
