from typing import Any

import pytest
from configuration_builders import Data, configuration, load, plugin_set, plugins, refusal, with_args

from kschedctl.framework.configuration import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    Profile,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from kschedctl.framework.configuration.args import RequestedToCapacityRatioParam
from kschedctl.framework.configuration.duration import Duration
from kschedctl.plugins.registry import IN_TREE

PATH = "profiles[0].pluginConfig[0].args."
START = "initializing profiles: creating profile for scheduler name default-scheduler: "
FIT = f'{START}initializing plugin "NodeResourcesFit": '
CPU_AND_MEMORY = (ResourceSpec(name="cpu", weight=1), ResourceSpec(name="memory", weight=1))
SCORING = {"StorageCapacityScoring": True}
NAME_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def profile(name: str, version: str = "1.36", gates: dict[str, bool] | None = None, **args: Any) -> Profile:
    return load(configuration(with_args(name, **args)), version, gates).profiles[0]


def plugin_of(args: PluginArgs) -> str:
    """The plugin that takes them."""
    return next(name for name, kind in IN_TREE.args_types.items() if kind is type(args))


@pytest.mark.parametrize(
    "expected",
    [
        DefaultPreemptionArgs(min_candidate_nodes_percentage=10, min_candidate_nodes_absolute=100),
        DynamicResourcesArgs(
            filter_timeout=Duration.of_seconds(10), binding_timeout=Duration.of_seconds(600)
        ),
        InterPodAffinityArgs(hard_pod_affinity_weight=1, ignore_preferred_terms_of_existing_pods=False),
        NodeAffinityArgs(added_affinity=None),
        NodeResourcesBalancedAllocationArgs(resources=CPU_AND_MEMORY),
        NodeResourcesFitArgs(
            scoring_strategy=ScoringStrategy(type="LeastAllocated", resources=CPU_AND_MEMORY)
        ),
        PodTopologySpreadArgs(defaulting_type="System", default_constraints=()),
        VolumeBindingArgs(bind_timeout_seconds=600, shape=None),
    ],
    ids=plugin_of,
)
def test_the_defaults_of_each_plugin(expected: PluginArgs) -> None:
    for data in (None, configuration(with_args(plugin_of(expected)))):
        default = load(data).profiles[0]
        assert default.args(plugin_of(expected)) == expected
        assert default.args_of(type(expected)) == expected


def test_the_older_version_has_no_binding_timeout() -> None:
    expected = DynamicResourcesArgs(filter_timeout=Duration.of_seconds(10))
    assert load(None, "1.34").profiles[0].args("DynamicResources") == expected
    assert (
        load(None, "1.34", {"DRADeviceBindingConditions": True}).profiles[0].args("DynamicResources")
        == expected
    )


def test_a_gate_that_is_off_takes_its_timeout_away() -> None:
    gates = {"DRASchedulerFilterTimeout": False, "DRADeviceBindingConditions": False}
    assert load(None, gates=gates).profiles[0].args("DynamicResources") == DynamicResourcesArgs()


@pytest.mark.parametrize("args", [{}, {"shape": []}])
def test_storage_scoring_has_a_default_curve(args: Data) -> None:
    found = profile("VolumeBinding", gates=SCORING, **args).args_of(VolumeBindingArgs)
    assert found.shape == (
        UtilizationShapePoint(utilization=0, score=10),
        UtilizationShapePoint(utilization=100),
    )


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        pytest.param(
            {"type": "MostAllocated"},
            ScoringStrategy(type="MostAllocated", resources=CPU_AND_MEMORY),
            id="no resources: cpu and memory",
        ),
        pytest.param(
            {"type": "LeastAllocated", "resources": []},
            ScoringStrategy(type="LeastAllocated", resources=CPU_AND_MEMORY),
            id="empty resources too",
        ),
        pytest.param(
            {"type": "LeastAllocated", "resources": [{"name": "cpu"}, {"name": "a/b", "weight": 5}]},
            ScoringStrategy(
                type="LeastAllocated",
                resources=(ResourceSpec(name="cpu", weight=1), ResourceSpec(name="a/b", weight=5)),
            ),
            id="no weight is 1",
        ),
        pytest.param(
            {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": [{"score": 10}]}},
            ScoringStrategy(
                type="RequestedToCapacityRatio",
                resources=CPU_AND_MEMORY,
                requested_to_capacity_ratio=RequestedToCapacityRatioParam(
                    shape=(UtilizationShapePoint(utilization=0, score=10),)
                ),
            ),
            id="a curve",
        ),
    ],
)
def test_a_scoring_strategy_is_completed(strategy: Data, expected: ScoringStrategy) -> None:
    found = profile("NodeResourcesFit", scoringStrategy=strategy).args_of(NodeResourcesFitArgs)
    assert found.scoring_strategy == expected


