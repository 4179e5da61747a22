"""The order in which the scheduler looks at nodes (spec 01 §4)."""

import pytest
from builders import ZONE, node, session

from kschedctl.cluster.node_order import NodeTree, snapshot_order

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        pytest.param(
            [{ZONE: "1"}, {ZONE: "1"}, {ZONE: "2"}, {ZONE: "1"}, {ZONE: "3"}], "acebd", id="round robin"
        ),
        pytest.param([{}, {}, {}], "abc", id="no zones"),
        pytest.param([{ZONE: "1"}, {ZONE: "1"}, {}, {}], "acbd", id="no zone is a zone"),
        pytest.param(
            [{ZONE: "1"}, {ZONE: "1", REGION: "r"}, {ZONE: "1"}], "abc", id="region and zone make the zone"
        ),
        pytest.param(
            [{ZONE: "1"}, {ZONE: "2", BETA_ZONE: "1"}, {ZONE: "2"}], "acb", id="the beta label wins"
        ),
        pytest.param([{ZONE: "1"}, {ZONE: "1"}, {ZONE: "1", BETA_ZONE: ""}], "acb", id="it wins even empty"),
    ],
)
def test_snapshot_order(labels, order):
    assert "".join("abcdef"[position] for position in snapshot_order(labels)) == order


def test_nodes_enter_by_name():
    nodes = [node(name, zone) for name, zone in [("e", "3"), ("d", "1"), ("c", "2"), ("b", "1"), ("a", "1")]]
    assert session(nodes).cluster.nodes.names == ["a", "c", "e", "b", "d"]


def tree(*zones):
    """Nodes a, b, c ... in these zones."""
    return NodeTree((name, {ZONE: zone}) for name, zone in zip("abcdef", zones, strict=False))


def test_a_tree_begins_with_the_same_order():
    assert "".join(tree("1", "1", "2", "1", "3").order) == "acebd"


def test_a_zone_keeps_its_place_when_its_first_node_goes():
    nodes = tree("1", "2", "1")
    nodes.remove("a")
    assert "".join(nodes.order) == "cb"


def test_a_zone_that_was_empty_comes_last():
    nodes = tree("1", "2", "3")
    nodes.remove("a")
    nodes.add("a", {ZONE: "1"})
    assert "".join(nodes.order) == "bca"


def test_a_node_that_moves_is_seen_at_its_new_place_once_nodes_come_or_go():
    nodes = tree("1", "2", "1")
    nodes.update("a", {ZONE: "2"})
    before = "".join(nodes.order)
    nodes.add("d", {ZONE: "3"})
    assert (before, "".join(nodes.order)) == ("abc", "cbda")


def test_other_labels_move_nothing():
    nodes = tree("1", "1")
    nodes.update("a", {ZONE: "1", "x": "y"})
    nodes.remove("b")
    nodes.add("b", {ZONE: "1"})
    assert "".join(nodes.order) == "ab"
