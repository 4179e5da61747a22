from typing import Any

import pytest
from configuration_builders import Data, configuration, load, plugin_set, plugins, refusal, with_args

Q = "must be the same for all profiles"


def named(name: str, **profile: Any) -> Data:
    return {"schedulerName": name, **profile}


@pytest.mark.parametrize(
    ("top", "message"),
    [
        pytest.param(
            {"parallelism": 0},
            "parallelism: Invalid value: 0: should be an integer value greater than zero",
            id="no workers",
        ),
        pytest.param(
            {"percentageOfNodesToScore": 101},
            "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
            id="percentage too high",
        ),
        pytest.param(
            {"percentageOfNodesToScore": -1},
            "percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]",
            id="percentage negative",
        ),
        pytest.param(
            {"podInitialBackoffSeconds": 0},
            "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
            id="no backoff",
        ),
        pytest.param(
            {"podInitialBackoffSeconds": 2, "podMaxBackoffSeconds": 1},
            "podMaxBackoffSeconds: Invalid value: 1: must be greater than or equal to PodInitialBackoffSeconds",
            id="highest backoff below the first",
        ),
        pytest.param(
            {"clientConnection": {"burst": -1}},
            "clientConnection.burst: Invalid value: -1: must be non-negative",
            id="negative burst",
        ),
        pytest.param(
            {"leaderElection": {"retryPeriod": "-1s"}},
            'leaderElection.retryPeriod: Invalid value: "-1s": must be greater than zero',
            id="negative duration",
        ),
        pytest.param(
            {"leaderElection": {"leaseDuration": "5s"}},
            'leaderElection.leaseDuration: Invalid value: "5s": must be greater than `RenewDeadline`',
            id="lease shorter than its renewal",
        ),
        pytest.param(
            {"leaderElection": {"resourceLock": "configmaps"}},
            'leaderElection.resourceLock: Invalid value: "configmaps": resourceLock value must be "leases"',
            id="another lock",
        ),
        pytest.param(
            {"parallelism": -1, "podInitialBackoffSeconds": 20, "clientConnection": {"burst": -5}},
            "[clientConnection.burst: Invalid value: -5: must be non-negative, "
            "parallelism: Invalid value: -1: should be an integer value greater than zero, "
            "podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to "
            "PodInitialBackoffSeconds]",
            id="several, in the order of the real one",
        ),
    ],
)
def test_top_level_fields(top: Data, message: str) -> None:
    assert refusal(configuration(**top)) == message


@pytest.mark.parametrize(
    "top",
    [
        pytest.param(
            {"leaderElection": {"leaderElect": False, "resourceLock": "x"}}, id="no election, no rules"
        ),
        pytest.param({"leaderElection": {"leaseDuration": "0s"}}, id="0 is replaced by the default"),
        pytest.param({"clientConnection": {"burst": 0}}, id="so it is for burst"),
        pytest.param({"profiles": []}, id="no profile: the default one"),
        pytest.param({"percentageOfNodesToScore": 100}, id="all nodes"),
        pytest.param({"podInitialBackoffSeconds": 10}, id="equal backoffs"),
    ],
)
def test_top_level_fields_that_are_accepted(top: Data) -> None:
    assert refusal(configuration(**top)) == ""


@pytest.mark.parametrize(
    ("profiles", "message"),
    [
        pytest.param(
            [named("a"), {}], "profiles[1].schedulerName: Required value", id="no name beside another profile"
        ),
        pytest.param([named("")], "profiles[0].schedulerName: Required value", id="an empty name"),
        pytest.param(
            [named("a"), named("a")], "profiles[1].schedulerName: Duplicate value: {}", id="a name twice"
        ),
        pytest.param(
            [{}, {}],
            "[profiles[0].schedulerName: Required value, profiles[1].schedulerName: Required value, "
            "profiles[1].schedulerName: Duplicate value: {}]",
            id="two without a name",
        ),
        pytest.param(
            [named("a", percentageOfNodesToScore=-1)],
            "profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]",
            id="percentage",
        ),
        pytest.param(
            [plugins(filter=plugin_set("NodeName", "EBSLimits"))],
            'profiles[0].plugins.filter.enabled[1]: Invalid value: "EBSLimits": was invalid in version "v1" '
            '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
            id="a removed plugin",
        ),
        pytest.param(
            [with_args("CinderLimits")],
            'profiles[0].pluginConfig[0]: Invalid value: "CinderLimits": was invalid in version "v1" '
            '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
            id="arguments of a removed plugin",
        ),
        pytest.param(
            [{"pluginConfig": [{"name": "NodeAffinity"}, {"name": "X"}, {"name": "NodeAffinity"}]}],
            'profiles[0].pluginConfig[2]: Duplicate value: "NodeAffinity"',
            id="arguments twice",
        ),
        pytest.param(
            [plugins(queueSort=plugin_set("PrioritySort", "B"))],
            "profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can be enabled",
            id="two queue sorts",
        ),
        pytest.param(
            [named("a"), named("b", **plugins(queueSort=plugin_set("B", off="*")))],
            'profiles[1].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"B","Weight":0}],'
            f'"Disabled":[{{"Name":"*","Weight":0}}]}}: {Q}',
            id="another queue sort",
        ),
        pytest.param(
            [named("a", **plugins(queueSort=plugin_set("PrioritySort"))), named("b")],
            f'profiles[1].plugins.queueSort: Invalid value: {{"Enabled":null,"Disabled":null}}: {Q}',
            id="queue sort is compared as written",
        ),
        pytest.param(
            [
                with_args("InterPodAffinity", hardPodAffinityWeight=101)
                | {"percentageOfNodesToScore": 200}
                | plugins(score=plugin_set("GCEPDLimits"))
            ],
            "[profiles[0].percentageOfNodesToScore: Invalid value: 200: not in valid range [0-100], "
            'profiles[0].plugins.score.enabled[0]: Invalid value: "GCEPDLimits": was invalid in version "v1" '
            '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1"), '
            "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: "
            "not in valid range [0, 100]]",
            id="several, in order",
        ),
    ],
)
def test_profiles(profiles: list[Data], message: str) -> None:
    assert refusal(configuration(*profiles)) == message


