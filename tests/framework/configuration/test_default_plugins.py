import pytest
from configuration_builders import load

from kschedctl.framework.default_plugins import POINTS, ExtensionPoint, default_plugins, points_of
from kschedctl.framework.versions import Version, feature_gates

P = ExtensionPoint
WORKLOADS = {"GenericWorkload": True, "GangScheduling": True, "TopologyAwareWorkloadScheduling": True}

EXPANDED = {
    P.PRE_ENQUEUE: "SchedulingGates DynamicResources DefaultPreemption",
    P.QUEUE_SORT: "PrioritySort",
    P.PRE_FILTER: "NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding "
    "VolumeZone PodTopologySpread InterPodAffinity DynamicResources NodeDeclaredFeatures",
    P.FILTER: "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit "
    "VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity "
    "DynamicResources NodeDeclaredFeatures",
    P.POST_FILTER: "DynamicResources DefaultPreemption",
    P.PRE_SCORE: "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread "
    "InterPodAffinity NodeResourcesBalancedAllocation",
    P.SCORE: "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread "
    "InterPodAffinity DynamicResources NodeResourcesBalancedAllocation ImageLocality",
    P.RESERVE: "VolumeBinding DynamicResources",
    P.PERMIT: "",
    P.PRE_BIND: "VolumeBinding DynamicResources",
    P.BIND: "DefaultBinder",
    P.POST_BIND: "",
    P.PLACEMENT_GENERATE: "",
    P.PLACEMENT_SCORE: "NodeResourcesFit",
}


@pytest.mark.parametrize("point", list(P), ids=str)
def test_the_default_profile_runs_these_plugins_in_this_order(point: ExtensionPoint) -> None:
    assert load(None).profiles[0].plugins(point) == tuple(EXPANDED[point].split())


def test_the_default_weights() -> None:
    profile = load(None).profiles[0]
    assert {name: profile.weight(name) for name in profile.plugins(P.SCORE)} == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "VolumeBinding": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }


def test_the_older_version_scores_no_devices_and_has_no_declared_features() -> None:
    profile = load(None, "1.34").profiles[0]
    assert "DynamicResources" not in profile.plugins(P.SCORE)
    assert profile.plugins(P.FILTER)[-1] == "DynamicResources"
    assert profile.plugins(P.PLACEMENT_SCORE) == ()
    assert profile.plugins(P.PRE_ENQUEUE) == ("SchedulingGates", "DynamicResources", "DefaultPreemption")


def test_gates_append_the_plugins_of_pod_groups() -> None:
    profile = load(None, gates=WORKLOADS).profiles[0]
    assert profile.plugins(P.PRE_ENQUEUE)[-1] == "GangScheduling"
    assert profile.plugins(P.PERMIT) == ("GangScheduling",)
    assert profile.plugins(P.PLACEMENT_GENERATE) == ("TopologyPlacementGenerator",)
    assert profile.placement_weights == {"NodeResourcesFit": 1, "PodGroupPodsCount": 1}


def test_gates_take_plugins_out() -> None:
    assert "NodeDeclaredFeatures" not in load(None, gates={"NodeDeclaredFeatures": False}).profiles[
        0
    ].plugins(P.FILTER)
    without_devices = load(None, "1.34", {"DynamicResourceAllocation": False}).profiles[0]
    assert "DynamicResources" not in without_devices.plugins(P.FILTER)


@pytest.mark.parametrize("version", list(Version))
def test_every_default_plugin_exists_and_does_something(version: Version) -> None:
    registry = points_of(version)
    assert all(registry[plugin.name] for plugin in default_plugins(version, feature_gates(version)))


def test_plugin_types_are_named_as_in_go() -> None:
    assert [p.plugin_type for p in (P.PRE_ENQUEUE, P.SCORE, P.PLACEMENT_GENERATE)] == [
        "PreEnqueuePlugin",
        "ScorePlugin",
        "PlacementGeneratePlugin",
    ]


def test_the_registry_holds_the_plugins_behind_gates() -> None:
    assert {"GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"} <= POINTS.keys()
    assert points_of(Version.V1_34).keys() == POINTS.keys() - {
        "GangScheduling",
        "NodeDeclaredFeatures",
        "PodGroupPodsCount",
        "TopologyPlacementGenerator",
    }
