"""The queue replayed: pods come, change and end at their times."""

from typing import Any

import pytest

from kschedctl.errors import InputError, UsageError
from kschedctl.run.queued_pod import Pool
from kschedctl.whatif.queue.arrivals import Arrival, Moment
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.queue.replay import QueueResult, Replay

from .builders import made, node, placements, pod, run


def comes(at: float, data: dict, **more: Any) -> Arrival:
    return Arrival(Moment(at), {"create": data}, made(data), **more)


def changes(at: float, **action: Any) -> Arrival:
    return Arrival(Moment(at), action)


def waits(queue: QueueResult) -> dict[str, tuple[float, float | None, int]]:
    return {wait.task.pod.name: (wait.arrived, wait.scheduled, wait.attempts) for wait in queue.waits}


def replayed(cluster, *arrivals, until=None):
    found = run(cluster, replay=Replay(arrivals, until))
    assert found.queue is not None
    return found, found.queue


def test_a_pod_waits_until_another_has_run():
    first = comes(0, pod("a", cpu="3"), duration=60.0)
    found, queue = replayed([node("n", cpu="4")], first, comes(5, pod("b", cpu="3")))

    assert waits(queue) == {"a": (0, 0, 1), "b": (5, 60, 2)}
    assert placements(found) == {"a": "n", "b": "n"}
    assert [(length.at, length.unschedulable) for length in queue.lengths] == [(0, 0), (5, 1), (60, 0)]


def test_a_pod_that_ends_before_it_was_scheduled_is_gone():
    late = comes(1, pod("late", cpu="9"), end=Moment(30))
    found, queue = replayed([node("n", cpu="4")], late)

    assert waits(queue) == {"late": (1, None, 1)}
    assert found.tasks[0].message.startswith("it was to end 30 s after the beginning")
    assert queue.waiting == []


def test_a_pod_that_names_its_node_ends_like_others():
    first = comes(0, pod("a", cpu="3", nodeName="n"), duration=10.0)
    found, queue = replayed([node("n", cpu="4")], first, comes(5, pod("b", cpu="3")))

    assert placements(found) == {"a": "n", "b": "n"}
    assert {name: at for name, (_, at, _) in waits(queue).items()} == {"a": 0, "b": 10}


def test_pending_pods_come_by_their_age():
    old, young = pod("old", cpu="1"), pod("young", cpu="1")
    old["metadata"]["creationTimestamp"] = "2026-03-01T00:00:00Z"
    young["metadata"]["creationTimestamp"] = "2026-03-01T00:00:40Z"
    _, queue = replayed([node("n"), young, old])

    assert waits(queue) == {"old": (0, 0, 1), "young": (40, 40, 1)}


def test_a_node_that_comes_wakes_who_waits():
    _, queue = replayed([node("n", cpu="1")], comes(0, pod("big", cpu="3")), changes(20, create=node("m")))

    assert waits(queue) == {"big": (0, 20, 2)}


def test_pods_wait_for_five_minutes_at_most():
    """Nothing happens: the flush tries it again, and in vain."""
    _, queue = replayed([node("n", cpu="1")], comes(0, pod("big", cpu="3")), until=400)

    assert waits(queue) == {"big": (0, None, 2)}


def test_who_waits_at_the_end_and_for_what():
    gated = pod("gated", schedulingGates=[{"name": "g"}])
    _, queue = replayed([node("n", cpu="1")], comes(0, pod("big", cpu="3")), comes(0, gated))

    waiting = {w.task.pod.name: (w.pool, w.gated, [p.name for p in w.plugins]) for w in queue.waiting}
    assert waiting == {
        "big": (Pool.UNSCHEDULABLE, False, ["NodeResourcesFit"]),
        "gated": (Pool.UNSCHEDULABLE, True, ["SchedulingGates"]),
    }
    assert queue.lengths[-1].gated == 1
    assert queue.to_come == 0


def test_what_is_still_to_come_when_it_ends():
    _, queue = replayed([node("n")], comes(0, pod("a"), duration=99.0), until=10)

    assert queue.to_come == 1


def test_a_patch_that_makes_no_object_of_its_kind():
    patch = changes(1, patch={"kind": "Node", "name": "n", "merge": {"spec": 5}})
    with pytest.raises(InputError, match="patch of Node n: Expected `object`, got `int`"):
        replayed([node("n")], patch)


def test_a_name_that_is_taken_is_refused():
    found, _ = replayed([node("n")], comes(0, pod("a")), comes(1, pod("a")))

    assert [task.message for task in found.tasks] == ["", "pods 'a' already exists"]


def test_effects_are_in_flight():
    with pytest.raises(UsageError, match="cannot be immediate"):
        run([node("n")], effects=EffectsModel.IMMEDIATE, replay=Replay())
