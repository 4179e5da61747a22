import pytest
from configuration_builders import load

from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.plugins.registry import IN_TREE

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
    P.POD_GROUP_POST_FILTER: "",
}

IN_1_37 = EXPANDED | {
    P.PRE_FILTER: "NodeName NodeUnschedulable TaintToleration " + EXPANDED[P.PRE_FILTER],
    P.FILTER: "NodeName NodeUnschedulable " + EXPANDED[P.FILTER].removeprefix("NodeUnschedulable NodeName "),
    P.POD_GROUP_POST_FILTER: "DynamicResources DefaultPreemption",
}


@pytest.mark.parametrize("point", list(P), ids=str)
def test_the_default_profile_runs_these_plugins_in_this_order(point: ExtensionPoint) -> None:
    assert load(None).profiles[0].plugins(point) == tuple(EXPANDED[point].split())


@pytest.mark.parametrize("point", list(P), ids=str)
def test_the_default_profile_of_1_37(point: ExtensionPoint) -> None:
    assert load(None, "1.37").profiles[0].plugins(point) == tuple(IN_1_37[point].split())


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
    off = load(None, "1.35").profiles[0]
    assert "NodeDeclaredFeatures" not in off.plugins(P.FILTER)
    without_devices = load(None, "1.34", {"DynamicResourceAllocation": False}).profiles[0]
    assert "DynamicResources" not in without_devices.plugins(P.FILTER)


def test_plugin_types_are_named_as_in_go() -> None:
    assert [p.plugin_type for p in (P.PRE_ENQUEUE, P.SCORE, P.PLACEMENT_GENERATE)] == [
        "PreEnqueuePlugin",
        "ScorePlugin",
        "PlacementGeneratePlugin",
    ]


def test_the_registry_holds_the_plugins_behind_gates() -> None:
    assert {"GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"} <= IN_TREE.points.keys()
    assert V1_34.points(IN_TREE.points).keys() == IN_TREE.points.keys() - {
        "DeferredPodScheduling",
        "GangScheduling",
        "NodeDeclaredFeatures",
        "PodGroupPodsCount",
        "TopologyPlacementGenerator",
    }