def test_resources_given_without_a_weight_balance_with_1() -> None:
    found = profile("NodeResourcesBalancedAllocation", resources=[{"name": "a/b"}])
    assert found.args_of(NodeResourcesBalancedAllocationArgs).resources == (
        ResourceSpec(name="a/b", weight=1),
    )


def constraint(**changes: Any) -> Data:
    base = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    return {k: v for k, v in (base | changes).items() if v is not None}


def spread(*constraints: Data) -> Data:
    return {"defaultingType": "List", "defaultConstraints": list(constraints)}


def added(**affinity: Any) -> Data:
    names = {"required": "requiredDuringSchedulingIgnoredDuringExecution"}
    names["preferred"] = "preferredDuringSchedulingIgnoredDuringExecution"
    return {"addedAffinity": {names[kind]: value for kind, value in affinity.items()}}


BAD_TERM = {"matchExpressions": [{"key": "zone", "operator": "Near"}]}
OPERATORS = '"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"'


@pytest.mark.parametrize(
    ("plugin", "args", "messages"),
    [
        pytest.param(
            "DefaultPreemption",
            {"minCandidateNodesPercentage": 101},
            ["minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]"],
            id="preemption: percentage",
        ),
        pytest.param(
            "DefaultPreemption",
            {"minCandidateNodesAbsolute": -1},
            ["minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)"],
            id="preemption: number",
        ),
        pytest.param(
            "DefaultPreemption",
            {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0},
            [
                "minCandidateNodesPercentage: Invalid value: 0: "
                "cannot be zero at the same time as minCandidateNodesAbsolute",
                "minCandidateNodesAbsolute: Invalid value: 0: "
                "cannot be zero at the same time as minCandidateNodesPercentage",
            ],
            id="preemption: both zero",
        ),
        pytest.param(
            "InterPodAffinity",
            {"hardPodAffinityWeight": -1},
            ["hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]"],
            id="inter-pod affinity: weight",
        ),
        pytest.param(
            "NodeAffinity",
            added(required={"nodeSelectorTerms": [{}, BAD_TERM]}),
            [
                "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1]."
                'matchExpressions[0].operator: Unsupported value: "Near": supported values: ' + OPERATORS
            ],
            id="node affinity: required",
        ),
        pytest.param(
            "NodeAffinity",
            added(
                required={"nodeSelectorTerms": [BAD_TERM]},
                preferred=[{"preference": BAD_TERM}, {"weight": 1, "preference": BAD_TERM}],
            ),
            [
                "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
                'matchExpressions[0].operator: Unsupported value: "Near": supported values: ' + OPERATORS,
                "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[1]."
                'matchExpressions[0].operator: Unsupported value: "Near": supported values: ' + OPERATORS,
            ],
            id="node affinity: both; weight 0 is not looked at",
        ),
        pytest.param(
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "cpu"}, {"name": "cpu", "weight": 2}]},
            ['resources[1].name: Duplicate value: "cpu"', "resources[1].weight: Invalid value: 2: must be 1"],
            id="balance: twice, and a weight",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "Own"},
            ['defaultingType: Unsupported value: "Own": supported values: "System", "List"'],
            id="spread: type",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultConstraints": [constraint()]},
            ['defaultingType: Invalid value: "System": when .defaultConstraints are not empty'],
            id="spread: own constraints need List",
        ),
        pytest.param(
            "PodTopologySpread",
            spread(constraint(maxSkew=0)),
            ["defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)"],
            id="spread: skew",
        ),
        pytest.param(
            "PodTopologySpread",
            spread(constraint(topologyKey=None, whenUnsatisfiable=None)),
            [
                "defaultConstraints[0].topologyKey: Required value: can not be empty",
                "defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty",
            ],
            id="spread: key and action missing",
        ),
        pytest.param(
            "PodTopologySpread",
            spread(constraint(topologyKey="a b")),
            [f'defaultConstraints[0].topologyKey: Invalid value: "a b": {NAME_RULE}'],
            id="spread: key",
        ),
        pytest.param(
            "PodTopologySpread",
            spread(constraint(whenUnsatisfiable="Wait")),
            [
                'defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Wait": '
                'supported values: "DoNotSchedule", "ScheduleAnyway"'
            ],
            id="spread: action",
        ),
        pytest.param(
            "PodTopologySpread",
            spread(constraint(labelSelector={})),
            [
                "defaultConstraints[0].labelSelector: Forbidden: "
                "constraint must not define a selector, as they deduced for each pod"
            ],
            id="spread: selector",
        ),
        pytest.param(
            "PodTopologySpread",
            spread(constraint(), constraint(whenUnsatisfiable="DoNotSchedule"), constraint(maxSkew=2)),
            ['defaultConstraints[2]: Duplicate value: "{zone, ScheduleAnyway}"'],
            id="spread: key and action twice",
        ),
        pytest.param(
            "VolumeBinding",
            {"bindTimeoutSeconds": -1},
            [
                "bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value"
            ],
            id="volumes: timeout",
        ),
        pytest.param(
            "VolumeBinding",
            {"shape": [{"score": 1}]},
            [
                'shape: Invalid value: [{"Utilization":0,"Score":1}]: unexpected field `shape`, '
                "remove it or turn on the feature gate StorageCapacityScoring"
            ],
            id="volumes: shape without its gate",
        ),
        pytest.param(
            "VolumeBinding",
            {"shape": []},
            [
                "shape: Invalid value: []: unexpected field `shape`, "
                "remove it or turn on the feature gate StorageCapacityScoring"
            ],
            id="volumes: even an empty shape",
        ),
        pytest.param(
            "DynamicResources",
            {"filterTimeout": "-1s"},
            ['filterTimeout: Invalid value: "-1s": must be zero or positive'],
            id="devices: filter timeout",
        ),
        pytest.param(
            "DynamicResources",
            {"bindingTimeout": "999ms"},
            ['bindingTimeout: Invalid value: "999ms": must be at least 1 second'],
            id="devices: binding timeout",
        ),
    ],
)
def test_arguments_that_are_refused(plugin: str, args: Data, messages: list[str]) -> None:
    told = [PATH + message for message in messages]
    expected = told[0] if len(told) == 1 else f"[{', '.join(told)}]"
    assert refusal(configuration(with_args(plugin, **args))) == expected


