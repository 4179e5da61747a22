"""Rolling updates, step by step."""

import pytest

from kschedctl.whatif.simulate import SimulationResult
from kschedctl.whatif.world.change_forms import RolloutMode

from .builders import (
    OTHER,
    Data,
    controlled,
    left,
    node,
    nodes_of,
    owned_replica_set,
    placements,
    pod,
    replica,
    roll,
    run,
    workload,
)


def deployment(replicas: int, cpu: str = "1", **update) -> Data:
    strategy = {"strategy": {"rollingUpdate": update}} if update else {}
    return workload("Deployment", "web", replicas, cpu=cpu, **strategy)


def running(count: int, on: str = "n1", cpu: str = "1", **spec) -> list[Data]:
    old = workload("Deployment", "web", count, **(spec or OTHER))
    pods = [replica(f"web-abc-{i}", on, cpu=cpu) for i in range(count)]
    return [old, owned_replica_set("web-abc", old), *pods]


@pytest.mark.parametrize(
    ("update", "steps"),
    [
        pytest.param({"maxSurge": 1, "maxUnavailable": 0}, 5, id="one at a time, on top"),
        pytest.param({"maxSurge": 0, "maxUnavailable": 1}, 4, id="one at a time, in place"),
        pytest.param({"maxSurge": "50%", "maxUnavailable": 0}, 3, id="two at a time"),
        pytest.param({"maxSurge": "100%", "maxUnavailable": 0}, 2, id="all at once, on top"),
        pytest.param({"maxSurge": 0, "maxUnavailable": 0}, 4, id="both none means one in place"),
    ],
)
def test_a_rollout_with_room_gets_done(update, steps):
    done, found = roll([node("n1", cpu="10"), *running(4)], deployment(4, **update))

    assert (done.updated, done.old, done.stuck) == (4, 0, "")
    assert done.steps == steps
    assert left(found) == []


def test_a_rollout_that_needs_room_for_one_more_is_stuck_without_it():
    cluster = [node("n1", cpu="4"), *running(4)]
    done, found = roll(cluster, deployment(4, maxSurge=1, maxUnavailable=0))

    assert (done.updated, done.old) == (0, 4)
    assert done.stuck.startswith("default/web-")
    assert "Insufficient cpu" in done.stuck
    assert len(left(found)) == 4
    assert len(found.pending) == 1

    in_place, _ = roll(cluster, deployment(4, maxSurge=0, maxUnavailable=1))
    assert (in_place.updated, in_place.stuck) == (4, "")


def test_a_rollout_of_bigger_pods_is_stuck_half_way():
    done, found = roll(
        [node("n1", cpu="5"), *running(4)], deployment(4, cpu="2", maxSurge=0, maxUnavailable=1)
    )

    # 3 old + 1 new of 2 cpu make 5; the next one needs 2 where one old pod frees 1.
    assert (done.updated, done.old) == (1, 2)
    assert "Insufficient cpu" in done.stuck
    assert len(left(found)) == 2


def test_a_growing_workload_keeps_its_old_pods_until_new_ones_run():
    done, found = roll([node("n1", cpu="3"), *running(2)], deployment(4, maxSurge=0, maxUnavailable=0))

    assert done.stuck
    assert len(left(found)) + done.updated <= 3


def test_old_pods_that_the_new_ones_preempt_are_made_anew_and_then_go_in_their_turn():
    release = workload("Deployment", "web", 3, cpu="1", pod={"priority": 100})
    done, found = roll([node("n1", cpu="3"), *running(3)], release)

    assert (done.updated, done.old, done.stuck) == (3, 0, "")
    assert [eviction.successor for eviction in found.evictions] == [None] * len(found.evictions)
    assert found.evictions
    assert found.pending == []


def test_members_that_another_one_preempts_are_replaced_in_their_turn():
    release = workload("StatefulSet", "db", 3, cpu="2", pod={"priority": 100})
    done, found = roll([node("n1", cpu="6"), *members(3), pod("hog", "n1", cpu="3", priority=1000)], release)

    assert (done.updated, len(found.evictions)) == (1, 1)
    assert done.stuck.startswith("default/db-1: ")
    assert [task.name for task in found.tasks] == ["default/db-2", "default/db-1"]


def test_strategy_recreate_takes_the_old_ones_first():
    release = workload("Deployment", "web", 4, strategy={"type": "Recreate"})
    done, _ = roll([node("n1", cpu="4"), *running(4)], release)

    assert (done.updated, done.old, done.stuck) == (4, 0, "")


