"""Old pods that are not ready, or pending, in a rolling update."""

from typing import Any

import pytest

from kschedctl.whatif.simulate import SimulationResult
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.changes import Scale

from .builders import (
    OTHER,
    Data,
    controlled,
    left,
    node,
    owned_replica_set,
    placements,
    pod,
    replica,
    roll,
    run,
    workload,
)

NOT_READY = {"conditions": [{"type": "Ready", "status": "False"}]}


def unready(item: Data) -> Data:
    item["status"] |= NOT_READY
    return item


def old(count: int, *pods: Data) -> list[Data]:
    before = workload("Deployment", "web", count, **OTHER)
    return [before, owned_replica_set("web-abc", before), *pods]


def web(replicas: int, cpu: str = "1", **update: Any) -> Data:
    return workload("Deployment", "web", replicas, cpu=cpu, strategy={"rollingUpdate": update})


def made(found: SimulationResult) -> int:
    return sum(task.placed for task in found.tasks)


def test_old_pods_that_are_not_ready_go_first_though_none_may_be_unavailable():
    pods = [replica("web-abc-a", "n1", cpu="1"), unready(replica("web-abc-b", "n1", cpu="1"))]
    done, _ = roll([node("n1", cpu="2"), *old(2, *pods)], web(2, maxSurge=0, maxUnavailable=1))

    assert (done.updated, done.old, done.stuck) == (2, 0, "")

    none, _ = roll([node("n1", cpu="3"), *old(2, *pods)], web(2, maxSurge=1, maxUnavailable=0))
    assert (none.updated, none.old, none.stuck) == (2, 0, "")


def test_old_pods_that_are_not_ready_do_not_count_as_available():
    pods = [
        replica("web-abc-a", "n1", cpu="1"),
        replica("web-abc-b", "n1", cpu="1"),
        unready(replica("web-abc-c", "n1", cpu="1")),
        unready(replica("web-abc-d", "n1", cpu="1")),
    ]
    # The new ones are too big. One of four may be missing: both that are not ready cannot go, the ready ones stay.
    done, found = roll([node("n1", cpu="4"), *old(4, *pods)], web(4, cpu="3", maxSurge=0, maxUnavailable=1))

    assert (done.updated, done.old) == (0, 3)
    assert left(found) == ["web-abc-a", "web-abc-b", "web-abc-d"]
    assert "Insufficient cpu" in done.stuck


def test_old_pods_that_are_pending_are_replaced_and_not_placed():
    pods = [replica("web-abc-a", "n1", cpu="1"), replica("web-abc-b", cpu="1")]
    done, found = roll([node("n1", cpu="3"), *old(2, *pods)], web(2, maxSurge=1, maxUnavailable=0))

    assert (done.updated, done.old, done.stuck) == (2, 0, "")
    assert all(task.name.startswith("default/web-") and "abc" not in task.name for task in found.tasks)


def test_old_pods_that_end_are_not_counted():
    pods = [replica("web-abc-a", "n1", cpu="1"), replica("web-abc-b", "n1", cpu="1", terminating=True)]
    done, found = roll([node("n1", cpu="2"), *old(1, *pods)], web(1, maxSurge=1, maxUnavailable=0))

    assert (done.updated, done.old, done.stuck) == (1, 0, "")
    assert left(found) == []


def daemon(on: str, bound: bool = True) -> Data:
    pinned = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}
                ]
            }
        }
    }
    return pod(
        f"agent-{on}", on if bound else "", cpu="1", owner=controlled("DaemonSet", "agent"), affinity=pinned
    )


def agents(kind: str = "RollingUpdate", cpu: str = "1") -> Data:
    return workload("DaemonSet", "agent", cpu=cpu, updateStrategy={"type": kind})


NODES = [node(name, cpu="1") for name in ("n1", "n2", "n3")]


def test_old_daemons_that_are_not_ready_are_replaced_all_at_once():
    daemons = [daemon("n1"), unready(daemon("n2")), unready(daemon("n3"))]
    done, _ = roll([*NODES, workload("DaemonSet", "agent", **OTHER), *daemons], agents())

    assert (done.steps, done.updated, done.old) == (2, 3, 0)