@pytest.mark.parametrize(
    ("plugin", "args"),
    [
        pytest.param("DefaultPreemption", {"minCandidateNodesPercentage": 0}, id="one of the two is zero"),
        pytest.param("NodeAffinity", {"addedAffinity": {}}, id="empty added affinity"),
        pytest.param("PodTopologySpread", spread(), id="an empty list switches the defaults off"),
        pytest.param("VolumeBinding", {"bindTimeoutSeconds": 0}, id="no wait for volumes"),
        pytest.param("DynamicResources", {"filterTimeout": "0s"}, id="no limit for devices"),
        pytest.param(
            "NodeResourcesFit",
            {
                "scoringStrategy": {
                    "type": "LeastAllocated",
                    "resources": [{"name": "cpu"}, {"name": "cpu", "weight": 100}],
                }
            },
            id="fit: a resource twice",
        ),
    ],
)
def test_arguments_that_are_accepted(plugin: str, args: Data) -> None:
    assert refusal(configuration(with_args(plugin, **args))) == ""


@pytest.mark.parametrize(
    ("gate", "args", "message"),
    [
        pytest.param(
            "DRASchedulerFilterTimeout",
            {"filterTimeout": "5s"},
            "filterTimeout: Forbidden: DRASchedulingFilterTimeout feature gate is disabled",
            id="filter timeout",
        ),
        pytest.param(
            "DRADeviceBindingConditions",
            {"bindingTimeout": "5s"},
            "bindingTimeout: Forbidden: DRADeviceBindingConditions or DRAResourceClaimDeviceStatus "
            "feature gate is disabled",
            id="binding timeout",
        ),
        pytest.param(
            "DRAResourceClaimDeviceStatus",
            {"bindingTimeout": "5s"},
            "bindingTimeout: Forbidden: DRADeviceBindingConditions or DRAResourceClaimDeviceStatus "
            "feature gate is disabled",
            id="binding timeout, the other gate",
        ),
    ],
)
def test_timeouts_need_their_gates(gate: str, args: Data, message: str) -> None:
    data = configuration(with_args("DynamicResources", **args))
    off = {
        gate: False,
        "DRADeviceBindingConditions": False,
        "DRAResourceClaimGranularStatusAuthorization": False,
    }
    assert refusal(data, gates=off | {gate: False}) == PATH + message


SHAPE_PROBLEMS = [
    pytest.param(
        [(0, 1), (50, 2), (50, 3), (20, 4)],
        ["[2].utilization: Invalid value: 50: values must be sorted in increasing order"],
        id="the first that does not increase",
    ),
    pytest.param(
        [(-1, 11), (101, -1)],
        [
            "[0].utilization: Invalid value: -1: not in valid range [0, 100]",
            "[0].score: Invalid value: 11: not in valid range [0, 10]",
            "[1].utilization: Invalid value: 101: not in valid range [0, 100]",
            "[1].score: Invalid value: -1: not in valid range [0, 10]",
        ],
        id="every value out of range",
    ),
]


def shape(points: list[tuple[int, int]]) -> list[Data]:
    return [{"utilization": utilization, "score": score} for utilization, score in points]


def joined(path: str, problems: list[str]) -> str:
    told = [path + problem for problem in problems]
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


