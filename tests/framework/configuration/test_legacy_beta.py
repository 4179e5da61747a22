"""KubeSchedulerConfiguration v1beta1 to v1beta3 as v1."""

import pytest
from configuration_builders import plugin_set
from translation_builders import beta, filters, loaded, profile_of, scores, translated

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration import NodeAffinityArgs, NodeResourcesFitArgs, PodTopologySpreadArgs

BETAS = ("v1beta1", "v1beta2", "v1beta3")
OLD = {"InterPodAffinity": 1, "NodeAffinity": 1, "TaintToleration": 1}
NEW = {"InterPodAffinity": 2, "NodeAffinity": 2, "TaintToleration": 3}


def with_scores(*enabled, off="", **config):
    """A profile with these at Score, and these arguments."""
    entries = [{"name": name, "args": args} for name, args in config.items()]
    return {"plugins": {"score": plugin_set(*enabled, off=off)}, "pluginConfig": entries}


@pytest.mark.parametrize(("version", "weights"), [("v1beta1", OLD), ("v1beta2", OLD), ("v1beta3", NEW)])
def test_default_weights_are_those_of_the_version(version, weights):
    found = scores(beta(version))
    assert {name: found[name] for name in weights} == weights


@pytest.mark.parametrize(
    ("enabled", "off", "weights"),
    [
        pytest.param(("TaintToleration=9",), "", OLD | {"TaintToleration": 9}, id="of one's own"),
        pytest.param((), "NodeAffinity", {"InterPodAffinity": 1, "TaintToleration": 1}, id="disabled"),
        pytest.param((), "*", {}, id="all disabled"),
    ],
)
def test_old_weights_give_way_to_what_is_written(enabled, off, weights):
    found = scores(beta("v1beta2", with_scores(*enabled, off=off)))
    assert {name: weight for name, weight in found.items() if name in OLD} == weights


@pytest.mark.parametrize(
    ("profile", "strategy", "weight"),
    [
        pytest.param({}, "LeastAllocated", 1, id="default"),
        pytest.param(with_scores("NodeResourcesLeastAllocated=4"), "LeastAllocated", 4, id="another weight"),
        pytest.param(
            with_scores("NodeResourcesMostAllocated=5", off="NodeResourcesLeastAllocated"),
            "MostAllocated",
            5,
            id="most in the place of least",
        ),
        pytest.param(
            with_scores("NodeResourcesMostAllocated=5", off="*"), "MostAllocated", 5, id="most alone"
        ),
        pytest.param(
            with_scores(
                "RequestedToCapacityRatio=3",
                off="NodeResourcesLeastAllocated",
                RequestedToCapacityRatio={"shape": [{"utilization": 0, "score": 10}]},
            ),
            "RequestedToCapacityRatio",
            3,
            id="ratio",
        ),
    ],
)
def test_scoring_by_resources_is_a_strategy(profile, strategy, weight):
    data = beta("v1beta1", profile)
    assert scores(data)["NodeResourcesFit"] == weight
    assert profile_of(data).args_of(NodeResourcesFitArgs).scoring_strategy.type == strategy
    assert translated(data).lost == ()


def test_resources_of_a_strategy_join_other_arguments():
    args = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "resources": [{"name": "cpu", "weight": 3}]}
    fit = {"ignoredResources": ["x.example/a"]}
    profile = with_scores(
        "NodeResourcesMostAllocated=1",
        off="NodeResourcesLeastAllocated",
        NodeResourcesMostAllocated=args,
        NodeResourcesFit=fit,
    )
    found = profile_of(beta("v1beta1", profile)).args_of(NodeResourcesFitArgs)
    assert [(r.name, r.weight) for r in found.scoring_strategy.resources] == [("cpu", 3)]
    assert found.ignored_resources == ("x.example/a",)


def test_scoring_by_resources_can_be_off():
    assert "NodeResourcesFit" not in scores(beta("v1beta1", with_scores(off="NodeResourcesLeastAllocated")))


def test_two_strategies_do_not_go_into_one_profile():
    found = translated(beta("v1beta1", with_scores("NodeResourcesMostAllocated=1")))
    assert found.lost == (
        "profiles[0].plugins.score: NodeResourcesMostAllocated: NodeResourcesFit scores by one strategy in a profile, "
        "that of NodeResourcesLeastAllocated",
    )