def test_a_new_workload_needs_no_rollout():
    found = run([node("n1")], manifests=[deployment(2)], rollout=RolloutMode.ROLLING)

    assert found.rollouts == []
    assert nodes_of(found, "Deployment/web") == ["n1", "n1"]


def stateful(replicas: int, cpu: str = "1", **rolling) -> Data:
    strategy = {"updateStrategy": {"rollingUpdate": rolling}} if rolling else {}
    return workload("StatefulSet", "db", replicas, cpu=cpu, **strategy)


def members(count: int, **spec) -> list[Data]:
    return [
        workload("StatefulSet", "db", count, **(spec or OTHER)),
        *(pod(f"db-{i}", "n1", cpu="1", owner=controlled("StatefulSet", "db")) for i in range(count)),
    ]


@pytest.mark.parametrize(
    ("partition", "updated"), [(0, ["db-0", "db-1", "db-2"]), (2, ["db-2"]), (3, []), (9, [])]
)
def test_a_stateful_set_is_rolled_down_to_its_partition(partition, updated):
    done, found = roll([node("n1", cpu="3"), *members(3)], stateful(3, partition=partition))

    assert done.stuck == ""
    assert sorted(name for name, on in placements(found).items() if on) == updated
    assert sorted(left(found)) == sorted({"db-0", "db-1", "db-2"} - set(updated))


def test_a_stateful_set_stops_at_the_member_that_finds_no_room():
    done, found = roll([node("n1", cpu="3"), *members(3)], stateful(3, cpu="2"))

    assert (done.updated, done.old) == (0, 2)
    assert done.stuck.startswith("default/db-2: ")
    assert sorted(left(found)) == ["db-0", "db-1"]


def test_a_stateful_set_grows_before_it_is_rolled():
    done, found = roll([node("n1", cpu="3"), *members(2)], stateful(3))

    assert (done.updated, done.old, done.stuck) == (3, 0, "")
    assert [task.name for task in found.tasks] == ["default/db-2", "default/db-1", "default/db-0"]


def test_a_stateful_set_that_shrinks_loses_its_highest():
    done, found = roll([node("n1", cpu="3"), *members(3)], stateful(1))

    assert done.updated == 1
    assert left(found) == []


SAME: Data = {"pod": {}}


def unrolled(cluster: list[Data], release: Data) -> SimulationResult:
    found = run([node("n1", cpu="20"), *cluster], manifests=[release], rollout=RolloutMode.ROLLING)
    assert found.rollouts == []
    return found


@pytest.mark.parametrize(("replicas", "new", "kept"), [(5, 1, 4), (4, 0, 4), (1, 0, 1), (0, 0, 0)])
def test_a_deployment_of_the_same_template_only_changes_its_number(replicas, new, kept):
    found = unrolled(running(4, **SAME), deployment(replicas))

    assert len(found.tasks) == new
    assert len(left(found)) == kept
    assert "Deployment/web: no rollout" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("replicas", "new", "kept"), [(4, ["db-3"], ["db-0", "db-1", "db-2"]), (1, [], ["db-0"])]
)
def test_a_stateful_set_of_the_same_template_only_changes_its_number(replicas, new, kept):
    found = unrolled(members(3, **SAME), stateful(replicas))

    assert sorted(placements(found)) == new
    assert left(found) == kept


def test_a_daemon_set_of_the_same_template_only_gets_its_missing_daemons():
    daemon = pod("agent-n1", "n1", cpu="1", owner=controlled("DaemonSet", "agent"))
    found = unrolled([node("n2"), workload("DaemonSet", "agent"), daemon], workload("DaemonSet", "agent"))

    assert nodes_of(found, "DaemonSet/agent") == ["n2"]
    assert left(found) == ["agent-n1"]


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController"])
@pytest.mark.parametrize(("replicas", "new", "kept"), [(2, 0, 2), (3, 1, 2), (1, 0, 1)])
def test_a_bare_replica_set_keeps_its_pods_whatever_its_template_is(kind, replicas, new, kept):
    selector = {"selector": {"app": "r"}} if kind == "ReplicationController" else {}
    pods = [pod(f"r-{i}", "n1", cpu="1", owner=controlled(kind, "r")) for i in range(2)]
    found = unrolled(
        [workload(kind, "r", 2, **selector), *pods], workload(kind, "r", replicas, cpu="2", **selector)
    )

    assert len(found.tasks) == new
    assert len(left(found)) == kept
    assert f"{kind}/r: no rollout" in " ".join(found.notes)
