"""Plugins that look at one node at a time decide as those that think in columns."""

import numpy as np
import pytest
from builders import column, decide, node, pod, rejections, session
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.plugin_api import (
    Code,
    ExtensionPoint,
    Never,
    NodePlugin,
    Plugin,
    PluginSpec,
    PreFilterResult,
    PreScoreResult,
    Reads,
    Verdicts,
)

POINTS = frozenset({ExtensionPoint.FILTER, ExtensionPoint.SCORE})
ALL_POINTS = POINTS | {ExtensionPoint.PRE_FILTER, ExtensionPoint.PRE_SCORE}
MOST_PODS = 2


class OneByOne(NodePlugin):
    """Room for few pods, no small nodes; the more cpu is free, the better."""

    spec = PluginSpec(name="Mine", points=POINTS, reads=Reads.ROW)

    def filter_node(self, pod, node):
        if node.allocatable("cpu") < 1000:
            return Never("node(s) were small")
        if len(node.pods) >= MOST_PODS:
            return "node(s) were crowded"
        return None

    def score_node(self, pod, node):
        return max(0, 100 * node.free("cpu") // max(node.allocatable("cpu"), 1))


class InColumns(Plugin):
    """The same in columns."""

    spec = PluginSpec(name="Mine", points=ALL_POINTS, reads=Reads.ROW)

    def pre_filter(self, pod, cluster):
        return PreFilterResult(cluster.resources.column("cpu"))

    def filter(self, state, rows):
        small = rows.allocatable[:, state] < 1000
        crowded = ~small & (rows.pod_count >= MOST_PODS)
        codes = np.where(small, np.uint8(Code.UNRESOLVABLE), crowded * np.uint8(Code.UNSCHEDULABLE)).astype(
            np.uint8
        )
        reasons = ((small, "node(s) were small"), (crowded, "node(s) were crowded"))
        return Verdicts(codes, reasons)

    def pre_score(self, pod, cluster, feasible):
        return PreScoreResult(cluster.resources.column("cpu"))

    def score(self, state, rows):
        whole, used = rows.allocatable[:, state], rows.requested[:, state]
        return np.maximum(0, 100 * (whole - used) // np.maximum(whole, 1))


def told(plugin, objects, candidate):
    decision = decide(session(objects, plugins=[plugin]), candidate)
    preemption = decision.preemption
    victims = {} if preemption is None else {row: c.victims for row, c in preemption.candidates.items()}
    scores = None if decision.scores is None else column(decision, "Mine")
    return decision.outcome, decision.selected_node, decision.event, rejections(decision), scores, victims


amounts = st.sampled_from(["500m", "1", "2", "4"])
running = st.lists(st.tuples(st.integers(0, 3), amounts, st.integers(-2, 2)), max_size=8)


@given(sizes=st.lists(amounts, min_size=1, max_size=4), pods=running, cpu=amounts)
def test_both_decide_alike(sizes, pods, cpu):
    nodes = [node(f"n{i}", cpu=size) for i, size in enumerate(sizes)]
    there = [
        pod(f"p{i}", f"n{on}", cpu=asked, priority=priority)
        for i, (on, asked, priority) in enumerate(pods)
        if on < len(sizes)
    ]
    candidate = pod("x", cpu=cpu, priority=1)
    assert told(OneByOne, [*nodes, *there], candidate) == told(InColumns, [*nodes, *there], candidate)


def test_only_nodes_are_asked_about_whose_verdict_somebody_reads():
    asked = []

    class Counts(NodePlugin):
        spec = PluginSpec(name="Counts", points=frozenset({ExtensionPoint.FILTER}))

        def filter_node(self, pod, node):
            asked.append(node.name)

    decide(session(node("n1"), node("n2", cordoned=True), plugins=[Counts]), pod("a"))
    assert asked == ["n1"]


@pytest.mark.parametrize(
    ("resource", "amounts"),
    [
        ("cpu", (4000, 1500, 2500)),
        ("memory", (8 << 30, 1 << 30, 7 << 30)),
        ("pods", (110, 1, 109)),
        ("example.com/dev", (3, 0, 3)),
        ("example.com/none", (0, 0, 0)),
    ],
)
def test_what_a_node_has(resource, amounts):
    seen = []

    class Looks(NodePlugin):
        spec = PluginSpec(name="Looks", points=frozenset({ExtensionPoint.FILTER}))

        def filter_node(self, pod, node):
            seen.append((node.allocatable(resource), node.requested(resource), node.free(resource)))
            seen.append((node.labels["kubernetes.io/hostname"], [other.name for other in node.pods]))

    objects = [
        node("n1", memory="8Gi", more={"example.com/dev": "3"}),
        pod("p", "n1", cpu="1500m", memory="1Gi"),
    ]
    decide(session(objects, plugins=[Looks]), pod("a"))
    assert seen[:2] == [amounts, ("n1", ["p"])]
