"""Rolling updates of stateful sets: which template members get, and which stay."""

from typing import Any

import pytest

from kschedctl.whatif.simulate import SimulationResult
from kschedctl.whatif.world.change_forms import RolloutMode

from .builders import OTHER, Data, controlled, left, node, placements, pod, roll, run, workload

NODES = [node("n1", cpu="20")]


def stateful(replicas: int, kind: str = "RollingUpdate", start: int = 0, **rolling: Any) -> Data:
    """The new form: 2 cpu."""
    more: Data = {"updateStrategy": {"type": kind, **({"rollingUpdate": rolling} if rolling else {})}}
    if start:
        more["ordinals"] = {"start": start}
    return workload("StatefulSet", "db", replicas, cpu="2", **more)


def member(ordinal: int) -> Data:
    return pod(f"db-{ordinal}", "n1", cpu="1", owner=controlled("StatefulSet", "db"))


def before(replicas: int, *there: int) -> list[Data]:
    """The old form, 1 cpu, and those of its members that exist."""
    return [*NODES, workload("StatefulSet", "db", replicas, **OTHER), *(member(i) for i in there)]


def forms(found: SimulationResult) -> dict[str, str]:
    """Member that was made -> of which form."""
    cpu = {task.pod.name: task.pod.spec.containers[0].resources.requests["cpu"] for task in found.tasks}
    return {name: "new" if str(amount) == "2" else "old" for name, amount in cpu.items()}


@pytest.mark.parametrize(
    ("there", "release", "made", "kept"),
    [
        pytest.param((1, 2), stateful(3, partition=2), {"db-0": "old", "db-2": "new"}, "below partition 2"),
        pytest.param((0,), stateful(3, partition=2), {"db-1": "old", "db-2": "new"}, "below partition 2"),
        pytest.param((0, 1), stateful(4, partition=9), {"db-2": "old", "db-3": "old"}, "below partition 9"),
        pytest.param(
            (0, 1), stateful(4, partition=0), dict.fromkeys(("db-0", "db-1", "db-2", "db-3"), "new"), ""
        ),
        pytest.param((1, 2), stateful(3, "OnDelete"), {"db-0": "new"}, "OnDelete: they stay"),
        pytest.param(
            (5, 7), stateful(3, start=5, partition=1), {"db-6": "new", "db-7": "new"}, "below partition 1"
        ),
        pytest.param(
            (6, 7), stateful(3, start=5, partition=1), {"db-5": "old", "db-6": "new", "db-7": "new"}, ""
        ),
    ],
)
def test_missing_members_below_the_partition_are_made_in_the_old_form(there, release, made, kept):
    done, found = roll(before(3, *there), release)

    assert forms(found) == made
    assert (done.updated, done.stuck) == (len(made), "")
    assert done.kept.startswith(kept)
    assert bool(done.kept) == bool(kept) == bool(done.old)
    assert done.old == len(left(found)) == len({f"db-{i}" for i in there} - made.keys())


def test_members_below_the_partition_are_made_in_the_old_form_where_none_exists():
    found = run(before(3), manifests=[stateful(3, partition=2)], rollout=RolloutMode.ROLLING)

    assert forms(found) == {"db-0": "old", "db-1": "old", "db-2": "new"}


def test_an_update_without_the_old_set_in_the_input_makes_all_in_the_new_form():
    _, found = roll([*NODES, member(1)], stateful(2, partition=1))

    assert forms(found) == {"db-0": "new", "db-1": "new"}


@pytest.mark.parametrize("release", [stateful(1, partition=5), stateful(1, "OnDelete")])
def test_members_that_are_too_many_go_whatever_the_strategy_is(release):
    done, found = roll(before(3, 0, 1, 2), release)

    assert (done.updated, done.old) == (0, 1)
    assert left(found) == ["db-0"]
    assert placements(found) == {}


def test_a_stuck_update_tells_what_it_is_stuck_on_and_not_what_stays():
    full = [node("n1", cpu="3"), *before(3, 0, 1, 2)[1:]]
    done, _ = roll(full, stateful(3, partition=1))

    assert (done.updated, done.old, done.kept) == (0, 2, "")
    assert done.stuck.startswith("default/db-2: ")
