from typing import Any

import pytest
from configuration_builders import Data, configuration, load, refusal, with_args

from kschedctl.errors import ConfigurationError

GROUP = "kubescheduler.config.k8s.io"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(
            configuration(foo=1), 'strict decoding error: unknown field "foo"', id="unknown field at the top"
        ),
        pytest.param(
            configuration({"foo": 1}, zoo=1, bar=2),
            'strict decoding error: unknown field "bar", unknown field "profiles[0].foo", unknown field "zoo"',
            id="all of them, by sorted keys, with their paths",
        ),
        pytest.param(
            configuration({"plugins": {"score": {"enabled": [{"name": "ImageLocality", "wieght": 1}]}}}),
            'strict decoding error: unknown field "profiles[0].plugins.score.enabled[0].wieght"',
            id="deep in a list",
        ),
        pytest.param(
            configuration({"plugins": {"Score": {}}}),
            'strict decoding error: unknown field "profiles[0].plugins.Score"',
            id="upper and lower case differ",
        ),
        pytest.param(
            configuration(with_args("NodeAffinity", foo=1)),
            "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: "
            'decoding args for plugin NodeAffinity: strict decoding error: unknown field "foo"',
            id="in arguments",
        ),
        pytest.param(
            configuration(
                {"pluginConfig": [{"name": "NodePorts"}, *with_args("NodeAffinity", foo=1)["pluginConfig"]]},
                bar=1,
            ),
            'strict decoding error: unknown field "bar", decoding .profiles[0].pluginConfig[1]: '
            "strict decoding error: decoding args for plugin NodeAffinity: strict decoding error: "
            'unknown field "foo"',
            id="at the top and in arguments",
        ),
        pytest.param(
            configuration(
                with_args(
                    "NodeAffinity",
                    addedAffinity={
                        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"x": 1}]}
                    },
                )
            ),
            "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: "
            "decoding args for plugin NodeAffinity: strict decoding error: unknown field "
            '"addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].x"',
            id="in a Kubernetes type inside arguments",
        ),
    ],
)
def test_unknown_fields_are_refused(data: Data, message: str) -> None:
    assert refusal(data) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(
            configuration(parallelism="4"), "parallelism: expected an integer, got a string", id="text"
        ),
        pytest.param(
            configuration(parallelism=1.5), "parallelism: expected an integer, got a number", id="fraction"
        ),
        pytest.param(
            configuration(parallelism=2**40),
            "parallelism: expected an integer <= 2147483647",
            id="beyond 32 bits",
        ),
        pytest.param(
            configuration(profiles={}), "profiles: expected a list, got a mapping", id="mapping for a list"
        ),
        pytest.param(
            configuration({"plugins": {"score": []}}),
            "profiles[0].plugins.score: expected a mapping, got a list",
            id="list for a mapping",
        ),
        pytest.param(
            configuration({"schedulerName": True}),
            "profiles[0].schedulerName: expected a string, got true or false",
            id="boolean for a name",
        ),
        pytest.param(
            configuration(extenders=[{"httpTimeout": 5}]),
            'extenders[0].httpTimeout: expected a duration such as "10s", got an integer',
            id="number for a duration",
        ),
        pytest.param(
            configuration(extenders=[{"httpTimeout": "5"}]),
            'extenders[0].httpTimeout: time: missing unit in duration "5"',
            id="duration without a unit",
        ),
        pytest.param(
            configuration(with_args("InterPodAffinity", hardPodAffinityWeight="1")),
            "decoding .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: "
            "hardPodAffinityWeight: expected an integer, got a string",
            id="in arguments",
        ),
        pytest.param(
            configuration({"pluginConfig": [{"name": "NodeAffinity", "args": "x"}]}),
            "decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeAffinity: "
            "args: expected a mapping, got a string",
            id="arguments that are none",
        ),
        pytest.param(
            configuration(parallelism="4", foo=1),
            "parallelism: expected an integer, got a string",
            id="a wrong type is told before unknown fields",
        ),
    ],
)
def test_wrong_types_are_refused_with_their_path(data: Data, message: str) -> None:
    assert refusal(data) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param([], "a KubeSchedulerConfiguration is a mapping", id="a list"),
        pytest.param({}, "Object 'Kind' is missing", id="empty"),
        pytest.param(
            {"kind": "KubeSchedulerConfiguration"}, "Object 'apiVersion' is missing", id="no version"
        ),
        pytest.param(
            configuration() | {"apiVersion": f"{GROUP}/v1alpha1"},
            f'no kind "KubeSchedulerConfiguration" is registered for version "{GROUP}/v1alpha1"',
            id="an alpha version",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "Pod"}, 'no kind "Pod" is registered for version "v1"', id="a pod"
        ),
        pytest.param(
            configuration() | {"kind": "NodeAffinityArgs"},
            f"couldn't decode as KubeSchedulerConfiguration, got {GROUP}/v1, Kind=NodeAffinityArgs: ",
            id="arguments alone",
        ),
    ],
)
def test_other_documents_are_refused_with_a_hint(data: Any, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(data)
    assert caught.value.message == message
    assert f"apiVersion: {GROUP}/v1" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("data", "kind", "version"),
    [
        pytest.param({"apiVersion": "v1", "kind": "Policy"}, "Policy", "v1", id="a Policy"),
        pytest.param(
            {"apiVersion": "v1", "kind": "ConfigMap", "data": {"policy.cfg": "{}"}},
            "ConfigMap",
            "v1",
            id="a Policy in a ConfigMap",
        ),
        pytest.param(
            configuration() | {"apiVersion": f"{GROUP}/v1beta3"},
            "KubeSchedulerConfiguration",
            f"{GROUP}/v1beta3",
            id="a beta version",
        ),
    ],
)
def test_what_older_schedulers_took_is_refused_with_the_way_out(data: Any, kind: str, version: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(data)
    assert caught.value.message == f'no kind "{kind}" is registered for version "{version}"'
    assert "kschedctl config translate" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param({}, "", id="kind may be left out"),
        pytest.param({"kind": "NodeAffinityArgs"}, "", id="version may be left out"),
        pytest.param({"kind": "NodeAffinityArgs", "apiVersion": f"{GROUP}/v1"}, "", id="both given"),
        pytest.param(
            {"kind": "InterPodAffinityArgs"},
            "decoding .profiles[0].pluginConfig[0]: args for plugin NodeAffinity were not of type "
            f"NodeAffinityArgs.{GROUP}, got InterPodAffinityArgs.{GROUP}",
            id="arguments of another plugin",
        ),
        pytest.param(
            {"kind": "NodePortsArgs"},
            "decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeAffinity: "
            f'no kind "NodePortsArgs" is registered for version "{GROUP}/v1"',
            id="a kind that does not exist",
        ),
        pytest.param(
            {"apiVersion": f"{GROUP}/v1beta3"},
            "decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeAffinity: "
            f'no kind "NodeAffinityArgs" is registered for version "{GROUP}/v1beta3"',
            id="another version",
        ),
    ],
)
def test_the_kind_of_arguments_must_fit_their_plugin(args: Data, message: str) -> None:
    assert refusal(configuration(with_args("NodeAffinity", **args))) == message


