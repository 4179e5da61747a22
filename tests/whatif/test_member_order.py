"""Members of a stateful set are created one after another, but for `podManagementPolicy: Parallel`."""

from typing import Any

import pytest

from kschedctl.objects.node import Taint
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.simulate import SimulationResult
from kschedctl.whatif.world.change_forms import FailMode, RolloutMode
from kschedctl.whatif.world.changes import DrainNodes, FailDomain, Scale, TaintNodes

from .builders import OTHER, Data, controlled, node, placements, pod, roll, run, workload

DB = controlled("StatefulSet", "db")
ZONE = "topology.kubernetes.io/zone"
NOT_READY = {"conditions": [{"type": "Ready", "status": "False"}]}


def db(replicas: int, cpu: str = "1", **spec: Any) -> Data:
    return workload("StatefulSet", "db", replicas, cpu=cpu, **spec)


def member(ordinal: int, on: str = "n1", cpu: str = "1", status: Data | None = None, **more: Any) -> Data:
    made = pod(f"db-{ordinal}", on, cpu=cpu, owner=DB, **more)
    made["status"] |= status or {}
    return made


def states(found: SimulationResult) -> dict[str, str | None]:
    """Pod -> its node, what its creation waits for, or None where it is pending."""
    return {t.pod.name: t.node or (f"waits for {t.waits_for}" if t.waits_for else None) for t in found.tasks}


def test_members_after_one_that_finds_no_node_are_not_created():
    found = run([node("n1", cpu="2")], manifests=[db(5)])

    assert states(found) == {
        "db-0": "n1",
        "db-1": "n1",
        "db-2": None,
        "db-3": "waits for db-2",
        "db-4": "waits for db-2",
    }
    assert [t.pod.name for t in found.pending] == ["db-2"]
    assert [t.pod.name for t in found.not_created] == ["db-3", "db-4"]
    assert found.tasks[3].outcome is None
    assert found.tasks[3].why == "not created: waits for db-2"


def test_parallel_creates_all():
    found = run([node("n1", cpu="2")], manifests=[db(5, podManagementPolicy="Parallel")])

    assert [t.pod.name for t in found.pending] == ["db-2", "db-3", "db-4"]
    assert found.not_created == []


def test_a_member_is_created_once_the_one_before_has_room_after_all():
    """db-0 fits only after the evictions of another pod; its followers come then."""
    cluster = [
        node("n1", cpu="4", labels={"disk": "ssd"}),
        pod("anchor", cpu="1", nodeName=None, labels={"app": "anchor"}),
    ]
    near = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "anchor"}}}
            ]
        }
    }
    first = db(2, pod={"affinity": near, "priority": 100})
    found = run(cluster, manifests=[first])

    assert states(found) == {"anchor": "n1", "db-0": "n1", "db-1": "n1"}


def test_members_that_wait_in_the_cluster_are_there_and_hold_new_ones_back():
    cluster = [node("n1", cpu="2"), db(2), member(0, on="", cpu="5"), member(1, on="")]
    found = run(cluster, Scale("statefulset/db", 4))

    assert states(found) == {
        "db-0": None,
        "db-1": "n1",
        "db-2": "waits for db-0",
        "db-3": "waits for db-0",
    }


@pytest.mark.parametrize(
    ("there", "waits_for"),
    [
        pytest.param(member(0, status=NOT_READY), "db-0, which is not ready", id="not ready"),
        pytest.param(member(0, status={"phase": "Pending"}), "db-0, which is not ready", id="starting"),
        pytest.param(member(0, terminating=True), "db-0, which is terminating", id="terminating"),
    ],
)
def test_a_running_member_that_is_not_ready_holds_new_ones_back(there, waits_for):
    found = run([node("n1"), db(2), there, member(1)], Scale("sts/db", 3))

    assert states(found) == {"db-2": f"waits for {waits_for}"}
    assert found.pending == []


def test_ready_members_hold_nobody_back():
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    found = run([node("n1"), db(1), member(0, status=ready)], Scale("sts/db", 2))

    assert states(found) == {"db-1": "n1"}


def test_displaced_members_come_back_in_order():
    cluster = [
        node("n1"),
        node("n2", cpu="2"),
        db(3),
        *(member(i, cpu="3" if i == 1 else "1") for i in range(3)),
    ]
    found = run(cluster, DrainNodes("n1"))

    assert states(found) == {"db-0": "n2", "db-1": None, "db-2": "waits for db-1"}


def test_a_member_that_is_not_ready_holds_nobody_once_it_has_moved():
    cluster = [node("n1"), node("n2"), db(2), member(0, status=NOT_READY), member(1)]
    found = run(cluster, DrainNodes("n1"))

    assert states(found) == {"db-0": "n2", "db-1": "n2"}


def test_a_member_on_an_unreachable_node_holds_the_others_back():
    cluster = [node("n1", "a"), node("n2", "b"), db(2), member(0, "n1"), member(1, "n2")]
    found = run(
        cluster,
        FailDomain(ZONE, "a", FailMode.UNREACHABLE),
        TaintNodes("n2", Taint(key="k", effect="NoExecute")),
    )

    assert states(found) == {"db-1": "waits for db-0, which is terminating"}


def test_a_member_that_is_there_stays_there_when_one_before_it_is_preempted():
    cluster = [
        node("n1", cpu="2", labels={"disk": "ssd"}),
        member(0, priority=0),
        pod("big", cpu="2", priority=100, nodeSelector={"disk": "ssd"}),
    ]
    found = run([*cluster, db(1)], Scale("sts/db", 2))

    assert states(found) == {"big": "n1", "db-1": None, "db-0": None}


def test_a_set_that_is_not_in_the_input_has_no_order():
    found = run([node("n1"), node("n2", cpu="1"), member(0, cpu="3"), member(1)], DrainNodes("n1"))

    assert states(found) == {"db-0": None, "db-1": "n2"}


def test_members_that_the_api_server_refuses_hold_the_others_back():
    found = run([node("n1")], manifests=[db(3, pod={"priorityClassName": "unknown"})])

    assert found.tasks[0].outcome is Outcome.INVALID
    assert [t.pod.name for t in found.not_created] == ["db-1", "db-2"]


def test_numbers_may_begin_elsewhere():
    found = run([node("n1", cpu="1")], manifests=[db(3, ordinals={"start": 9})])

    assert states(found) == {"db-9": "n1", "db-10": None, "db-11": "waits for db-10"}


def test_a_rolling_update_is_stuck_on_the_missing_member_that_finds_no_room():
    old = [node("n1", cpu="2"), workload("StatefulSet", "db", 1, **OTHER), member(0)]
    done, found = roll(old, db(4))

    assert states(found) == {"db-1": "n1", "db-2": None, "db-3": "waits for db-2"}
    assert (done.updated, done.old) == (1, 1)
    assert done.stuck.startswith("default/db-2: 0/1 nodes are available")


def test_a_rolling_update_of_parallel_members_creates_all_missing_ones():
    old = [
        node("n1", cpu="2"),
        workload("StatefulSet", "db", 1, podManagementPolicy="Parallel", **OTHER),
        member(0),
    ]
    found = run(old, manifests=[db(4, podManagementPolicy="Parallel")], rollout=RolloutMode.ROLLING)

    assert placements(found) == {"db-1": "n1", "db-2": None, "db-3": None}
    assert found.not_created == []
