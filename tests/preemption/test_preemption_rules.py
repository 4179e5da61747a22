"""The worked examples of spec 01 §9, and who may not preempt."""

import pytest
from builders import decide, node, pod, session

LATE, EARLY = "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"


def budget(name, allowed, labels, disrupted=()):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}},
        "status": {"disruptionsAllowed": allowed, "disruptedPods": dict.fromkeys(disrupted, EARLY)},
    }


def outcome(decision):
    """Node -> names of its victims in order, those that break a budget with `!`; and the nodes to choose from."""
    found, records = decision.preemption, decision.cluster.pods.records
    names = decision.cluster.nodes.names
    victims = {
        names[row]: " ".join(
            records[v].name + ("!" if v in candidate.breaking else "") for v in candidate.victims
        )
        for row, candidate in found.candidates.items()
    }
    return dict(sorted(victims.items())), [names[row] for row in found.chosen]


def test_less_important_pods_are_reprieved_where_they_fit():
    pods = [pod("p10", "n1", cpu="2", priority=10), pod("p5", "n1", cpu="1", priority=5)]
    decision = decide(session(node("n1"), pods), pod("vip", cpu="3", priority=20))
    assert outcome(decision) == ({"n1": "p10"}, ["n1"])


@pytest.mark.parametrize(
    ("allowed", "disrupted", "victims"),
    [
        pytest.param(3, (), "v2 v3", id="enough: the most important is put back first"),
        pytest.param(1, (), "v1 v3!", id="v2 and v3 break it, are put back first, and v2 alone fits"),
        pytest.param(0, ("v1", "v2", "v3"), "v2 v3", id="disrupted already: not counted"),
    ],
)
def test_budgets_are_charged_by_importance(allowed, disrupted, victims):
    labels = {"app": "a"}
    pods = [
        pod(f"v{i}", "n1", cpu="1", labels=labels, priority=4 - i, start=EARLY if i > 1 else LATE)
        for i in (1, 2, 3)
    ]
    cluster = session(node("n1", cpu="3"), pods, budget("b", allowed, labels, disrupted))
    assert outcome(decide(cluster, pod("vip", cpu="2", priority=20))) == ({"n1": victims}, ["n1"])


@pytest.mark.parametrize(
    ("first", "second", "chosen", "criterion"),
    [
        pytest.param([(5, EARLY)], [(6, EARLY)], ["n1"], "highest victim priority", id="highest priority"),
        pytest.param(
            [(-5, EARLY), (-5, EARLY)], [(-5, EARLY)], ["n2"], "sum of victim priorities", id="sum, offset"
        ),
        pytest.param(
            [(5, EARLY), (1, EARLY)], [(5, EARLY), (2, EARLY)], ["n1"], "sum of victim priorities", id="sum"
        ),
        pytest.param(
            [(5, LATE)], [(5, EARLY)], ["n1"], "start of the most important victim", id="latest start"
        ),
        pytest.param(
            [(5, None)], [(5, LATE)], ["n1"], "start of the most important victim", id="none is now"
        ),
        pytest.param([(5, EARLY)], [(5, EARLY)], ["n1", "n2"], None, id="tie"),
    ],
)
def test_criteria(first, second, chosen, criterion):
    pods = [
        pod(f"{name}-{i}", name, cpu=f"{4 / len(row)}", priority=priority, start=start)
        for name, row in (("n1", first), ("n2", second))
        for i, (priority, start) in enumerate(row)
    ]
    decision = decide(session(node("n1"), node("n2"), pods), pod("vip", cpu="4", priority=20))
    assert outcome(decision)[1] == chosen
    assert list(decision.preemption.criteria.values()) == [criterion] * (2 - len(chosen))


def test_policy_never():
    pods = [pod("low", "n1", cpu="4")]
    vip = pod("vip", cpu="4", priority=20, preemptionPolicy="Never")
    found = decide(session(node("n1"), pods), vip).preemption
    assert (found.eligible, found.message) == (False, "not eligible due to preemptionPolicy=Never.")


@pytest.mark.parametrize(
    ("reason", "eligible"),
    [
        pytest.param("PreemptionByScheduler", False, id="by the scheduler: wait for it"),
        pytest.param("DeletionByTaintManager", True, id="by somebody else: go on"),
    ],
)
def test_waiting_for_a_terminating_victim(reason, eligible):
    leaving = pod("leaving", "n1", cpu="4", terminating=True)
    leaving["status"]["conditions"] = [{"type": "DisruptionTarget", "status": "True", "reason": reason}]
    vip = pod("vip", cpu="4", priority=20, nominated="n1")
    assert decide(session(node("n1"), leaving), vip).preemption.eligible is eligible


def test_no_candidates_text():
    objects = [
        node("n1"),
        node("n2", taints=["a=b:NoSchedule"]),
        node("n3"),
        pod("same", "n1", cpu="4", priority=20),
        pod("low", "n3", cpu="1", priority=0),
        pod("high", "n3", cpu="3", priority=30),
    ]
    found = decide(session(objects), pod("vip", cpu="4", priority=20)).preemption
    assert found.message == (
        "0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling."
    )
