"""The Policy API, in the terms of today."""

import pytest
from translation_builders import filters, loaded, named, policy, profile_of, scores, translated, weighing

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration import (
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    inconsistencies,
)

NEWER = {"DynamicResources", "NodeDeclaredFeatures"}
"""Filters that no Policy knew: they are left as they are."""
ALWAYS = {"NodeUnschedulable", "TaintToleration"} | NEWER
NEWER_SCORES = {"DynamicResources": 2, "VolumeBinding": 1}


def test_a_policy_that_says_nothing_is_the_default_of_old():
    assert filters(policy()) == ALWAYS | {
        "InterPodAffinity",
        "NodeAffinity",
        "NodeName",
        "NodePorts",
        "NodeResourcesFit",
        "NodeVolumeLimits",
        "PodTopologySpread",
        "VolumeBinding",
        "VolumeRestrictions",
        "VolumeZone",
    }
    assert scores(policy()) == NEWER_SCORES | {
        "ImageLocality": 1,
        "InterPodAffinity": 1,
        "NodeAffinity": 1,
        "NodeResourcesBalancedAllocation": 1,
        "NodeResourcesFit": 1,
        "PodTopologySpread": 2,
        "TaintToleration": 1,
    }


@pytest.mark.parametrize(
    ("name", "plugins"),
    [
        pytest.param("PodFitsPorts", {"NodePorts"}, id="an older name"),
        pytest.param("HostName", {"NodeName"}, id="one plugin"),
        pytest.param(
            "GeneralPredicates",
            {"NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"},
            id="several plugins",
        ),
        pytest.param("MaxCinderVolumeCount", {"NodeVolumeLimits"}, id="done by another plugin"),
        pytest.param("CheckNodeCondition", set(), id="done by a filter that is always there"),
    ],
)
def test_predicates_filter(name, plugins):
    assert filters(policy(predicates=named(name))) == ALWAYS | plugins


def test_two_filters_cannot_be_left_out():
    assert filters(policy(predicates=[])) == ALWAYS


def test_priorities_score_by_their_weights():
    found = scores(policy(priorities=weighing(ImageLocalityPriority=7, LeastRequestedPriority=2)))
    assert found == NEWER_SCORES | {"ImageLocality": 7, "NodeResourcesFit": 2}


@pytest.mark.parametrize("priorities", [[], weighing(EqualPriority=1)])
def test_nothing_scores_where_no_priority_does(priorities):
    assert scores(policy(priorities=priorities)) == NEWER_SCORES


@pytest.mark.parametrize(
    ("priorities", "weight", "defaulting"),
    [
        pytest.param(weighing(SelectorSpreadPriority=3), 3, "System", id="by selector"),
        pytest.param(weighing(ServiceSpreadingPriority=3), 3, "System", id="by service"),
        pytest.param(weighing(EvenPodsSpreadPriority=4), 4, "List", id="by constraints"),
        pytest.param(weighing(SelectorSpreadPriority=3, EvenPodsSpreadPriority=4), 4, "System", id="by both"),
    ],
)
def test_spreading(priorities, weight, defaulting):
    data = policy(priorities=priorities)
    assert scores(data)["PodTopologySpread"] == weight
    assert profile_of(data).args_of(PodTopologySpreadArgs).defaulting_type == defaulting


def test_most_requested_is_a_strategy():
    data = policy(priorities=weighing(MostRequestedPriority=5))
    assert scores(data)["NodeResourcesFit"] == 5
    assert profile_of(data).args_of(NodeResourcesFitArgs).scoring_strategy.type == "MostAllocated"
    assert translated(data).lost == ()


def test_the_shape_of_a_ratio_stays():
    argument = {
        "requestedToCapacityRatioArguments": {
            "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}],
            "resources": [{"name": "nvidia.com/gpu", "weight": 3}, {"name": "cpu"}],
        }
    }
    strategy = (
        profile_of(policy(priorities=[{"name": "Pack", "weight": 2, "argument": argument}]))
        .args_of(NodeResourcesFitArgs)
        .scoring_strategy
    )
    assert strategy.type == "RequestedToCapacityRatio"
    assert [(r.name, r.weight) for r in strategy.resources] == [("nvidia.com/gpu", 3), ("cpu", 1)]
    assert [(p.utilization, p.score) for p in strategy.requested_to_capacity_ratio.shape] == [
        (0, 0),
        (100, 10),
    ]


