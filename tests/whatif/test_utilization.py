"""Shares are those of the nodes that take pods."""

from collections.abc import Mapping

import pytest
from builders import session

from kschedctl.whatif.scenarios.expectations import check_all
from kschedctl.whatif.scenarios.scenario import Expectations
from kschedctl.whatif.world.change_forms import FailMode
from kschedctl.whatif.world.changes import Change, Cordon, DrainNodes, FailDomain
from kschedctl.whatif.world.utilization import Closed, ResourceUse, Utilization

from .builders import Data, node, replica, run

NOT_READY = "node.kubernetes.io/not-ready:NoExecute"
CLUSTER = [
    node("n1", "a", cpu="4"),
    node("n2", "a", cpu="4"),
    node("n3", "b", cpu="4"),
    replica("p1", "n1", cpu="1"),
    replica("p2", "n2", cpu="2"),
    replica("p3", "n3", cpu="1"),
]


def cpu(usage: Mapping[str, ResourceUse]) -> tuple[int, int]:
    return usage["cpu"].requested, usage["cpu"].allocatable


@pytest.mark.parametrize(
    ("closed", "why"),
    [
        (node("n4", "b", cordoned=True), Closed.CORDONED),
        (node("n4", "b", taints=["node.kubernetes.io/unschedulable:NoSchedule"]), Closed.CORDONED),
        (node("n4", "b", taints=[NOT_READY]), Closed.NOT_READY),
        (node("n4", "b", taints=["node.kubernetes.io/unreachable:NoSchedule"]), Closed.NOT_READY),
        (node("n4", "b", taints=[NOT_READY], cordoned=True), Closed.CORDONED),
        (node("n4", "b", taints=["node.kubernetes.io/unreachable:PreferNoSchedule"]), None),
        (node("n4", "b", taints=["dedicated=gpu:NoSchedule"]), None),
    ],
)
def test_a_node_that_takes_no_pods_counts_neither_with_its_room_nor_with_its_pods(closed: Data, why: Closed):
    found = Utilization.of(session(*CLUSTER, closed, replica("p4", "n4", cpu="3")).cluster)

    assert cpu(found.total()) == ((4000, 12000) if why else (7000, 16000))
    assert cpu(found.by_label(["topology.kubernetes.io/zone"])["b"]) == (
        (1000, 4000) if why else (4000, 8000)
    )
    assert found.closed == ({"n4": why} if why else {})
    assert found.shares("cpu")["n4"] == 0.75


@pytest.mark.parametrize(
    ("change", "before", "after", "closed"),
    [
        (Cordon("n3"), (4000, 12000), (3000, 8000), {"n3": Closed.CORDONED}),
        (DrainNodes("n3"), (4000, 12000), (4000, 8000), {"n3": Closed.CORDONED}),
        (
            FailDomain("topology.kubernetes.io/zone", "b", FailMode.UNREACHABLE),
            (4000, 12000),
            (4000, 8000),
            {"n3": Closed.NOT_READY},
        ),
        (Cordon("*"), (4000, 12000), (0, 0), dict.fromkeys(("n1", "n2", "n3"), Closed.CORDONED)),
    ],
)
def test_after_a_change_the_rest_counts(
    change: Change, before: tuple[int, int], after: tuple[int, int], closed: Mapping[str, Closed]
):
    found = run(CLUSTER, change)

    assert (cpu(found.before.total()), cpu(found.after.total())) == (before, after)
    assert found.after.closed == closed


@pytest.mark.parametrize(
    ("changes", "percent", "finding"),
    [
        ((), 66, None),
        ((), 67, "66.7 % of cpu stay free, 67 % are wanted"),
        ((DrainNodes("n3"),), 50, None),
        ((DrainNodes("n3"),), 51, "50.0 % of cpu stay free on nodes that take pods, 51 % are wanted"),
        ((Cordon("*"),), 0, "no node that takes pods has any cpu"),
    ],
)
def test_headroom_is_that_of_nodes_that_take_pods(
    changes: tuple[Change, ...], percent: int, finding: str | None
):
    (check,) = check_all(Expectations(headroom={"cpu": percent}), run(CLUSTER, *changes))

    assert [f.message for f in check.findings] == ([finding] if finding else [])


@pytest.mark.parametrize(
    ("requests", "shown"),
    [
        pytest.param(("8Ei", "1Gi"), 2**63 - 1, id="more than 64 bits"),
        pytest.param(("4Ei", "4Ei", "4Ei", "4Ei"), 2**63 - 1, id="twice as much"),
        pytest.param(("1Ei", "1Gi"), 2**60 + 2**30, id="large"),
    ],
)
@pytest.mark.parametrize("spread", [False, True], ids=["on one node", "on several nodes"])
def test_sums_do_not_wrap(requests, shown, spread):
    nodes = [node(f"n{i}", memory="8Ei") for i in range(len(requests))]
    pods = [replica(f"p{i}", f"n{i if spread else 0}", memory=amount) for i, amount in enumerate(requests)]
    used = Utilization.of(session(*nodes, *pods).cluster)
    assert used.total()["memory"].requested == shown
    assert used.total()["memory"].allocatable == 2**63 - 1
    assert all(share >= 0 for share in used.shares("memory").values())
