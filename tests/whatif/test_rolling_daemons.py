"""Rolling updates of daemon sets: `updateStrategy`."""

import pytest

from .builders import OTHER, Data, controlled, left, node, nodes_of, pod, roll, workload

NODES = ("n1", "n2", "n3", "n4")


def daemon(on: str, **more) -> Data:
    return pod(f"agent-{on}", on, cpu="1", owner=controlled("DaemonSet", "agent"), **more)


def agents(cpu: str = "1", kind: str = "RollingUpdate", pod: Data | None = None, **update) -> Data:
    strategy = {"type": kind, **({"rollingUpdate": update} if update else {})}
    return workload("DaemonSet", "agent", cpu=cpu, updateStrategy=strategy, pod=pod or {})


def cluster(*nodes: Data, without: tuple[str, ...] = ()) -> list[Data]:
    """Nodes with an old daemon of 1 cpu each."""
    there = [n["metadata"]["name"] for n in nodes if n["metadata"]["name"] not in without]
    return [*nodes, workload("DaemonSet", "agent", **OTHER), *(daemon(name) for name in there)]


@pytest.mark.parametrize(
    ("update", "steps"),
    [
        pytest.param({}, 4, id="one by default"),
        pytest.param({"maxUnavailable": 2}, 2, id="two"),
        pytest.param({"maxUnavailable": "50%"}, 2, id="share"),
        pytest.param({"maxUnavailable": "30%"}, 2, id="share is rounded up"),
        pytest.param({"maxUnavailable": "100%"}, 1, id="all"),
        pytest.param({"maxUnavailable": 0, "maxSurge": 0}, 4, id="none means one"),
    ],
)
def test_so_many_nodes_are_without_their_daemon_at_a_time(update, steps):
    done, found = roll(cluster(*(node(n, cpu="1") for n in NODES)), agents(**update))

    assert (done.updated, done.old, done.stuck, done.kept) == (4, 0, "", "")
    assert done.steps == steps
    assert left(found) == []


@pytest.mark.parametrize(
    ("update", "steps"),
    [
        pytest.param({"maxUnavailable": 0, "maxSurge": 1}, 5, id="one"),
        pytest.param({"maxUnavailable": 0, "maxSurge": "30%"}, 3, id="share is rounded up"),
        pytest.param({"maxUnavailable": 0, "maxSurge": "100%"}, 2, id="all"),
    ],
)
def test_with_surge_the_new_daemon_comes_beside_the_old_one(update, steps):
    done, found = roll(cluster(*(node(n, cpu="2") for n in NODES)), agents(**update))

    assert (done.updated, done.old, done.stuck) == (4, 0, "")
    assert done.steps == steps
    assert left(found) == []


def test_surge_is_stuck_where_both_do_not_fit_and_the_old_daemon_stays():
    small = cluster(node("n1", cpu="1"), node("n2", cpu="2"), node("n3", cpu="2"))

    one, found = roll(small, agents(maxUnavailable=0, maxSurge=1))
    assert (one.updated, one.old) == (0, 3)
    assert "Insufficient cpu" in one.stuck
    assert left(found) == ["agent-n1", "agent-n2", "agent-n3"]

    two, found = roll(small, agents(maxUnavailable=0, maxSurge=2))
    assert (two.updated, two.old) == (2, 1)
    assert left(found) == ["agent-n1"]

    in_place, _ = roll(small, agents())
    assert (in_place.updated, in_place.stuck) == (3, "")


def test_a_daemon_without_room_uses_up_what_may_be_unavailable():
    nodes = [node("n1", cpu="1"), node("n2", cpu="2"), node("n3", cpu="2")]

    one, found = roll(cluster(*nodes), agents(cpu="2"))
    assert (one.updated, one.old) == (0, 2)
    assert one.stuck.startswith("default/agent-")
    assert left(found) == ["agent-n2", "agent-n3"]

    two, found = roll(cluster(*nodes), agents(cpu="2", maxUnavailable=2))
    assert (two.updated, two.old) == (2, 0)
    assert "Insufficient cpu" in two.stuck
    assert left(found) == []


def test_a_node_that_misses_its_daemon_for_good_counts_as_unavailable():
    nodes = [node("n1", cpu="1"), node("n2", cpu="2")]
    full = [*cluster(*nodes, without=("n1",)), pod("full", "n1", cpu="1")]
    done, _ = roll(full, agents())

    assert (done.updated, done.old) == (0, 1)
    assert "Insufficient cpu" in done.stuck


def test_on_delete_replaces_nothing_and_starts_what_is_missing():
    done, found = roll(
        cluster(node("n1"), node("n2"), node("n3"), without=("n3",)), agents(kind="OnDelete", cpu="2")
    )

    assert (done.steps, done.updated, done.old, done.stuck) == (0, 1, 2, "")
    assert done.kept.startswith("OnDelete")
    assert left(found) == ["agent-n1", "agent-n2"]
    assert nodes_of(found, "DaemonSet/agent") == ["n3"]


@pytest.mark.parametrize(
    ("effect", "kind", "kept"),
    [
        pytest.param("NoSchedule", "RollingUpdate", [], id="not started anew"),
        pytest.param("NoSchedule", "OnDelete", ["agent-n1"], id="goes on"),
        pytest.param("NoExecute", "OnDelete", [], id="ended"),
    ],
)
def test_a_daemon_on_a_tainted_node_is_not_started_anew(effect, kind, kept):
    tainted = node("n1", taints=[f"k=v:{effect}"])
    done, found = roll(cluster(tainted), agents(kind=kind))

    assert (done.updated, done.stuck) == (0, "")
    assert left(found) == kept


def test_a_daemon_ends_where_the_new_template_does_not_want_it():
    done, found = roll(
        cluster(node("n1", labels={"gpu": "true"}), node("n2")),
        agents(kind="OnDelete", pod={"nodeSelector": {"gpu": "true"}}),
    )

    assert (done.updated, done.old) == (0, 1)
    assert left(found) == ["agent-n1"]


def test_old_daemons_that_the_new_ones_preempt_are_not_made_anew():
    done, found = roll(
        cluster(node("n1", cpu="1"), node("n2", cpu="1")),
        agents(maxUnavailable=0, maxSurge=2, pod={"priority": 100}),
    )

    assert (done.updated, done.old, done.stuck) == (2, 0, "")
    assert [eviction.successor for eviction in found.evictions] == [None, None]
