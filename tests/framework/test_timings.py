"""The clock around plugins."""

import pytest
from builders import node, pod, session

from kschedctl.framework.plugin import Plugin
from kschedctl.framework.timings import BOUNDS, Series, Timings, timed
from kschedctl.plugins.registry import IN_TREE


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self):
        self.at = 0.0

    def __call__(self):
        return self.at


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def timings(clock):
    return Timings(clock)


def takes(clock, seconds, inner=lambda: None):
    """A call that takes so long, another one in the middle of it."""

    def call():
        clock.at += seconds / 2
        inner()
        clock.at += seconds / 2
        return seconds

    return call


def test_a_call_counts_without_those_inside_it(clock, timings):
    filtering = timings.around("Filter", "Fit", takes(clock, 1.0))
    preempting = timings.around("PostFilter", "Preemption", takes(clock, 4.0, filtering))
    preempting()
    filtering()
    totals = {key: (series.count, series.total) for key, series in timings.plugins.items()}
    assert totals == {("Filter", "Fit"): (2, 2.0), ("PostFilter", "Preemption"): (1, 4.0)}


def test_a_call_that_fails_counts_too(clock, timings):
    def fail():
        clock.at += 2.0
        raise KeyError("nothing")

    with pytest.raises(KeyError):
        timings.around("Score", "Bad", fail)()
    assert timings.plugins["Score", "Bad"].total == 2.0


def test_points_add_up_the_plugins_of_an_attempt(clock, timings):
    for seconds in (1.0, 2.0):
        timings.around("Filter", "A", takes(clock, seconds))()
        timings.around("Filter", "B", takes(clock, 0.5))()
        timings.attempt("p", "scheduled", 9.0)
    timings.attempt("p", "unschedulable", 1.0)
    points = timings.points["p", "Filter"]
    assert (points.count, points.total) == (2, 4.0)
    assert {key: series.count for key, series in timings.attempts.items()} == {
        ("p", "scheduled"): 2,
        ("p", "unschedulable"): 1,
    }


@pytest.mark.parametrize(
    ("seconds", "bucket"),
    [
        pytest.param(0.0, 0, id="nothing"),
        pytest.param(BOUNDS[3], 3, id="on a bound"),
        pytest.param(BOUNDS[3] * 1.01, 4, id="above it"),
        pytest.param(BOUNDS[-1] * 2, None, id="beyond all"),
    ],
)
def test_buckets(seconds, bucket):
    series = Series()
    series.observe(seconds)
    assert series.buckets == [int(i == bucket) for i in range(len(BOUNDS))]


def test_measured_plugins_are_still_what_they_are(timings):
    measured = timed(IN_TREE, timings)
    assert list(measured) == list(IN_TREE)
    assert measured.points == IN_TREE.points
    assert all(issubclass(measured[name], IN_TREE[name]) for name in IN_TREE)


def test_only_what_a_plugin_does_is_measured(timings):
    plugin = timed(IN_TREE, timings)["NodeName"]
    assert plugin.filter is not IN_TREE["NodeName"].filter
    assert plugin.score is Plugin.score


def test_nobody_measures_unasked():
    asked = session([node("n1"), pod("a", cpu="1")])
    plugins = [plugin for framework in asked.scheduler.frameworks.values() for plugin in framework.plugins]
    assert [type(plugin) for plugin in plugins] == [IN_TREE[plugin.name] for plugin in plugins]
