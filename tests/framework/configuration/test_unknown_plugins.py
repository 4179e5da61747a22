"""Plugins of a configuration that nobody knows."""

import pytest
from configuration_builders import configuration, load, plugin_set, plugins, refusal

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.versions import feature_gates, version_of
from kschedctl.plugins.registry import IN_TREE

VERSION = version_of("1.36")


def ignoring(*profiles):
    gates = feature_gates(VERSION, {})
    return load_configuration(configuration(*profiles), VERSION, gates, IN_TREE, ignore_unknown=True)


def test_the_refusal_says_where_plugins_come_from():
    with pytest.raises(ConfigurationError) as caught:
        load(configuration(plugins(score=plugin_set("Mine"))))
    assert caught.value.message.endswith('ScorePlugin "Mine" does not exist')
    for way in ("kschedctl.plugins", "--plugin MODULE:CLASS", "--ignore-unknown-plugins"):
        assert way in caught.value.hint


@pytest.mark.parametrize(
    ("profile", "point", "left"),
    [
        pytest.param(
            plugins(score=plugin_set("Mine", "ImageLocality=3", off="*")),
            P.SCORE,
            ("ImageLocality",),
            id="a point",
        ),
        pytest.param(
            plugins(queueSort=plugin_set("Mine", off="*")), P.QUEUE_SORT, ("PrioritySort",), id="queue sort"
        ),
        pytest.param(
            plugins(multiPoint=plugin_set("Mine"), queueSort=plugin_set(off="*")),
            P.QUEUE_SORT,
            ("PrioritySort",),
            id="queue sort by multiPoint",
        ),
        pytest.param(plugins(bind=plugin_set("Mine", off="*")), P.BIND, ("DefaultBinder",), id="bind"),
        pytest.param(plugins(permit=plugin_set("Mine")), P.PERMIT, (), id="permit"),
    ],
)
def test_they_are_left_out_where_somebody_wants_it(profile, point, left):
    found = ignoring(profile)
    assert found.profiles[0].plugins(point) == left
    assert found.ignored_plugins == ("Mine",)


def test_each_is_told_once():
    profiles = [
        plugins(score=plugin_set("B"), filter=plugin_set("A")) | {"schedulerName": "x"},
        plugins(multiPoint=plugin_set("A")) | {"schedulerName": "y"},
    ]
    assert sorted(ignoring(*profiles).ignored_plugins) == ["A", "B"]


def test_nothing_is_left_out_where_all_are_known():
    profile = plugins(score=plugin_set("ImageLocality=3"), queueSort=plugin_set(off="*"))
    assert "queue sort plugin required" in refusal(configuration(profile))
    with pytest.raises(ConfigurationError, match="queue sort plugin required"):
        ignoring(profile)
