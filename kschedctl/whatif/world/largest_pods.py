"""What holds the room of a node: the pods on it that ask for most."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.state import ClusterState


def largest_pods(cluster: ClusterState, most: int) -> list[list[str]]:
    """The largest pods of every node, by row, as namespace/name.

    A pod is as large as the largest share of its node that it asks for of any resource; what asks for nothing holds no
    room. Equals are in order of arrival.
    """
    found: list[list[str]] = [[] for _ in range(cluster.nodes.count)]
    table = cluster.pods
    placed = np.flatnonzero(table.node >= 0)
    if not len(placed) or not len(cluster.resources.names):
        return found
    node = table.node[placed]
    asked = table.classes.requests[table.pod_class[placed]]
    has = cluster.nodes.allocatable[node]
    share = np.divide(asked, has, out=np.zeros(asked.shape), where=has > 0).max(axis=1)
    order = np.lexsort((placed, -share, node))
    ordered = node[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    shown = order[(rank < most) & (share[order] > 0)]
    for row, pod in zip(node[shown].tolist(), placed[shown].tolist(), strict=True):
        found[row].append(table.records[pod].full_name)
    return found
