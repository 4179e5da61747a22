"""The unschedulable pool: equal pods are asked once for an event, and move as if each had been asked."""

import pytest
from builders import enter, node, pod, session

from kschedctl.framework.cluster_event import Action, ClusterEvent, Resource
from kschedctl.run.backoff import Backoff
from kschedctl.run.clock import Clock
from kschedctl.run.queue import SchedulingQueue
from kschedctl.run.queued_pod import Pool
from kschedctl.run.unschedulable import HelpedKinds

GONE = Action.DELETE


class Rules:
    """Every plugin hears of everything; an event helps the pods that it names, each of which is asked by its name."""

    def __init__(self):
        self.helped, self.asked, self.known = set(), [], None

    def helps(self, pod, event):
        self.asked.append(pod.record.name)
        return pod.record.name in self.helped

    def listeners(self, event):
        return ["Fit", "Taint"]

    def kind_of(self, pod):
        return pod.record.pod_class.index, pod.rejectors

    def answers(self, event):
        return self.known


class Bench:
    """A queue in which `waiting` pods of two kinds failed."""

    def __init__(self):
        self.rules, self.told, self.cluster = Rules(), [], session(node("n"))
        self.clock = Clock()
        self.queue = SchedulingQueue(
            self.clock, Backoff(), lambda pod, known: "", self.rules, lambda pod: (0,), self
        )
        self.records = {}

    def queued(self, pod, pool, by):
        self.told.append(pod.record.name)

    def gated(self, pod):
        raise AssertionError

    def fail(self, name, rejector="Fit", **spec):
        self.records[name] = enter(self.cluster, pod(name, **spec))
        self.queue.add(self.records[name], "new")
        popped = self.queue.pop()
        self.queue.fail(popped, popped.record, frozenset({rejector}), "failed")
        self.told.clear()

    def move(self, *, about=None, among=None):
        self.rules.asked.clear()
        self.told.clear()
        self.clock.move_to(self.clock.seconds + 100)
        subject = self.records.get(about)
        self.queue.move(ClusterEvent(Resource.ASSIGNED_POD, GONE, old=subject), among)
        return self.told


def bench():
    made = Bench()
    for name in ("c", "a", "b"):
        made.fail(name)
    made.fail("z", cpu="2")
    made.fail("t", "Taint")
    return made


def test_one_of_each_kind_is_asked():
    made = bench()
    assert made.move() == []
    assert sorted(made.rules.asked) == ["c", "t", "z"]


def test_a_kind_moves_whole_and_in_the_order_of_names():
    made = bench()
    made.rules.helped = {"c", "z"}
    assert made.move() == ["a", "b", "c", "z"]


@pytest.mark.parametrize(
    ("helped", "moved"),
    [
        pytest.param({"c"}, ["c"], id="it alone"),
        pytest.param({"a", "b"}, ["a", "b"], id="the others alone"),
        pytest.param({"a", "b", "c"}, ["a", "b", "c"], id="all"),
    ],
)
def test_who_an_event_is_about_is_asked_for_itself(helped, moved):
    made = bench()
    made.rules.helped = helped
    assert made.move(about="c") == moved


def test_of_a_kind_only_those_move_that_are_meant():
    made = bench()
    made.rules.helped = {"c"}
    assert made.move(among=lambda record: record.name != "b") == ["a", "c"]
    assert made.queue.pool_of("default/b") is Pool.UNSCHEDULABLE


def test_a_pod_that_changes_is_of_another_kind():
    made = bench()
    changed = enter(made.cluster, pod("b", labels={"app": "other"}))
    made.queue.update(changed, [], "update")
    made.rules.helped = {"b"}
    assert made.move() == ["b"]


def test_the_pool_is_empty_when_all_have_left():
    made = bench()
    made.rules.helped = {"a", "b", "c", "z", "t"}
    made.move()
    assert made.queue.unschedulable == 0
    assert made.move() == []
    assert made.rules.asked == []


def test_kinds_that_came_since_are_asked_about_an_event_like_an_earlier_one():
    made = bench()
    made.rules.known, made.rules.helped = HelpedKinds(), {"late"}
    made.move()
    made.fail("late", cpu="3")
    assert (made.move(), made.rules.asked) == (["late"], ["late"])


def test_a_kind_moves_again_without_being_asked():
    made = bench()
    made.rules.known, made.rules.helped = HelpedKinds(), {"z"}
    made.move(among=lambda record: False)
    assert (made.move(), made.rules.asked) == (["z"], [])


def test_a_kind_of_which_all_had_left_is_asked_anew():
    made = bench()
    made.rules.known, made.rules.helped = HelpedKinds(), {"z"}
    made.move()
    made.fail("z", cpu="2")
    assert (made.move(), made.rules.asked) == (["z"], ["z"])


def test_an_event_about_a_pod_that_waits_is_like_no_other():
    made = bench()
    made.rules.known = HelpedKinds()
    made.move(about="c")
    made.move()
    assert sorted(made.rules.asked) == ["c", "t", "z"]
