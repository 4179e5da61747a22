"""The Python of README and of the modules' docstrings runs as it stands."""

import ast
import gzip
import importlib
import inspect
import json
import re
import textwrap
from pathlib import Path

import pytest
import yaml
from builders import node, pod

from kschedctl import testing as kit
from kschedctl.plugins.outside import load_plugin
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain
from kschedctl.testing import check_plugin, try_plugin

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
MODULES = ["cluster", "explain", "preempt", "simulate", "drain", "capacity", "compare", "gate"]

SCHEDULER = "kubescheduler.config.k8s.io/v1"
SCENARIO = {
    "apiVersion": "kschedctl.dev/v1alpha1",
    "kind": "Scenario",
    "metadata": {"name": "as-it-is"},
    "expectations": {"maxPending": 0},
}
PROFILE = {"plugins": {"multiPoint": {"enabled": [{"name": "QuietHours"}]}}}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """The files that the examples name, and the objects that they ask for."""
    monkeypatch.chdir(tmp_path)
    cluster = [*(node(f"n{i}") for i in range(1, 5)), pod("web-7", "n4", namespace="shop", priority=0)]
    candidate = yaml.safe_dump(pod("trainer", cpu="4", priority=100))
    Path("cluster.yaml").write_text(yaml.safe_dump_all(cluster))
    Path("prod.json.gz").write_bytes(gzip.compress(json.dumps({"kind": "List", "items": cluster}).encode()))
    Path("pod.yaml").write_text(candidate)
    Path("trainer.yaml").write_text(candidate)
    Path("release").mkdir()
    Path("release/pod.yaml").write_text(yaml.safe_dump(pod("worker", cpu="1")))
    Path("scheduler.yaml").write_text(
        yaml.safe_dump({"apiVersion": SCHEDULER, "kind": "KubeSchedulerConfiguration"})
    )
    own = {"apiVersion": SCHEDULER, "kind": "KubeSchedulerConfiguration", "profiles": [PROFILE]}
    Path("own-plugin.yaml").write_text(yaml.safe_dump(own))
    Path("scenarios.yaml").write_text(yaml.safe_dump(SCENARIO))


def run(code):
    names = {}
    exec(compile(ast.parse(code), "example", "exec"), names)
    return names


def test_the_blocks_of_readme_run_one_after_the_other(capsys):
    assert len(BLOCKS) == 5
    names = run("\n".join(BLOCKS))
    assert names["answer"].cluster.nodes == 4
    assert "default/trainer Scheduled n1" in capsys.readouterr().out
    cluster = Cluster.load("cluster.yaml", scheduler=names["scheduler"])
    (answer,) = explain(cluster, "pod.yaml")
    assert {node.name: node.scores["QuietHours"].raw for node in answer.nodes} == {
        "n1": 100,
        "n2": 100,
        "n3": 100,
        "n4": 90,
    }


def test_the_plugin_of_readme_is_one():
    (block,) = [block for block in BLOCKS if "class QuietHours(" in block]
    Path("quiet_hours.py").write_text(block)
    plugin = load_plugin("quiet_hours.py:QuietHours")
    check_plugin(plugin)
    quiet = kit.node("b", labels={"quiet": "yes"})
    answer = try_plugin(plugin, [kit.node("a"), quiet], kit.pod("p"))
    assert (answer.rejected, answer.scores) == ({"b": "node(s) had quiet hours"}, {"a": 100})
    answer = try_plugin(plugin, [kit.node("a"), quiet], kit.pod("p"), {"label": "loud"})
    assert answer.rejected == {}


@pytest.mark.parametrize("name", MODULES)
def test_the_example_of_a_module_runs(name, capsys):
    text = inspect.getdoc(importlib.import_module(f"kschedctl.questions.{name}"))
    example = re.search(r"^    from kschedctl(?:.*\n)(?:(?:    .*)?\n)*", text, re.MULTILINE)
    names = run(textwrap.dedent(example[0]))
    assert names["answer"].kind in {
        "Explanation",
        "Preemption",
        "Simulation",
        "Drain",
        "Capacity",
        "SideBySide",
        "Gate",
    }
