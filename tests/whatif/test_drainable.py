"""Whether nodes can be drained at the end of a scenario."""

import pytest

from kschedctl.whatif.scenarios.expectations import check_all
from kschedctl.whatif.scenarios.scenario import Drainable, Expectations
from kschedctl.workloads import WorkloadKey

from .builders import Data, controlled, node, pod, run, workload

NODES = [node("n1", cpu="2", labels={"pool": "old"}), node("n2", cpu="2", labels={"pool": "new"})]


def budget(status: Data | None = None, name: str = "web", **rule: int) -> Data:
    """A budget over the pods of web."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": "web"}}} | rule,
        "status": status or {},
    }


def drainable(cluster: list[Data], manifests: list[Data] = (), nodes: str = "*", *, together: bool = False):
    """The check, of a cluster with a release."""
    (check,) = check_all(
        Expectations(drainable=Drainable(nodes, together)), run(cluster, manifests=manifests)
    )
    return check


def messages(check) -> list[str]:
    return [finding.message for finding in check.findings]


def test_a_budget_that_lets_nothing_go():
    check = drainable(NODES, [workload("Deployment", "web", 1), budget(minAvailable=2)])

    assert check.title == "every node can be drained, one at a time"
    (finding,) = check.findings
    assert finding.message.endswith(
        "cannot be drained: budget default/web allows no disruption: 1 of 1 pods healthy, 2 needed by minAvailable 2, "
        "which never lets one go: one replica more would, or minAvailable 1"
    )
    assert finding.about == WorkloadKey("PodDisruptionBudget", "default", "web")
    assert finding.field == ("spec", "minAvailable")
    assert finding.workload == WorkloadKey("Deployment", "default", "web")


@pytest.mark.parametrize(
    ("rule", "replicas", "passed"),
    [
        pytest.param({"minAvailable": 1}, 2, True, id="one of two may go"),
        pytest.param({"maxUnavailable": 0}, 2, False, id="none may be unavailable"),
        pytest.param({"maxUnavailable": 1}, 1, True, id="one may be unavailable"),
    ],
)
def test_budgets(rule, replicas, passed):
    assert drainable(NODES, [workload("Deployment", "web", replicas), budget(**rule)]).passed is passed


def test_a_budget_counts_the_pods_that_the_release_brings():
    before = {"expectedPods": 1, "currentHealthy": 1, "desiredHealthy": 1, "disruptionsAllowed": 0}
    one = pod("web-0", "n1", labels={"app": "web"}, owner=controlled("StatefulSet", "web"))
    cluster = [*NODES, workload("StatefulSet", "web", 1), one, budget(before, minAvailable=1)]

    assert messages(drainable(cluster)) == [
        "n1 cannot be drained: budget default/web allows no disruption: 1 of 1 pods healthy, "
        "1 needed by minAvailable 1, which never lets one go: one replica more would, or minAvailable 0"
    ]
    assert drainable(cluster, [workload("StatefulSet", "web", 2)]).passed


def test_one_finding_for_all_nodes_that_a_budget_keeps():
    spread = {"podManagementPolicy": "Parallel"}
    check = drainable(NODES, [workload("StatefulSet", "web", 3, **spread), budget(maxUnavailable=0)])

    assert [text.partition(" cannot")[0] for text in messages(check)] == ["n1, n2"]


def test_pods_that_no_other_node_takes():
    check = drainable(NODES, [workload("Deployment", "web", 3)])

    assert messages(check) == [
        "n1, n2 cannot be drained: 1 pod of Deployment/web finds no other node: 0/2 nodes are available: "
        "1 Insufficient cpu, 1 node(s) were unschedulable"
    ]


def test_pods_that_nothing_controls():
    cluster = [*NODES, *(pod(f"p{i}", "n1", cpu="0") for i in range(6))]

    assert messages(drainable(cluster)) == [
        "n1 cannot be drained: nothing controls default/p0, default/p1, default/p2, default/p3 and 2 more; "
        "kubectl drain stops there without --force"
    ]


def test_a_pod_that_several_budgets_cover():
    release = [workload("Deployment", "web", 1), budget(minAvailable=0), budget(name="other", minAvailable=0)]
    (text,) = messages(drainable(NODES, release))

    assert "covered by budgets default/other, default/web: the eviction API refuses pods of several" in text


def test_a_pod_that_comes_back():
    tolerant = workload("Deployment", "web", 1, pod={"tolerations": [{"operator": "Exists"}]})
    (text,) = messages(drainable([NODES[0]], [tolerant]))

    assert text.startswith("n1 cannot be drained: default/web-")
    assert text.endswith("comes back, as it tolerates the cordon or names the node")


@pytest.mark.parametrize(
    ("nodes", "together", "title"),
    [
        pytest.param("n1", False, "n1 can be drained", id="a node"),
        pytest.param(
            "pool in (old,new)",
            False,
            "every node of pool in (old,new) can be drained, one at a time",
            id="each",
        ),
        pytest.param(
            "pool in (old,new)", True, "all nodes of pool in (old,new) can be drained together", id="together"
        ),
    ],
)
def test_which_nodes(nodes, together, title):
    third = node("n3", cpu="2")
    check = drainable([*NODES, third], [workload("Deployment", "web", 2)], nodes, together=together)

    assert (check.title, check.passed) == (title, True)


def test_what_holds_one_at_a_time_need_not_hold_together():
    found = [drainable(NODES, [workload("Deployment", "web", 1)], together=both) for both in (False, True)]

    assert [check.passed for check in found] == [True, False]
