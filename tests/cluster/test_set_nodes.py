"""Changes of the node table: what they do to pods and sums, and that undo leaves no trace."""

import random
from typing import Any

import numpy as np
import pytest
from builders import admission_context
from msgspec.structs import replace

from kschedctl.admission.chain import Admission
from kschedctl.cluster.build import build_cluster
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.containers import Container, ContainerPort, ResourceRequirements
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.node import Node, NodeStatus
from kschedctl.objects.pod import Pod, PodSpec


def _node(name: str, zone: str = "a") -> Node:
    return Node(
        metadata=ObjectMeta(name=name, labels={"topology.kubernetes.io/zone": zone}),
        status=NodeStatus(allocatable={"cpu": "8", "memory": "8Gi", "pods": 20}),
    )


def _pod(name: str, node: str = "", cpu: str = "1", port: int = 0) -> Pod:
    ports = (ContainerPort(container_port=80, host_port=port),) if port else ()
    container = Container(name="c", resources=ResourceRequirements(requests={"cpu": cpu}), ports=ports)
    return Pod(metadata=ObjectMeta(name=name), spec=PodSpec(node_name=node, containers=(container,)))


def _cluster() -> ClusterState:
    nodes = [_node("n1", "a"), _node("n2", "b"), _node("n3", "a")]
    pods = [_pod("p1", "n1"), _pod("p2", "n1", "2"), _pod("p3", "n2", port=8080), _pod("p4", "n3"), _pod("q")]
    return build_cluster([*nodes, *pods], Admission(admission_context()))


def _print(cluster: ClusterState) -> dict[str, Any]:
    """All that a decision reads of nodes and their pods, by name."""
    names, records = cluster.nodes.names, cluster.pods.records
    return {
        "order": list(names),
        "allocatable": cluster.nodes.allocatable.tolist(),
        "requested": cluster.usage.requested.tolist(),
        "non_zero": cluster.usage.non_zero.tolist(),
        "counts": cluster.usage.pod_count.tolist(),
        "pods": [[records[p].name for p in listed] for listed in cluster.usage.pods],
        "node": cluster.pods.node.tolist(),
        "place": [int(cluster.pods.place[p]) for listed in cluster.usage.pods for p in listed],
        "port": Rows(cluster).port_conflicts(("0.0.0.0", "TCP", 8080)).tolist(),
        "start": cluster.next_start,
    }


def test_pods_keep_their_nodes_by_name():
    cluster = _cluster()
    kept = [node for node in cluster.nodes_by_addition() if node.name != "n2"]

    cluster.set_nodes([*kept, _node("n0", "c")])

    state = _print(cluster)
    assert state["order"] == ["n1", "n0", "n3"]
    assert state["pods"] == [["p1", "p2"], [], ["p4"]]
    assert cluster.usage.requested[:, 0].tolist() == [3000, 0, 1000]
    assert state["port"] == [False, False, False]
    gone = next(r for r in cluster.pods.records if r.name == "p3")
    assert cluster.pods.node[gone.id] == -1


def test_relabelling_a_node_can_change_the_order():
    cluster = _cluster()
    assert cluster.nodes.names == ["n1", "n2", "n3"]

    moved = replace(_node("n3", "b"))
    cluster.set_nodes([moved if n.name == "n3" else n for n in cluster.nodes_by_addition()])
    cluster.set_nodes([*cluster.nodes_by_addition(), _node("n4", "a")])

    assert cluster.nodes.names == ["n1", "n2", "n4", "n3"]
    assert _print(cluster)["pods"] == [["p1", "p2"], ["p3"], [], ["p4"]]


def test_a_cluster_may_start_without_nodes():
    cluster = build_cluster([_pod("q")], Admission(admission_context()))
    cluster.set_nodes([_node("n1")])

    cluster.assume(0, 0)
    assert cluster.usage.requested[0, 0] == 1000


@pytest.mark.parametrize("seed", range(30))
def test_undo_restores_everything(seed: int):
    cluster, choose = _cluster(), random.Random(seed)
    before, mark = _print(cluster), cluster.mark()

    for step in range(20):
        placed = np.flatnonzero(cluster.pods.node >= 0).tolist()
        match choose.choice(["add", "drop", "label", "assume", "remove", "advance"]):
            case "add":
                cluster.set_nodes([*cluster.nodes_by_addition(), _node(f"x{step}", choose.choice("abc"))])
            case "drop" if cluster.nodes.count > 1:
                gone = choose.choice(cluster.nodes.names)
                cluster.set_nodes([n for n in cluster.nodes_by_addition() if n.name != gone])
            case "label":
                name = choose.choice(cluster.nodes.names)
                fresh = _node(name, choose.choice("abc"))
                cluster.set_nodes([fresh if n.name == name else n for n in cluster.nodes_by_addition()])
            case "assume":
                free = [p for p in range(len(cluster.pods)) if p not in placed]
                if free:
                    cluster.assume(choose.choice(free), choose.randrange(cluster.nodes.count))
            case "remove" if placed:
                cluster.remove(choose.choice(placed))
            case "advance":
                cluster.advance_start(choose.randrange(5))

    assert _print(cluster) != before
    cluster.undo_to(mark)
    assert _print(cluster) == before


def test_the_order_of_rows_can_be_given():
    cluster = _cluster()
    cluster.set_nodes(cluster.nodes_by_addition(), ["n3", "n2", "n1"])
    found = _print(cluster)
    assert found["order"] == ["n3", "n2", "n1"]
    assert found["pods"] == [["p4"], ["p3"], ["p1", "p2"]]