def test_a_removed_plugin_at_multipoint_only_does_not_exist() -> None:
    message = refusal(configuration(plugins(multiPoint=plugin_set("EBSLimits"))))
    assert message.endswith('PreFilterPlugin "EBSLimits" does not exist')


def test_a_removed_plugin_may_be_disabled() -> None:
    assert refusal(configuration(plugins(filter=plugin_set(off="EBSLimits")))) == ""


def managed(*names: str) -> list[Data]:
    return [{"name": name} for name in names]


@pytest.mark.parametrize(
    ("extenders", "message"),
    [
        pytest.param(
            [{"prioritizeVerb": "p"}],
            "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
            id="prioritize without a weight",
        ),
        pytest.param(
            [{"bindVerb": "b"}, {"bindVerb": "b"}],
            'extenders: Invalid value: "found 2 extenders implementing bind": '
            "only one extender can implement bind",
            id="two that bind",
        ),
        pytest.param(
            [{"managedResources": managed("cpu")}],
            'extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
            id="cpu",
        ),
        pytest.param(
            [{"managedResources": managed("requests.example.com/a")}],
            'extenders[0].managedResources[0].name: Invalid value: "requests.example.com/a": '
            "is an invalid extended resource name",
            id="a quota name",
        ),
        pytest.param(
            [{"managedResources": managed("kubernetes.io/batch-cpu")}],
            'extenders[0].managedResources[0].name: Invalid value: "kubernetes.io/batch-cpu": '
            "is an invalid extended resource name",
            id="a native name",
        ),
        pytest.param(
            [{"managedResources": managed(f"{'a.' * 124}example/b")}],
            f'extenders[0].managedResources[0].name: Invalid value: "{"a." * 124}example/b": '
            "prefix part must be no more than 253 bytes",
            id="too long",
        ),
        pytest.param(
            [{"managedResources": managed("example.com/")}],
            '[extenders[0].managedResources[0].name: Invalid value: "example.com/": '
            'name part must be non-empty, extenders[0].managedResources[0].name: Invalid value: "example.com/": '
            "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
            "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]",
            id="no qualified name",
        ),
        pytest.param(
            [{"managedResources": managed("a.b/c")}, {"managedResources": managed("a.b/d", "a.b/c")}],
            'extenders[1].managedResources[1].name: Invalid value: "a.b/c": '
            "duplicate extender managed resource name",
            id="a resource of another extender",
        ),
    ],
)
def test_extenders(extenders: list[Data], message: str) -> None:
    assert refusal(configuration(extenders=extenders)) == message


def test_extenders_that_are_ignorable_come_last() -> None:
    urls = [("a", True), ("b", False), ("c", True), ("d", False)]
    config = load(configuration(extenders=[{"urlPrefix": url, "ignorable": last} for url, last in urls]))
    assert [extender.url_prefix for extender in config.extenders] == ["b", "d", "a", "c"]


def test_the_timeout_of_an_extender_has_a_default() -> None:
    config = load(configuration(extenders=[{}, {"httpTimeout": "0s"}, {"httpTimeout": "1m"}]))
    assert [str(extender.http_timeout) for extender in config.extenders] == ["5s", "5s", "1m0s"]


IGNORED = [
    {"managedResources": [{"name": "a.b/gpu", "ignoredByScheduler": True}, {"name": "a.b/nic"}]},
    {"managedResources": [{"name": "a.b/fpga", "ignoredByScheduler": True}], "ignorable": True},
]


def test_resources_that_extenders_look_after_replace_the_ignored_ones_of_every_profile() -> None:
    first = named("a", **with_args("NodeResourcesFit", ignoredResources=["x.y/z"]))
    config = load(configuration(first, named("b"), extenders=IGNORED))
    for profile in config.profiles:
        args = profile.args("NodeResourcesFit")
        assert getattr(args, "ignored_resources", None) == ("a.b/gpu", "a.b/fpga")


def test_such_resources_need_the_fit_plugin() -> None:
    data = configuration(plugins(multiPoint=plugin_set(off="NodeResourcesFit")), extenders=IGNORED)
    message = "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config"
    assert refusal(data) == message


def test_defaults_of_the_rest() -> None:
    config = load(configuration(enableProfiling=False))
    assert (config.parallelism, config.percentage_of_nodes_to_score) == (16, 0)
    assert (config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds) == (1, 10)
    assert config.enable_contention_profiling is False
    assert load(None).enable_contention_profiling is True
    assert (config.client_connection.qps, config.client_connection.burst) == (50.0, 100)
