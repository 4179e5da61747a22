"""Worlds of single rows read as the real cluster would after the same changes."""

import hypothesis.strategies as st
import numpy as np
from builders import node, pod, session
from hypothesis import given

from kschedctl.cluster.rows import HypotheticalRows, Rows

GPU = "example.com/gpu"
HTTP, DNS = ("0.0.0.0", "TCP", 80), ("127.0.0.1", "UDP", 53)
NODES, PODS = 3, 9


def world():
    """Three nodes with three pods each: requests, host ports, one port held twice on n1."""
    ports = {
        HTTP: {"containerPort": 80, "hostPort": 80},
        DNS: {"containerPort": 53, "hostPort": 53, "protocol": "UDP", "hostIP": "127.0.0.1"},
    }
    nodes = [node(f"n{i}", more={GPU: "4"}) for i in range(NODES)]
    holding = {0: HTTP, 1: DNS, 3: HTTP, 4: HTTP}
    pods = []
    for i in range(PODS):
        container = {"name": "main", "image": "app", "ports": [ports[holding[i]]] if i in holding else []}
        requests = {"cpu": f"{i}00m", "memory": "1Gi"} | ({GPU: "1"} if i % 2 else {})
        limits = {GPU: "1"} if i % 2 else {}
        container["resources"] = {"requests": requests, "limits": limits}
        pods.append(pod(f"p{i}", f"n{i // 3}", containers=[container]))
    return session(nodes, pods).cluster


def read(rows, at):
    return {
        "requested": rows.requested[at].tolist(),
        "pod_count": int(rows.pod_count[at]),
        "http": bool(rows.port_conflicts(HTTP)[at]),
        "dns": bool(rows.port_conflicts(DNS)[at]),
        "pods": rows.pods(at),
    }


STEPS = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, PODS - 1)), max_size=10)


@given(STEPS)
def test_a_world_is_the_cluster_after_the_same_changes(steps):
    """A pod is taken off the row where it is, and put on the row where it is not."""
    cluster = world()
    rows = HypotheticalRows(cluster, np.arange(NODES))
    there = {row: {p for p in range(PODS) if cluster.pods.node[p] == row} for row in range(NODES)}
    mine = {row: [] for row in range(NODES)}
    for row, moved in steps:
        sign = -1 if moved in there[row] else 1
        there[row] ^= {moved}
        change = np.full(NODES, -1)
        change[row] = moved
        rows.change(change, sign)
        mine[row].append((sign, moved))
    for row in range(NODES):
        assert read(rows, row) == after(cluster, row, mine[row])


def after(cluster, row, changes):
    """What a row reads once the changes were made to the cluster itself; they are taken back."""
    mark = cluster.mark()
    for sign, moved in changes:
        if sign < 0:
            cluster.remove(moved)
        else:
            if cluster.pods.node[moved] >= 0:
                cluster.remove(moved)
            cluster.assume(moved, row)
    found = read(Rows(cluster), row)
    cluster.undo_to(mark)
    return found


def test_equal_pods_are_added_at_once():
    cluster = world()
    at_once, one_by_one = (HypotheticalRows(cluster, np.arange(NODES)) for _ in range(2))
    at_once.change(np.array([4, -1, 8]), 3)
    for _ in range(3):
        one_by_one.change(np.array([4, -1, 8]), 1)
    assert [read(at_once, row) for row in range(NODES)] == [read(one_by_one, row) for row in range(NODES)]


def test_worlds_are_independent():
    cluster = world()
    rows = HypotheticalRows(cluster, np.array([0, 0, 1]))
    before = read(Rows(cluster), 0)
    rows.change(np.array([0, -1, -1]), -1)
    assert read(rows, 1) == before == read(Rows(cluster), 0)
    assert read(rows, 0)["pod_count"] == before["pod_count"] - 1


def test_a_copy_of_some_worlds_goes_its_own_way():
    cluster = world()
    rows = HypotheticalRows(cluster, np.arange(NODES))
    rows.change(np.array([0, 3, -1]), -1)
    twin = rows.take(np.array([1]))
    assert read(twin, 0) == read(rows, 1)
    twin.change(np.array([4]), -1)
    assert read(twin, 0)["pod_count"] == read(rows, 1)["pod_count"] - 1
