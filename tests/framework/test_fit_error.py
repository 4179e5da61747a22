"""The text of the FailedScheduling event, byte for byte (spec 01 §6.1)."""

import pytest
from builders import decide, node, pod, profile, session

from kschedctl.framework.fit_error import fit_error

CPU, TAINT = "Insufficient cpu", "node(s) had untolerated taint(s)"


@pytest.mark.parametrize(
    ("nodes", "reasons", "parts", "text"),
    [
        pytest.param(3, {CPU: 3}, {}, f"0/3 nodes are available: 3 {CPU}.", id="one reason"),
        pytest.param(
            14,
            {"b": 2, "a": 12},
            {},
            "0/14 nodes are available: 12 a, 2 b.",
            id="sorted as text, not by number",
        ),
        pytest.param(
            13,
            {"x": 10, "y": 2, "Z": 1},
            {},
            "0/13 nodes are available: 1 Z, 10 x, 2 y.",
            id="sorted by bytes",
        ),
        pytest.param(2, {}, {}, "0/2 nodes are available:", id="no reason"),
        pytest.param(
            2,
            {CPU: 2},
            {"pre_filter": "no"},
            "0/2 nodes are available: no.",
            id="a rejected pod hides the reasons",
        ),
        pytest.param(
            2,
            {CPU: 2},
            {"post_filter": "then"},
            f"0/2 nodes are available: 2 {CPU}. then",
            id="what came afterwards",
        ),
        pytest.param(2, {}, {"post_filter": "then"}, "0/2 nodes are available: then", id="afterwards alone"),
    ],
)
def test_text(nodes, reasons, parts, text):
    assert fit_error(nodes, reasons, **parts) == text


def test_the_whole_event():
    nodes = [node("n1", taints=["k=v:NoSchedule"]), node("n2", cpu="1"), node("n3", cpu="1")]
    pods = [pod("old", "n2", cpu="1", priority=5)]
    assert decide(session(nodes, pods), pod("p", cpu="1", memory="9Gi", priority=5)).event == (
        f"0/3 nodes are available: 1 {CPU}, 1 {TAINT}, 2 Insufficient memory. "
        "no new claims to deallocate, preemption: 0/3 nodes are available: "
        "3 Preemption is not helpful for scheduling."
    )


def test_the_event_with_nodes_that_preemption_cannot_help():
    nodes = [node("n1", taints=["k=v:NoSchedule"]), node("n2"), node("n3")]
    pods = [pod("a", "n2", cpu="4", priority=7), pod("b", "n3", cpu="4", priority=7)]
    assert decide(session(nodes, pods), pod("p", cpu="1", priority=5)).event == (
        f"0/3 nodes are available: 1 {TAINT}, 2 {CPU}. no new claims to deallocate, preemption: "
        "0/3 nodes are available: 1 Preemption is not helpful for scheduling, "
        "2 No preemption victims found for incoming pod."
    )


def test_room_by_preemption_ends_the_event_after_the_filters():
    pods = [pod("a", "n1", cpu="4", priority=1)]
    assert decide(session(node("n1"), pods), pod("p", cpu="1", priority=5)).event == (
        f"0/1 nodes are available: 1 {CPU}."
    )


def test_no_nodes():
    assert decide(session(), pod("p")).event == "no nodes available to schedule pods"


def confined(*names):
    values = {"key": "metadata.name", "operator": "In"}
    terms = [{"matchFields": [values | {"values": [name]}]} for name in names]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def test_nodes_outside_the_set_are_counted():
    decision = decide(session([node(f"n{i}") for i in range(4)]), pod("p", affinity=confined("gone")))
    assert decision.event == (
        "0/4 nodes are available: 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, "
        "preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."
    )


def test_a_nominated_node_that_refuses_stands_among_the_plugins():
    nodes = [node("n0", cpu="1"), node("n1"), node("n2"), node("n3", taints=["k=v:NoSchedule"])]
    decision = decide(session(nodes), pod("p", cpu="2", affinity=confined("n0"), nominated="n3"))
    assert decision.event.startswith(
        "0/4 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
        "2 node(s) didn't satisfy plugin(s) [NodeAffinity TaintToleration]."
    )


def test_without_dynamic_resources_its_text_vanishes():
    config = profile(plugins={"postFilter": {"disabled": [{"name": "DynamicResources"}]}})
    decision = decide(session(node("n1"), config=config), pod("p", cpu="9"))
    assert decision.event.startswith(f"0/1 nodes are available: 1 {CPU}. preemption: 0/1 nodes")


def test_without_post_filter_the_event_ends():
    config = profile(plugins={"postFilter": {"disabled": [{"name": "*"}]}})
    decision = decide(session(node("n1"), config=config), pod("p", cpu="9"))
    assert decision.event == f"0/1 nodes are available: 1 {CPU}."
