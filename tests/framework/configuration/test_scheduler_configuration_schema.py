import json
from importlib.resources import files
from typing import Any

import msgspec
import pytest
from configuration_builders import Data, configuration, load, plugin_set, plugins, refusal, with_args
from jsonschema import Draft202012Validator

from kschedctl.framework.configuration import effective
from kschedctl.framework.configuration.types import (
    ClientConnection,
    Extender,
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    LeaderElection,
    Plugins,
    TlsConfig,
)
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.plugins.registry import IN_TREE

SCHEMA: Data = json.loads(
    files("kschedctl.framework").joinpath("scheduler-configuration.schema.json").read_text("utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


VALID = [
    pytest.param(configuration(), id="empty"),
    pytest.param(configuration({}), id="one profile needs no name"),
    pytest.param(configuration({"schedulerName": "a"}, {"schedulerName": "b"}), id="two profiles"),
    pytest.param(configuration(plugins(score=plugin_set("ImageLocality=5", off="*"))), id="plugins"),
    pytest.param(configuration(with_args("Mine", anything=1)), id="arguments of another name"),
    pytest.param(configuration({"pluginConfig": [{"name": "NodeAffinity"}]}), id="no arguments"),
    pytest.param(
        configuration(with_args("NodeResourcesFit", scoringStrategy={"type": "MostAllocated"})), id="packing"
    ),
    pytest.param(configuration(with_args("PodTopologySpread", defaultingType="List")), id="no spreading"),
    pytest.param(configuration(with_args("DynamicResources", filterTimeout="1m30s")), id="duration"),
    pytest.param(
        configuration(extenders=[{"bindVerb": "b", "managedResources": [{"name": "a.b/c"}]}, {}]),
        id="extenders",
    ),
]


@pytest.mark.parametrize("data", VALID)
def test_what_is_accepted_is_valid(data: Data) -> None:
    assert refusal(data) == ""
    assert problems(data) == []
    assert problems(effective(load(data))) == []


INVALID = [
    pytest.param(configuration() | {"apiVersion": "v1"}, id="another version"),
    pytest.param({"apiVersion": "kubescheduler.config.k8s.io/v1"}, id="no kind"),
    pytest.param(configuration(foo=1), id="unknown field"),
    pytest.param(configuration(parallelism=0), id="no workers"),
    pytest.param(configuration(percentageOfNodesToScore=101), id="percentage"),
    pytest.param(configuration({"schedulerName": "a"}, {}), id="no name"),
    pytest.param(configuration(plugins(score=plugin_set("NodeName"))), id="no score plugin"),
    pytest.param(configuration(plugins(multiPoint=plugin_set("Foo"))), id="unknown plugin"),
    pytest.param(configuration(plugins(postBind=plugin_set("DefaultBinder"))), id="point without plugins"),
    pytest.param(configuration(with_args("EBSLimits")), id="removed plugin"),
    pytest.param(configuration(with_args("NodeAffinity", foo=1)), id="unknown argument"),
    pytest.param(
        configuration(with_args("NodeAffinity", kind="InterPodAffinityArgs")), id="kind of arguments"
    ),
    pytest.param(configuration(with_args("InterPodAffinity", hardPodAffinityWeight=101)), id="hard weight"),
    pytest.param(
        configuration(
            with_args("DefaultPreemption", minCandidateNodesPercentage=0, minCandidateNodesAbsolute=0)
        ),
        id="no candidates",
    ),
    pytest.param(configuration(with_args("NodeResourcesFit", scoringStrategy={})), id="no type"),
    pytest.param(
        configuration(with_args("NodeResourcesFit", scoringStrategy={"type": "RequestedToCapacityRatio"})),
        id="no curve",
    ),
    pytest.param(
        configuration(
            with_args(
                "NodeResourcesFit",
                scoringStrategy={
                    "type": "MostAllocated",
                    "requestedToCapacityRatio": {"shape": [{"score": 1}]},
                },
            )
        ),
        id="curve of another type",
    ),
    pytest.param(configuration(with_args("NodeResourcesFit", ignoredResourceGroups=["a/b"])), id="group"),
    pytest.param(
        configuration(with_args("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}])),
        id="balance weight",
    ),
    pytest.param(
        configuration(
            with_args(
                "PodTopologySpread",
                defaultConstraints=[
                    {"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "ScheduleAnyway"}
                ],
            )
        ),
        id="constraints of the system",
    ),
    pytest.param(configuration(with_args("DynamicResources", filterTimeout="5")), id="no duration"),
    pytest.param(configuration(extenders=[{"prioritizeVerb": "p"}]), id="no weight"),
    pytest.param(configuration(extenders=[{"bindVerb": "b"}, {"bindVerb": "b"}]), id="two binders"),
    pytest.param(
        configuration(extenders=[{"managedResources": [{"name": "cpu"}]}]), id="no extended resource"
    ),
    pytest.param(configuration(leaderElection={"resourceLock": "configmaps"}), id="lock"),
]


@pytest.mark.parametrize("data", INVALID)
def test_what_is_refused_is_invalid(data: Data) -> None:
    assert refusal(data) != ""
    assert problems(data) != []


@pytest.mark.parametrize(
    ("path", "struct"),
    [
        ("", KubeSchedulerConfiguration),
        ("profile", KubeSchedulerProfile),
        ("plugins", Plugins),
        ("extender", Extender),
        ("tlsConfig", TlsConfig),
        ("leaderElection", LeaderElection),
        ("clientConnection", ClientConnection),
    ],
)
def test_the_schema_knows_the_fields_that_are_read(path: str, struct: type[msgspec.Struct]) -> None:
    schema = SCHEMA["$defs"][path] if path else SCHEMA
    assert schema["properties"].keys() == fields(struct)


@pytest.mark.parametrize("plugin", IN_TREE.args_types)
def test_the_schema_knows_the_arguments_that_are_read(plugin: str) -> None:
    expected = {"apiVersion", "kind"} | fields(IN_TREE.args_types[plugin])
    assert SCHEMA["$defs"][f"{plugin}Args"]["properties"].keys() == expected


@pytest.mark.parametrize("point", list(ExtensionPoint), ids=str)
def test_the_schema_knows_the_plugins_of_each_point(point: ExtensionPoint) -> None:
    enabled = SCHEMA["$defs"][f"{point}Set"]["properties"]["enabled"]
    known = enabled["items"]["properties"]["name"]["enum"] if enabled.get("maxItems") != 0 else []
    assert set(known) == {name for name, points in IN_TREE.points.items() if point in points}


def fields(struct: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct)}


def problems(data: Data) -> list[Any]:
    return [error.message for error in VALIDATOR.iter_errors(data)]
