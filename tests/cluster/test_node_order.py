"""The order in which the scheduler looks at nodes (spec 01 §4)."""

import pytest
from builders import ZONE, node, session

from kschedctl.cluster.node_order import snapshot_order

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
