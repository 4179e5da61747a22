"""The kit for authors of plugins: it finds what breaks the contract, and is content with what does not."""

import numpy as np
import pytest

from kschedctl.plugin_api import (
    Code,
    ExtensionPoint,
    NodePlugin,
    Plugin,
    PluginSpec,
    PreFilterResult,
    PreScoreResult,
    Reads,
    Verdicts,
)
from kschedctl.plugins.registry import IN_TREE
from kschedctl.testing import check_plugin, node, pod, try_plugin

P = ExtensionPoint


def plugin(*points, base=Plugin, spec=None, **methods):
    """A plugin with these methods, at these points."""
    made = PluginSpec(name="Mine", points=frozenset(points), **(spec or {}))
    return type("Mine", (base,), {"spec": made} | methods)


def crowded(state, rows, count):
    return Verdicts.reject(count >= 1, Code.UNSCHEDULABLE, "node(s) were crowded")


def by_rows(self, state, rows):
    return crowded(state, rows, rows.pod_count)


def by_cluster(self, state, rows):
    return crowded(state, rows, rows.column(rows.cluster.usage.pod_count))


def by_number(self, state, rows):
    return Verdicts.reject(np.arange(len(rows)) == 0, Code.UNSCHEDULABLE, "node(s) came first")


class Forgets:
    """Gives another answer each time."""

    def __init__(self):
        self.asked = 0

    def __call__(self, state, rows):
        self.asked += 1
        return Verdicts.reject(
            np.full(len(rows), self.asked % 2 == 0), Code.UNSCHEDULABLE, "node(s) were tired"
        )


FORGETS = Forgets()


def scores(*values):
    return lambda self, state, rows: np.resize(np.array(values, np.int64), len(rows))


def pods_of_app(pod, cluster):
    return PreFilterResult(
        np.array(
            [
                sum(
                    cluster.pods.records[other].pod.labels.get("app") == "web"
                    for other in cluster.usage.pods[row]
                )
                for row in range(cluster.nodes.count)
            ]
        )
    )


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        pytest.param(
            plugin(P.FILTER), "the spec names filter, and the class has no filter", id="nothing to call"
        ),
        pytest.param(
            plugin(P.FILTER, base=NodePlugin),
            "the spec names filter, and the class has no filter_node",
            id="nothing to call for a node",
        ),
        pytest.param(
            plugin(P.FILTER, filter=by_rows, score=scores(0)),
            "the class has score, and the spec does not name score: nobody calls it",
            id="nobody calls it",
        ),
        pytest.param(
            plugin(P.FILTER, filter=lambda self, *args: FORGETS(*args)),
            "filter gives another answer when it is asked again",
            id="forgetful",
        ),
        pytest.param(
            plugin(P.FILTER, filter=by_number),
            "filter says something else of a node when it is asked about fewer nodes",
            id="goes by the place of a node",
        ),
        pytest.param(
            plugin(P.FILTER, filter=by_cluster),
            "filter judges node c otherwise when pod p3 is removed from it in a what-if than when it really is",
            id="looks past its rows",
        ),
        pytest.param(
            plugin(
                P.PRE_FILTER,
                P.FILTER,
                pre_filter=lambda self, pod, cluster: pods_of_app(pod, cluster),
                filter=lambda self, state, rows: crowded(state, rows, rows.column(state)),
            ),
            "it has to go by the rows it is given, or to keep count by has_row_state",
            id="counts without hooks",
        ),
        pytest.param(
            plugin(P.FILTER, filter=by_rows, spec={"reads": Reads.NODES}),
            "the spec says that it reads NODES, and a pod that comes to a node changes more",
            id="reads more than it says",
        ),
        pytest.param(
            plugin(P.SCORE, score=scores(0, 500)),
            "a score is 500 in the end, and not 0 to 100: normalize, or keep to the range",
            id="out of range",
        ),
        pytest.param(
            plugin(P.SCORE, score=scores(0, 50)),
            "score says something else of a node when it is asked about fewer nodes",
            id="scores by place",
        ),
        pytest.param(
            plugin(P.SCORE, score=scores(7), normalize=lambda self, state, given, feasible: given * 0),
            "normalize changes scores: the spec has to say keeps_scores=False",
            id="normalizes in secret",
        ),
        pytest.param(
            plugin(P.FILTER, filter=lambda self, state, rows: None),
            "filter of plugin Mine gives None, and not Verdicts",
            id="no verdicts",
        ),
        pytest.param(
            plugin(P.QUEUE_SORT, queue_order=lambda self, pod, cluster: ("a",) if pod.priority else (1,)),
            "queue_order gives values that cannot be compared",
            id="orders that cannot be compared",
        ),
        pytest.param(
            plugin(P.PRE_SCORE, P.SCORE, pre_score=lambda self, *args: 5, score=scores(0)),
            "pre_score of plugin Mine gives a int, and not PreScoreResult",
            id="no result",
        ),
    ],
)
def test_what_breaks_the_contract_is_told(made, problem):
    with pytest.raises(AssertionError) as caught:
        check_plugin(made)
    assert str(caught.value).startswith("plugin Mine breaks the contract:\n- ")
    assert problem in str(caught.value)


def test_what_keeps_to_it_passes():
    check_plugin(
        plugin(
            P.FILTER,
            P.PRE_SCORE,
            P.SCORE,
            filter=by_rows,
            score=scores(7),
            spec={"reads": Reads.ROW},
            pre_score=lambda self, *args: PreScoreResult(),
        )
    )


@pytest.mark.parametrize(
    "name", ["NodeResourcesFit", "InterPodAffinity", "PodTopologySpread", "TaintToleration", "NodePorts"]
)
def test_what_kube_scheduler_has_passes(name):
    check_plugin(IN_TREE[name])


def test_a_plugin_is_tried():
    made = plugin(
        P.FILTER,
        P.SCORE,
        base=NodePlugin,
        filter_node=lambda self, pod, node: "node(s) were full" if node.pods else None,
        score_node=lambda self, pod, node: 10 * len(node.name),
    )
    objects = [node("a"), node("bb"), node("ccc"), pod("p", on="ccc")]
    answer = try_plugin(made, objects, pod("x"))
    assert (answer.node, answer.rejected, answer.scores) == (
        "bb",
        {"ccc": "node(s) were full"},
        {"a": 10, "bb": 20},
    )


def test_a_pod_that_is_not_valid():
    with pytest.raises(ValueError, match="the pod is not valid"):
        try_plugin(plugin(P.FILTER, filter=by_rows), [node("a")], pod("A"))
