import json

import pytest
from configuration_builders import Data, configuration, load, plugin_set, plugins, with_args

from kschedctl.framework.configuration import effective

CONFIGURATIONS = [
    pytest.param(configuration(), id="defaults"),
    pytest.param(
        configuration(plugins(score=plugin_set("ImageLocality=5", "TaintToleration", off="NodeAffinity"))),
        id="weights and order",
    ),
    pytest.param(
        configuration(
            plugins(
                multiPoint=plugin_set(off="*"),
                queueSort=plugin_set("PrioritySort"),
                bind=plugin_set("DefaultBinder"),
                filter=plugin_set("NodeName"),
            )
        ),
        id="hardly anything",
    ),
    pytest.param(
        configuration(
            {"schedulerName": "a", **with_args("PodTopologySpread", defaultingType="List")},
            {"schedulerName": "b", "percentageOfNodesToScore": 0, **with_args("Mine", x=1)},
            parallelism=2,
            percentageOfNodesToScore=50,
            extenders=[{"urlPrefix": "http://x", "enableHTTPS": True, "ignorable": True}, {"weight": 3}],
        ),
        id="two profiles and extenders",
    ),
    pytest.param(
        configuration(
            with_args(
                "NodeResourcesFit",
                ignoredResources=["a.b/c"],
                scoringStrategy={
                    "type": "RequestedToCapacityRatio",
                    "resources": [{"name": "cpu", "weight": 3}],
                    "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 10}]},
                },
            )
        ),
        id="arguments",
    ),
]


@pytest.mark.parametrize("version", ["1.34", "1.36"])
@pytest.mark.parametrize("data", CONFIGURATIONS)
def test_the_effective_configuration_is_a_configuration_with_the_same_effect(
    data: Data, version: str
) -> None:
    config = load(data, version)
    again = load(json.loads(json.dumps(effective(config))), version)
    assert effective(again) == effective(config)
    for first, second in zip(config.profiles, again.profiles, strict=True):
        assert first.points == second.points
        assert first.plugin_args == second.plugin_args
    assert again.extenders == config.extenders


def test_weights_stand_with_scores_only() -> None:
    shown = effective(load(None))["profiles"][0]["plugins"]
    assert shown["score"]["enabled"][0] == {"name": "TaintToleration", "weight": 3}
    assert shown["filter"]["enabled"][2] == {"name": "TaintToleration"}
    assert shown["placementScore"]["enabled"] == [{"name": "NodeResourcesFit", "weight": 1}]


def test_arguments_are_complete_and_named() -> None:
    shown = {entry["name"]: entry["args"] for entry in effective(load(None))["profiles"][0]["pluginConfig"]}
    assert shown["NodeResourcesFit"] == {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "NodeResourcesFitArgs",
        "ignoredResources": [],
        "ignoredResourceGroups": [],
        "scoringStrategy": {
            "type": "LeastAllocated",
            "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
        },
    }
    assert shown["DynamicResources"]["bindingTimeout"] == "10m0s"
    assert "addedAffinity" not in shown["NodeAffinity"]


def test_keys_and_certificates_are_not_shown() -> None:
    tls = {"certData": "Y2VydA==", "keyData": "a2V5", "caFile": "/ca.pem"}
    shown = effective(load(configuration(extenders=[{"tlsConfig": tls}])))["extenders"][0]["tlsConfig"]
    assert (shown["certData"], shown["keyData"], shown["caFile"]) == ("(redacted)", "(redacted)", "/ca.pem")
    assert shown["caData"] == ""
