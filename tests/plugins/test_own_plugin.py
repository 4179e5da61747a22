"""A plugin from outside: a class with its spec, a registry that holds it, a configuration that enables it."""

import json

import numpy as np
import pytest
from builders import node, pod, profile

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.args import PluginArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.registry import Registry
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import Verdicts
from kschedctl.plugins.node_ports import NodePorts
from kschedctl.plugins.registry import IN_TREE
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain
from kschedctl.questions.scheduler import scheduler_of
from kschedctl.writers.formats import Format, Look
from kschedctl.writers.kinds import writers


class QuietHoursArgs(PluginArgs, frozen=True):
    """Which nodes have quiet hours."""

    nodes: tuple[str, ...] = ()


class QuietHours(Plugin):
    """Rejects the nodes that have quiet hours; the longer the name of a node, the better."""

    spec = PluginSpec(
        name="QuietHours",
        points=frozenset({ExtensionPoint.FILTER, ExtensionPoint.PRE_FILTER, ExtensionPoint.SCORE}),
        args=QuietHoursArgs,
        reads=Reads.NODES,
        filter_state_missing="nobody knows the hours",
        score_title="Quiet",
    )

    def pre_filter(self, pod, cluster):
        return PreFilterResult(np.isin(cluster.nodes.names, self.context.args.nodes))

    def filter(self, state, rows):
        return Verdicts.reject(rows.column(state), Code.UNSCHEDULABLE, "node(s) had quiet hours")

    def details(self, state, rows, row):
        name = rows.node(row).name
        return (Detail(self.name, "node(s) had quiet hours", "quiet hours", f"{name} sleeps"),)

    def score(self, state, rows):
        names = rows.cluster.nodes.names
        return np.array([10 * len(names[row]) for row in rows.index.tolist()], np.int64)

    def score_gap(self, pod, cluster, feasible, row, other):
        return f"{cluster.nodes.names[row]} is the longer name"


WITH_IT = IN_TREE.with_plugins(QuietHours)


@pytest.fixture
def ask(tmp_path):
    """Explain a pod on the nodes a, bb and ccc, under a configuration."""

    def write(name, data):
        path = tmp_path / name
        path.write_text(json.dumps(data))
        return str(path)

    def answer(config, registry=WITH_IT):
        nodes = {"apiVersion": "v1", "kind": "List", "items": [node(n) for n in ("a", "bb", "ccc")]}
        scheduler = scheduler_of(write("scheduler.json", config), registry=registry)
        cluster = Cluster.load(write("cluster.json", nodes), scheduler=scheduler)
        (found,) = explain(cluster, write("pod.json", pod("p")))
        return found

    return answer


ENABLED = {"multiPoint": {"enabled": [{"name": "QuietHours", "weight": 3}]}}


def test_a_plugin_of_its_own_is_explained_like_any_other(ask):
    report = ask(profile("QuietHours", {"nodes": ["ccc"]}, plugins=ENABLED))
    assert (report.outcome, report.selected_node) == ("Scheduled", "bb")
    (rejected,) = [n for n in report.nodes if not n.feasible]
    assert (rejected.name, rejected.status.plugin) == ("ccc", "QuietHours")
    assert rejected.status.reasons == ["node(s) had quiet hours"]
    assert rejected.all_failures[0].details[0].text == "ccc sleeps"
    (gap,) = report.comparison.gaps
    assert (gap.plugin, gap.points, gap.why) == ("QuietHours", 30, "bb is the longer name")
    write = writers("kschedctl.reports.explain.document")[Format.TABLE]()
    text = "".join(write([report], Look(registry=WITH_IT)))
    assert "Quiet x3" in text
    assert "bb is the longer name" in text


def test_a_column_without_a_title_has_the_name_of_its_plugin(ask):
    report = ask(profile(plugins=ENABLED))
    write = writers("kschedctl.reports.explain.document")[Format.TABLE]()
    assert "QuietHours x3" in "".join(write([report], Look()))


def test_without_its_preparation_it_is_told_as_any_other(ask):
    report = ask(profile(plugins=ENABLED | {"preFilter": {"disabled": [{"name": "QuietHours"}]}}))
    assert (report.outcome, report.message) == (
        "Error",
        'running "QuietHours" filter plugin: nobody knows the hours',
    )


def test_a_registry_without_it_knows_nothing_of_it(ask):
    with pytest.raises(ConfigurationError, match="QuietHours"):
        ask(profile(plugins={"score": {"enabled": [{"name": "QuietHours"}]}}), IN_TREE)


def test_its_arguments_are_decoded_strictly(ask):
    with pytest.raises(ConfigurationError, match='unknown field "node"'):
        ask(profile("QuietHours", {"node": ["ccc"]}, plugins=ENABLED))


def test_two_plugins_cannot_have_one_name():
    class Another(NodePorts):
        """Of the same name by its spec."""

    with pytest.raises(ValueError, match="two plugins have the name NodePorts"):
        Registry((NodePorts, Another))
    assert Registry((NodePorts,)).with_plugins(Another)["NodePorts"] is Another


class Alone(Plugin):
    """Rejects the nodes that have a pod already."""

    spec = PluginSpec(name="Alone", points=frozenset({ExtensionPoint.FILTER}), reads=Reads.USAGE)

    def filter(self, state, rows):
        return Verdicts.reject(rows.pod_count > 0, Code.UNSCHEDULABLE, "node(s) had a pod")


class OnlyOn(Plugin):
    """Narrows to one node, which is not there."""

    spec = PluginSpec(
        name="OnlyOn",
        narrows_to="the lease allows only",
        points=frozenset({ExtensionPoint.PRE_FILTER}),
    )

    def pre_filter(self, pod, cluster):
        return PreFilterResult(nodes=frozenset({"z"}))


def _explained_with(tmp_path, plugin, objects):
    data = profile(plugins={"multiPoint": {"enabled": [{"name": plugin.spec.name}]}})
    for name, content in (
        ("scheduler", data),
        ("cluster", {"apiVersion": "v1", "kind": "List", "items": objects}),
        ("pod", pod("p")),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    scheduler = scheduler_of(str(tmp_path / "scheduler.json"), registry=IN_TREE.with_plugins(plugin))
    cluster = Cluster.load(str(tmp_path / "cluster.json"), scheduler=scheduler)
    (found,) = explain(cluster, str(tmp_path / "pod.json"))
    return found


def test_pods_leave_where_it_refuses_nodes_for_them(tmp_path):
    report = _explained_with(tmp_path, Alone, [node("a"), pod("q", "a")])
    assert "default/q evicted from a" in [one.text for one in report.suggestions]


def test_it_says_itself_to_which_nodes_it_narrows(tmp_path):
    report = _explained_with(tmp_path, OnlyOn, [node("a")])
    (failure,) = report.nodes[0].all_failures
    assert [detail.text for detail in failure.details] == [
        "the lease allows only z, which is not in the cluster"
    ]