@pytest.mark.parametrize("version", BETAS)
def test_plugins_that_are_gone_are_said(version):
    found = translated(beta(version, with_scores("SelectorSpread=1", off="NodePreferAvoidPods")))
    assert found.lost == (
        "profiles[0].plugins.score: SelectorSpread is gone: PodTopologySpread spreads pods by its default constraints",
    )


def test_volume_limits_are_counted_by_driver():
    data = beta("v1beta3", {"plugins": {"filter": plugin_set("EBSLimits", "GCEPDLimits", off="*")}})
    assert filters(data) == set()
    assert translated(data).lost == ()
    assert [note.split(":")[1] for note in translated(data).notes] == [
        " EBSLimits is gone",
        " GCEPDLimits is gone",
    ]


def test_labels_of_nodes_are_an_added_affinity():
    profile = {
        "plugins": {"filter": plugin_set("NodeLabel")},
        "pluginConfig": [{"name": "NodeLabel", "args": {"presentLabels": ["rack"], "absentLabels": ["old"]}}],
    }
    (term,) = (
        profile_of(beta("v1beta2", profile))
        .args_of(NodeAffinityArgs)
        .added_affinity.required.node_selector_terms
    )
    assert [(e.key, e.operator) for e in term.match_expressions] == [
        ("rack", "Exists"),
        ("old", "DoesNotExist"),
    ]


def test_default_constraints_are_a_list():
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    profile = {"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultConstraints": [constraint]}}]}
    args = profile_of(beta("v1beta1", profile)).args_of(PodTopologySpreadArgs)
    assert (args.defaulting_type, len(args.default_constraints)) == ("List", 1)


def test_fields_that_are_gone_are_left_out():
    found = translated(
        beta(
            "v1beta2",
            healthzBindAddress="",
            metricsBindAddress=":1",
            leaderElection={"resourceLock": "endpoints"},
        )
    )
    assert found.configuration.keys() & {"healthzBindAddress", "metricsBindAddress"} == set()
    assert found.configuration["leaderElection"] == {"resourceLock": "leases"}
    assert [note.split()[0] for note in found.notes[:2]] == [
        "metricsBindAddress",
        "leaderElection.resourceLock:",
    ]


def test_everything_else_stays():
    data = beta(
        "v1beta3",
        {"schedulerName": "a", "percentageOfNodesToScore": 3},
        {"schedulerName": "b", "plugins": {"multiPoint": plugin_set("ImageLocality=5")}},
        parallelism=2,
        podMaxBackoffSeconds=60,
    )
    found = loaded(data)
    assert (found.parallelism, found.pod_max_backoff_seconds) == (2, 60)
    assert [p.percentage_of_nodes_to_score for p in found.profiles] == [3, None]
    assert found.profiles[1].weight("ImageLocality") == 5
    assert translated(data).notes == ()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(
            beta("v1"), "this is KubeSchedulerConfiguration kubescheduler.config.k8s.io/v1 already", id="v1"
        ),
        pytest.param(
            beta("v1alpha1"),
            "there is no way from kind KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1alpha1 to "
            "kubescheduler.config.k8s.io/v1",
            id="alpha",
        ),
        pytest.param(
            beta("v1beta2", {"plugins": []}),
            "profiles[0].plugins: expected a mapping",
            id="a list of plugins",
        ),
        pytest.param(beta("v1beta2", profiles={}), "profiles: expected a list", id="a mapping of profiles"),
    ],
)
def test_other_files_are_refused(data, message):
    with pytest.raises(ConfigurationError) as caught:
        translated(data)
    assert caught.value.message == message


@pytest.mark.parametrize("key", ["kind", "apiVersion"])
@pytest.mark.parametrize("value", [[], {}, [{}], 1, None, True], ids=str)
def test_what_says_in_no_word_what_it_is_is_refused(key, value):
    with pytest.raises(ConfigurationError):
        translated({"kind": "KubeSchedulerConfiguration", "apiVersion": "v1"} | {key: value})
