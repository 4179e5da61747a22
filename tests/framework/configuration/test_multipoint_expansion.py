from typing import Any

import pytest
from configuration_builders import Data, configuration, load, plugin_set, plugins, refusal

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.load import create_profiles
from kschedctl.framework.configuration.merge import MergedPlugins, merge_plugins, merge_set
from kschedctl.framework.configuration.types import PluginRef, Plugins, PluginSet
from kschedctl.framework.configuration.validation import MergedProfile
from kschedctl.framework.extension_points import ExtensionPoint, PointsByPlugin
from kschedctl.framework.versions import DEFAULT

P = ExtensionPoint
START = "initializing profiles: creating profile for scheduler name default-scheduler: "


def refs(words: str) -> tuple[PluginRef, ...]:
    pairs = (word.partition("=") for word in words.split())
    return tuple(PluginRef(name=name, weight=int(weight or 0)) for name, _, weight in pairs)


def merged(defaults: str, enabled: str = "", disabled: str = "") -> str:
    custom = PluginSet(enabled=refs(enabled), disabled=refs(disabled))
    return " ".join(f"{p.name}={p.weight}" for p in merge_set(refs(defaults), custom).enabled)


@pytest.mark.parametrize(
    ("defaults", "enabled", "disabled", "result"),
    [
        pytest.param("A=3 B=2", "", "", "A=3 B=2", id="nothing said: the defaults"),
        pytest.param("A=3 B=2", "C=5", "", "A=3 B=2 C=5", id="a new one is appended"),
        pytest.param("A=3 B=2", "", "A", "B=2", id="a disabled one is gone"),
        pytest.param(
            "A=3 B=2", "B=9 A=8", "", "A=8 B=9", id="a listed default keeps its place, not its weight"
        ),
        pytest.param("A=3 B=2", "A", "", "A=0 B=2", id="listed without a weight, it has none"),
        pytest.param("A=3 B=2", "A=7", "A", "B=2 A=7", id="disabled and enabled: at the end"),
        pytest.param("A=3 B=2", "C=1 B=4", "*", "C=1 B=4", id="all disabled: only what is enabled"),
        pytest.param("A=3", "A=5 A=6", "", "A=6 A=5", id="of two the last replaces, the first stays"),
    ],
)
def test_user_plugins_are_merged_with_the_defaults(
    defaults: str, enabled: str, disabled: str, result: str
) -> None:
    assert merged(defaults, enabled, disabled) == result


def test_what_is_disabled_is_kept_for_the_expansion() -> None:
    custom = PluginSet(disabled=refs("A=5 *"))
    assert merge_set((), custom).disabled == (PluginRef(name="A"), PluginRef(name="*"))


def test_the_worked_example() -> None:
    score = plugin_set("ImageLocality=5", "TaintToleration", off="NodeAffinity")
    profile = load(configuration(plugins(score=score))).profiles[0]
    assert [(name, profile.weight(name)) for name in profile.plugins(P.SCORE)] == [
        ("ImageLocality", 5),
        ("TaintToleration", 1),
        ("NodeResourcesFit", 1),
        ("VolumeBinding", 1),
        ("PodTopologySpread", 2),
        ("InterPodAffinity", 2),
        ("DynamicResources", 2),
        ("NodeResourcesBalancedAllocation", 1),
    ]


def score_list(**points: Any) -> str:
    return " ".join(load(configuration(plugins(**points))).profiles[0].plugins(P.SCORE))


REST = (
    "VolumeBinding PodTopologySpread InterPodAffinity DynamicResources NodeResourcesBalancedAllocation"
    " ImageLocality"
)


@pytest.mark.parametrize(
    ("points", "order"),
    [
        pytest.param(
            {"score": plugin_set("NodeResourcesFit=5")},
            f"NodeResourcesFit TaintToleration NodeAffinity {REST}",
            id="an override comes first",
        ),
        pytest.param(
            {"score": plugin_set("NodeAffinity", "TaintToleration")},
            f"NodeAffinity TaintToleration NodeResourcesFit {REST}",
            id="overrides keep the order of the list",
        ),
        pytest.param(
            {
                "multiPoint": plugin_set(off="TaintToleration NodeAffinity"),
                "score": plugin_set("TaintToleration", "NodeResourcesFit", "NodeAffinity"),
            },
            f"NodeResourcesFit {REST} TaintToleration NodeAffinity",
            id="what only the list has comes last",
        ),
        pytest.param(
            {"score": plugin_set("ImageLocality", "NodeAffinity", off="*")},
            "ImageLocality NodeAffinity",
            id="all disabled at the point: the list alone",
        ),
        pytest.param(
            {"score": plugin_set(off="TaintToleration NodeAffinity NodeResourcesFit")},
            REST,
            id="disabled at the point",
        ),
    ],
)
def test_the_order_after_expansion(points: Data, order: str) -> None:
    assert score_list(**points) == order


NEEDED = {"queueSort": plugin_set("PrioritySort"), "bind": plugin_set("DefaultBinder")}


def test_nothing_in_multipoint_leaves_the_specific_lists_alone() -> None:
    points = {"multiPoint": plugin_set(off="*"), "score": plugin_set("ImageLocality"), **NEEDED}
    assert score_list(**points) == "ImageLocality"


