"""`--plugin` and `--ignore-unknown-plugins`."""

import json

import pytest

QUICKSTART = ("explain", "fixtures/quickstart/pod.yaml", "-c", "fixtures/quickstart/cluster.yaml")
SOURCE = """
from kschedctl.plugin_api import ExtensionPoint, NodePlugin, PluginArgs, PluginSpec

class QuietArgs(PluginArgs, frozen=True):
    nodes: tuple[str, ...] = ("worker-5",)

    def __post_init__(self):
        if not self.nodes:
            raise ValueError("no node is quiet")

class Quiet(NodePlugin):
    spec = PluginSpec(name="Quiet", points=frozenset({ExtensionPoint.FILTER}), args=QuietArgs)

    def filter_node(self, pod, node):
        return "node(s) were quiet" if node.name in self.context.args.nodes else None

class Broken(Quiet):
    spec = PluginSpec(name="Broken", points=frozenset({ExtensionPoint.FILTER}))
"""


@pytest.fixture
def plugin(tmp_path):
    """A file with plugins; a function that names one of them."""
    path = tmp_path / "quiet.py"
    path.write_text(SOURCE)
    return lambda name: f"{path}:{name}"


@pytest.fixture
def config(tmp_path):
    """A function that writes a configuration which enables Quiet."""

    def write(*arguments):
        path = tmp_path / "scheduler.json"
        entries = [{"name": "Quiet", "args": one} for one in arguments]
        profile = {"plugins": {"multiPoint": {"enabled": [{"name": "Quiet"}]}}, "pluginConfig": entries}
        head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
        path.write_text(json.dumps(head | {"profiles": [profile]}))
        return "--scheduler-config", str(path)

    return write


def test_a_plugin_without_a_configuration_is_enabled(run, plugin):
    assert json.loads(run(*QUICKSTART, "-o", "json").out)["selectedNode"] == "worker-5"
    answer = json.loads(run(*QUICKSTART, "-o", "json", "--plugin", plugin("Quiet")).out)
    assert answer["selectedNode"] == "worker-7"
    (quiet,) = [group for group in answer["reasons"] if group["plugin"] == "Quiet"]
    assert (quiet["text"], quiet["nodes"]) == ("node(s) were quiet", ["worker-5"])


def test_a_plugin_with_arguments(run, plugin, config):
    done = run(*QUICKSTART, "-o", "name", "--plugin", plugin("Quiet"), *config({"nodes": ["worker-7"]}))
    assert (done.code, done.out) == (0, "worker-5\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"nodes": []}, "no node is quiet"),
        ({"node": []}, 'unknown field "node"'),
        ({"nodes": 5}, "nodes: expected a list, got an integer"),
    ],
)
def test_arguments_that_are_refused(run, plugin, config, args, message):
    done = run(*QUICKSTART, "--plugin", plugin("Quiet"), *config(args))
    assert done.code == 2
    assert "args for plugin Quiet" in done.err
    assert message in done.err


def test_a_plugin_that_fails_is_named(run, plugin):
    done = run(*QUICKSTART, "--plugin", plugin("Broken"))
    assert done.code == 2
    assert "quiet.py, line 15: plugin Broken failed in filter: AttributeError" in done.err
    assert "Traceback" not in done.err
    assert "Traceback" in run(*QUICKSTART, "--plugin", plugin("Broken"), "--debug").err


def test_a_configuration_with_a_plugin_that_nobody_knows(run, config):
    refused = run(*QUICKSTART, *config())
    assert refused.code == 2
    assert 'PreFilterPlugin "Quiet" does not exist' in refused.err
    done = run(*QUICKSTART, *config(), "--ignore-unknown-plugins", "-o", "json")
    caveats = {caveat["code"]: caveat["message"] for caveat in json.loads(done.out)["cluster"]["caveats"]}
    assert caveats["plugins-ignored"] == "plugin Quiet of the configuration not known, and left out"
    assert run(*QUICKSTART, *config(), "--ignore-unknown-plugins", "--strict-caveats").code == 2


def test_config_view_knows_it(run, plugin, config):
    done = run("config", "view", config()[1], "--plugin", plugin("Quiet"), "-o", "table")
    assert '{"nodes": ["worker-5"]}' in done.out