def test_two_strategies_do_not_go_into_one_profile():
    found = translated(policy(priorities=weighing(LeastRequestedPriority=1, MostRequestedPriority=1)))
    assert found.lost == (
        "priorities[1] MostRequestedPriority: NodeResourcesFit scores by one strategy in a profile",
    )


def test_the_weight_of_hard_affinity_is_an_argument():
    found = profile_of(policy(hardPodAffinitySymmetricWeight=17)).args_of(InterPodAffinityArgs)
    assert found.hard_pod_affinity_weight == 17


def test_the_weight_of_hard_affinity_weighs_nothing_where_affinity_does_not_score():
    found = translated(policy(priorities=[], hardPodAffinitySymmetricWeight=17))
    assert "pluginConfig" not in found.configuration["profiles"][0]


def test_labels_of_nodes_are_an_added_affinity():
    predicates = named(
        "MatchNodeSelector",
        InRack={"labelsPresence": {"labels": ["rack"], "presence": True}},
        NotOld={"labelsPresence": {"labels": ["old"]}},
    )
    data = policy(predicates=predicates)
    (term,) = profile_of(data).args_of(NodeAffinityArgs).added_affinity.required.node_selector_terms
    assert [(e.key, e.operator) for e in term.match_expressions] == [
        ("rack", "Exists"),
        ("old", "DoesNotExist"),
    ]


@pytest.mark.parametrize(
    ("fields", "lost"),
    [
        pytest.param(
            {"predicates": named(Same={"serviceAffinity": {"labels": ["zone"]}})},
            "predicates[0] Same: use pod affinity, or topology spread constraints, in the pods",
            id="service affinity",
        ),
        pytest.param(
            {"predicates": named(Rack={"labelsPresence": {"labels": ["rack"], "presence": True}})},
            "labelsPresence of rack: NodeAffinity could keep pods to such nodes, but would then look at the selectors "
            "of pods, which this Policy does not",
            id="labels where selectors do not count",
        ),
        pytest.param(
            {"priorities": weighing(NodePreferAvoidPodsPriority=10000)},
            "priorities[0] NodePreferAvoidPodsPriority: taint the node with the effect PreferNoSchedule",
            id="a plugin that is gone",
        ),
        pytest.param(
            {"priorities": [{"name": "R", "weight": 1, "argument": {"labelPreference": {"label": "rack"}}}]},
            "priorities[0] R: nodes are chosen by NodeAffinityArgs.addedAffinity, or tainted",
            id="label preference",
        ),
    ],
)
def test_what_has_no_equal_is_said(fields, lost):
    found = translated(policy(**fields))
    assert found.lost == (lost,)
    assert loaded(policy(**fields))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param(
            {"predicates": named("Fits")}, 'predicates[0].name: there is no predicate "Fits"', id="predicate"
        ),
        pytest.param(
            {"priorities": weighing(Best=1)}, 'priorities[0].name: there is no priority "Best"', id="priority"
        ),
        pytest.param(
            {"priorities": weighing(ImageLocalityPriority=0)},
            'priorities[0].weight: "ImageLocalityPriority" should have a positive weight',
            id="weight",
        ),
        pytest.param(
            {"predicates": "all"},
            "the Policy cannot be read: Expected `array | null`, got `str` - at `$.predicates`",
            id="type",
        ),
    ],
)
def test_what_never_was_valid_is_refused(fields, message):
    with pytest.raises(ConfigurationError) as caught:
        translated(policy(**fields))
    assert caught.value.message == message


def test_extenders_stay():
    written = {
        "urlPrefix": "https://x.example/s",
        "filterVerb": "filter",
        "enableHttps": True,
        "httpTimeout": 2_500_000_000,
        "nodeCacheCapable": True,
        "managedResources": [{"name": "x.example/dev", "ignoredByScheduler": True}],
        "ignorable": True,
    }
    (found,) = loaded(policy(extenders=[written])).extenders
    assert (found.url_prefix, found.enable_https, str(found.http_timeout)) == (
        "https://x.example/s",
        True,
        "2.5s",
    )
    assert (found.node_cache_capable, found.ignorable) == (True, True)
    assert found.managed_resources[0].ignored_by_scheduler


def test_no_plugin_is_cut_in_half():
    data = policy(predicates=named("HostName"), priorities=weighing(NodeAffinityPriority=1))
    configuration = loaded(data)
    assert list(inconsistencies(configuration.profiles[0], configuration.registry)) == []
