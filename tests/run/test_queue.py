"""The queue by itself: pools, order, and what moves pods (spec 01 §8, spec 08 §2)."""

import pytest
from builders import enter, node, pod, session

from kschedctl.framework.cluster_event import Action, ClusterEvent, Resource
from kschedctl.run.backoff import Backoff
from kschedctl.run.clock import Clock
from kschedctl.run.queue import SchedulingQueue
from kschedctl.run.queued_pod import Pool

FIT = frozenset({"Fit"})
NONE = frozenset()
ROOM = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE, name="room")
NODE = ClusterEvent(Resource.NODE, Action.ADD, name="node")
OWN = ClusterEvent(Resource.TARGET_POD, Action.UPDATE_POD_LABEL, name="own")


HEARS = {Resource.ASSIGNED_POD: "Fit", Resource.NODE: "Taint", Resource.TARGET_POD: "Gate"}


class Rules:
    """`Fit` hears of room, `Taint` of nodes, `Gate` of changes of the pod."""

    def helps(self, pod, event):
        return (
            not pod.rejectors or event.resource is Resource.ANYTHING or HEARS[event.resource] in pod.rejectors
        )

    def listeners(self, event):
        return [HEARS[event.resource]] if event.resource in HEARS else []

    def kind_of(self, pod):
        return pod.record.pod_class.index, pod.rejectors

    def answers(self, event):
        return None


class Bench:
    """A queue, a clock, and what the queue told."""

    def __init__(self, *, pops_when_idle=True):
        self.clock = Clock()
        self.told = []
        self.gates = {}
        self._cluster = session(node("n"))
        backoff = Backoff(pops_when_idle=pops_when_idle)
        self.queue = SchedulingQueue(
            self.clock, backoff, self._gate, Rules(), lambda pod: (-pod.priority,), self
        )

    def _gate(self, record, known):
        return self.gates.get(record.name, "")

    def queued(self, pod, pool, by):
        self.told.append(f"{pod.record.name} {pool} {by}")

    def gated(self, pod):
        self.told.append(f"{pod.record.name} gated {pod.gate}")

    def add(self, *names, **priorities):
        for name in (*names, *priorities):
            self.clock.tick()
            record = enter(self._cluster, pod(name, priority=priorities.get(name)))
            self.queue.add(record, "new")

    def at(self, seconds):
        self.clock.move_to(seconds)
        return self

    def pop(self):
        self.clock.tick()
        found = self.queue.pop()
        return None if found is None else found.record.name

    def fail(self, name, rejectors=FIT):
        """Pop a pod, which must be this one, and let it fail."""
        self.clock.tick()
        found = self.queue.pop()
        assert found is not None
        assert found.record.name == name
        return self.queue.fail(found, found.record, rejectors, "failed")

    def pools(self):
        found = {name: self.queue.pool_of(f"default/{name}") for name in "abc"}
        return {name: pool.value for name, pool in found.items() if pool is not None}


def test_higher_priority_first_then_first_in():
    bench = Bench()
    bench.add("a", "b", c=5)
    assert [bench.pop() for _ in range(4)] == ["c", "a", "b", None]


def test_who_failed_comes_after_those_who_came_before_the_failure():
    bench = Bench()
    bench.add("a", "b")
    bench.fail("a")
    bench.at(3).queue.move(ROOM)
    assert [bench.pop(), bench.pop()] == ["b", "a"]


@pytest.mark.parametrize(
    ("rejectors", "pool"),
    [
        pytest.param(FIT, Pool.UNSCHEDULABLE, id="rejected: until something helps"),
        pytest.param(NONE, Pool.BACKOFF, id="an error: after a while"),
    ],
)
def test_where_a_failed_pod_goes(rejectors, pool):
    bench = Bench()
    bench.add("a")
    assert bench.fail("a", rejectors) is pool


def test_a_woken_pod_that_still_backs_off_is_tried_when_nothing_else_is():
    bench = Bench()
    bench.add("a")
    bench.fail("a")
    bench.queue.move(ROOM)
    bench.add("b")
    assert bench.told[1] == "a Backoff room"
    assert [bench.pop(), bench.pop()] == ["b", "a"]


def test_without_that_gate_it_waits():
    bench = Bench(pops_when_idle=False)
    bench.add("a")
    bench.fail("a")
    bench.queue.move(ROOM)
    assert not bench.queue.ready
    bench.at(2).queue.flush_backoff()
    assert bench.pop() == "a"


def test_errors_really_wait():
    bench = Bench()
    bench.add("a")
    bench.fail("a", NONE)
    assert not bench.queue.ready
    bench.at(1).queue.flush_backoff()
    assert not bench.queue.ready
    bench.at(2).queue.flush_backoff()
    assert bench.told[-1] == "a Active BackoffComplete"


def test_errors_in_a_row_double_the_wait_and_a_rejection_ends_the_row():
    bench = Bench()
    bench.add("a")
    bench.fail("a", NONE)
    bench.at(2).queue.flush_backoff()
    bench.fail("a", NONE)
    for second in (3, 4):
        bench.at(second).queue.flush_backoff()
        assert not bench.queue.ready
    bench.at(5).queue.flush_backoff()
    bench.fail("a")
    bench.at(20).queue.move(ROOM)
    bench.fail("a", NONE)
    bench.at(22).queue.flush_backoff()
    assert bench.queue.ready


