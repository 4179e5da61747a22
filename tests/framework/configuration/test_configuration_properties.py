"""Whatever plugin sets a profile has: it is refused, or what comes out is sound."""

from configuration_builders import Data, configuration, load, plugins
from hypothesis import assume, given
from hypothesis import strategies as st

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration import SchedulerConfiguration, effective
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.plugins.registry import IN_TREE

NAMES = sorted(IN_TREE.points)


def at(point: ExtensionPoint) -> st.SearchStrategy[Data]:
    """A set of one point from plugins that implement it."""
    return sets(sorted(name for name in NAMES if point in IN_TREE.points[name]))


def sets(names: list[str]) -> st.SearchStrategy[Data]:
    weights = st.integers(0, 9)
    enabled = st.lists(
        st.builds(lambda name, weight: {"name": name, "weight": weight}, st.sampled_from(names), weights),
        max_size=4,
        unique_by=lambda plugin: plugin["name"],
    )
    disabled = st.lists(st.sampled_from(["*", *NAMES]).map(lambda name: {"name": name}), max_size=3)
    return st.fixed_dictionaries({"enabled": enabled, "disabled": disabled})


PROFILES = st.fixed_dictionaries(
    {},
    optional={
        "multiPoint": sets(NAMES),
        **{str(point): at(point) for point in ExtensionPoint if point is not ExtensionPoint.POST_BIND},
    },
).map(lambda points: plugins(**points))


def accepted(profile: Data) -> SchedulerConfiguration:
    try:
        return load(configuration(profile), "1.37")
    except ConfigurationError as error:
        assert error.message.startswith("initializing profiles: ")  # noqa: PT017
        assume(False)
        raise


@given(PROFILES)
def test_every_point_has_distinct_plugins_that_implement_it(profile: Data) -> None:
    loaded = accepted(profile).profiles[0]
    for point in ExtensionPoint:
        names = loaded.plugins(point)
        assert len(set(names)) == len(names)
        assert all(point in IN_TREE.points[name] for name in names)
    assert loaded.score_weights.keys() >= set(loaded.plugins(ExtensionPoint.SCORE))


@given(PROFILES)
def test_what_is_disabled_runs_only_where_it_is_enabled_by_name(profile: Data) -> None:
    loaded = accepted(profile).profiles[0]
    for point in ExtensionPoint:
        points = profile["plugins"].get(point, {"enabled": [], "disabled": []})
        disabled = {plugin["name"] for plugin in points["disabled"]}
        enabled = {plugin["name"] for plugin in points["enabled"]}
        left = set(loaded.plugins(point)) - enabled
        assert not left if "*" in disabled else not left & disabled


@given(PROFILES)
def test_the_effective_configuration_has_the_same_effect(profile: Data) -> None:
    config = accepted(profile)
    again = load(effective(config), "1.37")
    assert effective(again) == effective(config)