@pytest.mark.parametrize(
    ("profile", "path"),
    [
        pytest.param({"plugins": {"placementScore": {}}}, "profiles[0].plugins.placementScore", id="point"),
        pytest.param(
            {"plugins": {"placementGenerate": {}}}, "profiles[0].plugins.placementGenerate", id="other"
        ),
    ],
)
def test_fields_of_the_newer_version_are_unknown_to_the_older_one(profile: Data, path: str) -> None:
    assert refusal(configuration(profile), "1.34") == f'strict decoding error: unknown field "{path}"'
    assert refusal(configuration(profile), "1.36") == ""


def test_the_binding_timeout_is_unknown_to_the_older_version() -> None:
    data = configuration(with_args("DynamicResources", bindingTimeout="5s"))
    assert refusal(data, "1.34").endswith('strict decoding error: unknown field "bindingTimeout"')
    assert refusal(data, "1.36") == ""


def test_null_means_absent() -> None:
    data = configuration(
        {"plugins": None, "pluginConfig": [{"name": "NodeAffinity", "args": None}], "schedulerName": None},
        parallelism=None,
        extenders=None,
    )
    config = load(data)
    assert config.parallelism == 16
    assert config.profiles[0].scheduler_name == "default-scheduler"


def test_arguments_of_other_names_pass_untouched() -> None:
    profile = load(configuration(with_args("Mine", anything=[1, {"a": None}]))).profiles[0]
    assert profile.other_args == {"Mine": {"anything": [1, {"a": None}]}}
    assert profile.args("Mine") is None


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        pytest.param(configuration(profile=[]), 'did you mean "profiles"?', id="at the top"),
        pytest.param(
            configuration({"plugins": {"score": {"enabled": [{"name": "ImageLocality", "wieght": 1}]}}}),
            'did you mean "weight"?',
            id="deep in a list",
        ),
        pytest.param(
            configuration(with_args("NodeAffinity", addedAfinity={})),
            'did you mean "addedAffinity"?',
            id="in arguments",
        ),
        pytest.param(configuration(foo=1), None, id="like no field"),
    ],
)
def test_what_a_misspelt_field_was_meant_for(data: Data, hint: str | None) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(data)
    assert caught.value.hint == hint