@pytest.mark.parametrize(("points", "problems"), SHAPE_PROBLEMS)
def test_the_curve_of_storage_scoring(points: list[tuple[int, int]], problems: list[str]) -> None:
    data = configuration(with_args("VolumeBinding", shape=shape(points)))
    assert refusal(data, gates=SCORING) == joined(f"{PATH}shape", problems)


@pytest.mark.parametrize(("points", "problems"), SHAPE_PROBLEMS)
@pytest.mark.parametrize(
    ("version", "path"),
    [("1.34", "scoringStrategy.shape"), ("1.36", "scoringStrategy.requestedToCapacityRatio.shape")],
)
def test_the_curve_of_requested_to_capacity_ratio(
    points: list[tuple[int, int]], problems: list[str], version: str, path: str
) -> None:
    assert refusal(ratio(shape(points)), version) == FIT + joined(path, problems)


def ratio(points: list[Data] | None, kind: str = "RequestedToCapacityRatio") -> Data:
    strategy: Data = {"type": kind}
    if points is not None:
        strategy["requestedToCapacityRatio"] = {"shape": points}
    return configuration(with_args("NodeResourcesFit", scoringStrategy=strategy))


@pytest.mark.parametrize(
    ("args", "problems"),
    [
        pytest.param(
            {"ignoredResources": ["a b"]},
            [f'ignoredResources[0]: Invalid value: "a b": {NAME_RULE}'],
            id="ignored resource",
        ),
        pytest.param(
            {"ignoredResourceGroups": ["a.b", "a.b/c"]},
            ["""ignoredResourceGroups[1]: Invalid value: "a.b/c": resource group name can't contain '/'"""],
            id="ignored group",
        ),
        pytest.param(
            {"scoringStrategy": {}},
            [
                'scoringStrategy.type: Unsupported value: "": supported values: '
                '"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"'
            ],
            id="a strategy has no default type",
        ),
        pytest.param(
            {"scoringStrategy": {"type": "Best", "resources": [{"name": "cpu", "weight": 101}]}},
            [
                'scoringStrategy.type: Unsupported value: "Best": supported values: '
                '"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
                "scoringStrategy.resources[0].weight: Invalid value: 101: "
                "resource weight of cpu not in valid range (0, 100]",
            ],
            id="type and weight",
        ),
        pytest.param(
            {"scoringStrategy": {"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": -1}]}},
            [
                "scoringStrategy.resources[0].weight: Invalid value: -1: "
                "resource weight of cpu not in valid range (0, 100]"
            ],
            id="negative weight",
        ),
    ],
)
def test_fit_arguments_are_refused_when_the_plugin_is_created(args: Data, problems: list[str]) -> None:
    assert refusal(configuration(with_args("NodeResourcesFit", **args))) == FIT + joined("", problems)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(
            ratio(None),
            "scoringStrategy.requestedToCapacityRatio: Required value: "
            "must be specified when type is RequestedToCapacityRatio",
            id="missing",
        ),
        pytest.param(
            ratio(shape([(0, 0)]), "MostAllocated"),
            "scoringStrategy.requestedToCapacityRatio: Forbidden: "
            "must be nil when type is not RequestedToCapacityRatio",
            id="of another type",
        ),
        pytest.param(
            ratio([]),
            "scoringStrategy.requestedToCapacityRatio.shape: Required value: "
            "at least one point must be specified",
            id="empty",
        ),
    ],
)
def test_the_curve_goes_with_its_type(data: Data, message: str) -> None:
    assert refusal(data) == FIT + message


def test_the_older_version_ignores_a_curve_of_another_type() -> None:
    assert refusal(ratio(shape([(0, 0)]), "MostAllocated"), "1.34") == ""


def test_the_older_version_would_crash_without_a_curve() -> None:
    assert "requestedToCapacityRatio is missing" in refusal(ratio(None), "1.34")


def test_fit_arguments_are_not_looked_at_where_the_plugin_is_not_created() -> None:
    data = with_args("NodeResourcesFit", scoringStrategy={}) | plugins(
        multiPoint=plugin_set(off="NodeResourcesFit")
    )
    assert refusal(configuration(data)) == ""


def test_a_plugin_that_every_point_disables_is_created_all_the_same() -> None:
    everywhere = {
        point: plugin_set(off="NodeResourcesFit")
        for point in ("preFilter", "filter", "preScore", "score", "placementScore")
    }
    data = with_args("NodeResourcesFit", scoringStrategy={}) | plugins(**everywhere)
    assert refusal(configuration(data)).startswith(FIT)


def test_a_plugin_that_is_not_enabled_has_no_arguments() -> None:
    found = load(configuration(plugins(multiPoint=plugin_set(off="NodeAffinity")))).profiles[0]
    assert found.args("NodeAffinity") is None
    with pytest.raises(KeyError):
        found.args_of(NodeAffinityArgs)