def test_rejections_of_a_whole_life_count():
    bench = Bench()
    bench.add("a")
    bench.fail("a")
    for second in (10, 20, 30):
        bench.at(second).queue.move(ROOM)
        bench.fail("a")
    bench.at(38).queue.move(ROOM)
    assert bench.pools() == {"a": "Backoff"}


def test_backing_off_pods_go_by_the_end_of_their_wait_then_as_in_the_active_queue():
    bench = Bench()
    bench.add("a", "b", c=5)
    bench.fail("c")
    bench.fail("a")
    bench.at(0.9)
    bench.fail("b")
    bench.queue.move(ROOM)
    assert [bench.pop(), bench.pop(), bench.pop()] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("event", "woken"),
    [
        pytest.param(ROOM, ["a"], id="what the plugin hears of"),
        pytest.param(NODE, [], id="what it does not"),
    ],
)
def test_events_wake_by_plugin(event, woken):
    bench = Bench()
    bench.add("a")
    bench.fail("a")
    bench.at(5).queue.move(event)
    assert [name for name, pool in bench.pools().items() if pool == "Active"] == woken


def test_events_can_be_for_some_only():
    bench = Bench()
    bench.add("a", b=9)
    bench.fail("b")
    bench.fail("a")
    bench.at(5).queue.move(ROOM, lambda record: record.priority < 9)
    assert bench.pools() == {"a": "Active", "b": "Unschedulable"}


def test_what_happens_during_a_cycle_counts_at_its_failure():
    bench = Bench()
    bench.add("a", "b")
    bench.clock.tick()
    popped = bench.queue.pop()
    bench.queue.move(ROOM)
    assert bench.queue.fail(popped, popped.record, FIT, "failed") is Pool.BACKOFF
    assert bench.fail("b") is Pool.UNSCHEDULABLE


def test_only_what_happens_since_the_pod_was_popped_counts():
    bench = Bench()
    bench.add("a", "b")
    first = bench.queue.pop()
    bench.queue.move(ROOM)
    second = bench.queue.pop()
    assert bench.queue.fail(second, second.record, FIT, "failed") is Pool.UNSCHEDULABLE
    assert bench.queue.fail(first, first.record, FIT, "failed") is Pool.BACKOFF


def test_a_pod_that_changes_in_its_cycle_is_judged_at_its_failure():
    bench = Bench()
    bench.add("a")
    popped = bench.queue.pop()
    bench.queue.update(popped.record, [OWN], "changed")
    assert bench.queue.fail(popped, popped.record, frozenset({"Gate"}), "failed") is Pool.BACKOFF


def test_gated_pods_do_not_enter():
    bench = Bench()
    bench.gates["a"] = "Gate"
    bench.add("a")
    assert (bench.told, bench.pools(), bench.queue.ready) == (["a gated Gate"], {"a": "Unschedulable"}, False)


def test_gated_pods_hear_only_what_their_gate_hears():
    bench = Bench()
    bench.add("a")
    bench.fail("a")
    bench.gates["a"] = "Gate"
    bench.at(5).queue.move(ROOM)
    assert bench.told[-1] == "a gated Gate"
    bench.gates.clear()
    bench.queue.move(ROOM)
    assert bench.pools() == {"a": "Unschedulable"}
    bench.queue.update(bench.queue.find("default/a").record, [OWN], "changed")
    assert bench.told[-1] == "a Active own"


def test_after_five_minutes_pods_are_tried_once_more_unless_gated():
    bench = Bench()
    bench.gates["b"] = "Gate"
    bench.add("a", "b")
    bench.fail("a")
    bench.at(300).queue.flush_unschedulable()
    assert bench.pools() == {"a": "Unschedulable", "b": "Unschedulable"}
    bench.at(330).queue.flush_unschedulable()
    assert bench.pools() == {"a": "Active", "b": "Unschedulable"}
    assert bench.told[-1] == "a Active UnschedulableTimeout"


def test_changes_of_waiting_pods():
    bench = Bench()
    bench.add("a", "b")
    bench.fail("a", frozenset({"Gate"}))
    changed = bench.queue.find("default/b").record
    bench.queue.update(changed, [OWN], "changed")
    assert bench.told[2:] == []
    bench.queue.update(bench.queue.find("default/a").record, [NODE, OWN], "changed")
    assert bench.told[2:] == ["a Backoff own"]


def test_a_pod_nobody_knows_enters_by_its_change():
    bench = Bench()
    bench.add("a")
    record = bench.queue.find("default/a").record
    bench.queue.delete("default/a")
    assert bench.pools() == {}
    bench.queue.update(record, [OWN], "changed")
    assert bench.told[-1] == "a Active changed"


def test_deleted_pods_are_not_popped():
    bench = Bench()
    bench.add("a", "b")
    bench.fail("a", NONE)
    bench.queue.delete("default/a")
    bench.queue.delete("default/b")
    bench.at(9).queue.flush_backoff()
    assert (bench.pop(), bench.queue.backing_off, bench.queue.unschedulable) == (None, 0, 0)


def test_activation_waits_for_nothing():
    bench = Bench()
    bench.add("a")
    bench.fail("a")
    bench.queue.activate("default/a")
    assert (bench.told[-1], bench.pop()) == ("a Active ForceActivate", "a")


def test_counts():
    bench = Bench()
    bench.add("a", "b", "c")
    bench.fail("a", NONE)
    bench.fail("b")
    assert (bench.queue.backing_off, bench.queue.unschedulable, bench.queue.ready) == (1, 1, True)