def test_an_old_daemon_that_is_pending_is_replaced():
    daemons = [daemon("n1"), daemon("n2"), daemon("n3", bound=False)]
    done, found = roll([*NODES, workload("DaemonSet", "agent", **OTHER), *daemons], agents())

    assert (done.updated, done.old, done.stuck) == (3, 0, "")
    assert "agent-n3" not in placements(found)


def test_an_old_daemon_that_is_pending_is_placed_where_nothing_replaces_it():
    daemons = [daemon("n1"), daemon("n2"), daemon("n3", bound=False)]
    done, found = roll([*NODES, workload("DaemonSet", "agent", **OTHER), *daemons], agents("OnDelete"))

    assert (done.updated, done.old) == (0, 3)
    assert placements(found) == {"agent-n3": "n3"}


def member(ordinal: int, on: str = "n1", cpu: str = "1") -> Data:
    return pod(f"db-{ordinal}", on, cpu=cpu, owner=controlled("StatefulSet", "db"))


def db(policy: str, **spec: Any) -> Data:
    return workload("StatefulSet", "db", 3, podManagementPolicy=policy, **spec)


def test_a_broken_member_stops_the_update_of_a_set_that_keeps_the_order():
    members = [member(0), unready(member(1)), member(2)]
    done, found = roll([node("n1", cpu="3"), db("", **OTHER), *members], db(""))

    assert (done.updated, done.old) == (0, 3)
    assert done.stuck == "default/db-1: not ready, and OrderedReady waits for it"
    assert left(found) == ["db-0", "db-1", "db-2"]


def test_the_first_broken_member_is_told():
    members = [member(0), unready(member(1)), unready(member(2)), unready(member(3))]
    done, _ = roll([node("n1", cpu="4"), workload("StatefulSet", "db", 4, **OTHER), *members], db(""))

    assert done.stuck.startswith("default/db-1: not ready")


@pytest.mark.parametrize(
    "strategy", [{"type": "OnDelete"}, {"type": "RollingUpdate", "rollingUpdate": {"partition": 3}}]
)
def test_a_broken_member_stops_nothing_where_nothing_is_to_be_replaced(strategy):
    members = [member(0), unready(member(1)), member(2)]
    release = db("", updateStrategy=strategy)
    done, _ = roll([node("n1", cpu="3"), db("", **OTHER), *members], release)

    assert (done.updated, done.old, done.stuck) == (0, 3, "")
    assert done.kept


def test_a_broken_member_is_replaced_in_its_turn_where_members_are_parallel():
    members = [member(0), unready(member(1)), member(2)]
    done, _ = roll([node("n1", cpu="3"), db("Parallel", **OTHER), *members], db("Parallel"))

    assert (done.updated, done.old, done.stuck) == (3, 0, "")


@pytest.mark.parametrize(
    ("policy", "updated", "placed"),
    [
        pytest.param("OrderedReady", 0, {"db-2": None}, id="waited for"),
        pytest.param("Parallel", 3, {"db-0": "n1", "db-1": "n1", "db-2": "n1"}, id="replaced"),
    ],
)
def test_a_pending_member_that_cannot_be_placed(policy, updated, placed):
    members = [member(0), member(1), member(2, on="", cpu="9")]
    done, found = roll([node("n1", cpu="3"), db(policy, **OTHER), *members], db(policy))

    assert done.updated == updated
    assert bool(done.stuck) is not bool(updated)
    assert placements(found) == placed


def test_a_pending_member_that_finds_room_is_rolled_in_its_turn():
    members = [member(0), member(1), member(2, on="")]
    found = run(
        [node("n1", cpu="3"), db("", **OTHER), *members], manifests=[db("")], rollout=RolloutMode.ROLLING
    )

    assert [t.name.removeprefix("default/") for t in found.tasks] == ["db-2", "db-1", "db-0"]
    (done,) = found.rollouts
    assert (done.updated, done.old, done.stuck) == (3, 0, "")


def test_scaling_down_takes_what_is_not_ready_first():
    pods = [replica("web-abc-a", "n1"), replica("web-abc-b", "n1"), unready(replica("web-abc-c", "n1"))]
    found = run([node("n1"), *old(3, *pods)], Scale("deployment/web", 2))

    assert left(found) == ["web-abc-a", "web-abc-b"]