def test_multipoint_without_defaults_has_its_own_order() -> None:
    points = {"multiPoint": plugin_set("ImageLocality", "NodeName", "TaintToleration", off="*"), **NEEDED}
    assert score_list(**points) == "ImageLocality TaintToleration"


def test_points_do_not_pull_each_other_in() -> None:
    profile = load(configuration(plugins(preFilter=plugin_set(off="NodePorts")))).profiles[0]
    assert "NodePorts" not in profile.plugins(P.PRE_FILTER)
    assert "NodePorts" in profile.plugins(P.FILTER)


def test_disabling_at_multipoint_leaves_specific_lists_alone() -> None:
    points = plugins(multiPoint=plugin_set(off="TaintToleration"), score=plugin_set("TaintToleration"))
    profile = load(configuration(points)).profiles[0]
    assert "TaintToleration" in profile.plugins(P.SCORE)
    assert "TaintToleration" not in profile.plugins(P.FILTER)
    assert "TaintToleration" not in profile.plugins(P.PRE_SCORE)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        pytest.param(
            {"score": plugin_set("foo")}, 'ScorePlugin "foo" does not exist', id="unknown at a point"
        ),
        pytest.param(
            {"multiPoint": plugin_set("foo")},
            'PreFilterPlugin "foo" does not exist',
            id="unknown at multiPoint: told of the first point",
        ),
        pytest.param(
            {"multiPoint": plugin_set("foo"), "preFilter": plugin_set(off="*")},
            'FilterPlugin "foo" does not exist',
            id="unknown at multiPoint: of the first one that is expanded",
        ),
        pytest.param(
            {"score": plugin_set("NodeName")},
            'plugin "NodeName" does not extend ScorePlugin plugin',
            id="does not implement the point",
        ),
        pytest.param(
            {"score": plugin_set("ImageLocality", "ImageLocality")},
            'plugin "ImageLocality" already registered as "ScorePlugin"',
            id="twice at a point",
        ),
        pytest.param(
            {"multiPoint": plugin_set("NodeName", "NodeName")},
            'plugin "NodeName" already registered as "FilterPlugin"',
            id="twice at multiPoint",
        ),
        pytest.param(
            {"preEnqueue": plugin_set("foo"), "score": plugin_set("bar")},
            'ScorePlugin "bar" does not exist',
            id="the first point in order of processing is told",
        ),
        pytest.param(
            {"permit": plugin_set("foo"), "multiPoint": plugin_set("bar")},
            'PermitPlugin "foo" does not exist',
            id="all lists are checked before anything is expanded",
        ),
        pytest.param(
            {"queueSort": plugin_set(off="*")},
            'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
            id="no queue sort",
        ),
        pytest.param(
            {"bind": plugin_set(off="DefaultBinder")},
            'at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
            id="no bind",
        ),
    ],
)
def test_a_profile_that_cannot_be_created(points: Data, message: str) -> None:
    assert refusal(configuration(plugins(**points))) == START + message


def test_a_plugin_of_the_newer_version_does_not_exist_in_the_older_one() -> None:
    points = plugins(filter=plugin_set("NodeDeclaredFeatures"))
    assert (
        refusal(configuration(points), "1.34") == START + 'FilterPlugin "NodeDeclaredFeatures" does not exist'
    )
    assert refusal(configuration(points), "1.36") == ""


TWO_SORTS: PointsByPlugin = {
    "Sort": frozenset({P.QUEUE_SORT}),
    "Other": frozenset({P.QUEUE_SORT}),
    "Bind": frozenset({P.BIND}),
    "Place": frozenset({P.PLACEMENT_GENERATE}),
    "Spot": frozenset({P.PLACEMENT_GENERATE}),
}


def custom_profile(name: str, names: str) -> MergedProfile:
    """A profile over a registry of its own: all by multiPoint."""
    return MergedProfile(name, None, custom_plugins(names), ())


def custom_plugins(names: str) -> MergedPlugins:
    return merge_plugins((), Plugins(multi_point=PluginSet(enabled=refs(names))))


@pytest.mark.parametrize(
    ("profiles", "message"),
    [
        pytest.param(
            ["Sort Other Bind"],
            "creating profile for scheduler name p0: only one queue sort plugin required for profile with "
            'scheduler name "p0", but got 2',
            id="two queue sorts",
        ),
        pytest.param(
            ["Sort Bind Place Spot"],
            "creating profile for scheduler name p0: at most one placement generate plugin is allowed for "
            'profile with scheduler name "p0"',
            id="two placement generators",
        ),
        pytest.param(
            ["Sort Bind", "Other Bind"],
            'different queue sort plugins for profile "p1": "Other", first: "Sort"',
            id="another queue sort",
        ),
    ],
)
def test_what_only_plugins_from_outside_can_get_wrong(profiles: list[str], message: str) -> None:
    built = [custom_profile(f"p{i}", names) for i, names in enumerate(profiles)]
    with pytest.raises(ConfigurationError) as caught:
        create_profiles(built, TWO_SORTS, DEFAULT)
    assert caught.value.message == f"initializing profiles: {message}"
