"""How full a cluster is: requests against what can be allocated, by resource, over groups of nodes.

Sums are over the nodes that take pods: the free room of a cordoned node is of no use to anybody, and pods that are
still on it need room elsewhere only once they leave. Neither counts; by node everything is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.state import ClusterState
from kschedctl.objects.go import INT64_MAX, INT64_MIN
from kschedctl.objects.node import Node
from kschedctl.objects.well_known import BETA_ZONE, CORDON_TAINT, NOT_READY_TAINT, UNREACHABLE_TAINT, ZONE

PODS = "pods"
ZONE_KEYS = (ZONE, BETA_ZONE)
POOL_KEYS = (
    "karpenter.sh/nodepool",
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "node.kubernetes.io/instance-type",
)
"""Labels that name a node's pool, the first one that a node has counts."""
RACK_KEYS = (
    "topology.kubernetes.io/rack",
    "cloud.provider.com/topology-rack",
    "cloud.google.com/gce-topology-subblock",
    "topology.k8s.aws/network-node-layer-3",
    "rack",
)
"""Labels that name what is smaller than a zone and shares a switch, the first one that a node has counts."""

_NOT_READY = (NOT_READY_TAINT, UNREACHABLE_TAINT)


class Closed(StrEnum):
    """Why a node takes no pods, other than those that tolerate everything."""

    CORDONED = "cordoned"
    NOT_READY = "not ready"


def why_closed(node: Node) -> Closed | None:
    """Why a node takes no pods, None where it does; other taints keep a node for some of them."""
    keys = {taint.key for taint in node.spec.taints if taint.is_hard}
    if node.spec.unschedulable or CORDON_TAINT in keys:
        return Closed.CORDONED
    return None if keys.isdisjoint(_NOT_READY) else Closed.NOT_READY


class ResourceUse(Struct, frozen=True):
    """What is asked of some nodes, and what they have, in the unit in which the scheduler counts."""

    requested: int
    allocatable: int

    @property
    def share(self) -> float:
        """The part in use, 0 where there is nothing to use."""
        return self.requested / self.allocatable if self.allocatable else 0.0


class Utilization(Struct, frozen=True):
    """Requests and room of every node.

    Sums stop at 64 bits; those by which the scheduler decides wrap there.

    Attributes:
        nodes: the nodes.
        resources: names; `pods` is the number of pods.
        requested: int64 (N, R).
        allocatable: int64 (N, R).
        counted: bool (N,), the nodes that take pods.
    """

    nodes: tuple[Node, ...]
    resources: tuple[str, ...]
    requested: npt.NDArray[np.int64]
    allocatable: npt.NDArray[np.int64]
    counted: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, cluster: ClusterState) -> Utilization:
        """The cluster as it is now; resources that no node has are left out."""
        allocatable = np.column_stack([cluster.nodes.allocatable, cluster.nodes.allowed_pods])
        requested = np.column_stack([_requested(cluster), cluster.usage.pod_count])
        names = (*cluster.resources.names, PODS)
        there = np.flatnonzero(allocatable.any(axis=0)).tolist()
        return cls(
            cluster.nodes.objects,
            tuple(names[i] for i in there),
            requested[:, there],
            allocatable[:, there],
            np.array([why_closed(node) is None for node in cluster.nodes.objects], bool),
        )

    @property
    def closed(self) -> Mapping[str, Closed]:
        """Node that takes no pods -> why, by name."""
        found = {node.name: why_closed(node) for node in self.nodes}
        return {name: why for name, why in sorted(found.items()) if why is not None}

    def total(self) -> Mapping[str, ResourceUse]:
        """Resource -> usage of all nodes that take pods."""
        return self._sum(np.ones(len(self.nodes), bool))

    def by_label(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, ResourceUse]]:
        """Value of the first of some labels that a node has -> usage, by value; other nodes are left out."""
        values = [n.metadata.first_label(keys) for n in self.nodes]
        return {
            value: self._sum(np.array([v == value for v in values], bool))
            for value in sorted({v for v in values if v is not None})
        }

    def by_node(self) -> Mapping[str, Mapping[str, ResourceUse]]:
        """Node -> usage, in the order of the nodes."""
        requested, allocatable = self.requested.tolist(), self.allocatable.tolist()
        return {
            node.name: {
                name: ResourceUse(requested[row][i], allocatable[row][i])
                for i, name in enumerate(self.resources)
            }
            for row, node in enumerate(self.nodes)
        }

    def shares(self, resource: str) -> Mapping[str, float]:
        """Node -> share of a resource in use; nodes that have none of it are left out."""
        if resource not in self.resources:
            return {}
        i = self.resources.index(resource)
        used, room = self.requested[:, i].tolist(), self.allocatable[:, i].tolist()
        return {node.name: used[r] / room[r] for r, node in enumerate(self.nodes) if room[r] > 0}

    def _sum(self, mask: npt.NDArray[np.bool_]) -> Mapping[str, ResourceUse]:
        mask = mask & self.counted
        requested = _total(self.requested[mask])
        allocatable = _total(self.allocatable[mask])
        return {name: ResourceUse(requested[i], allocatable[i]) for i, name in enumerate(self.resources)}


def _requested(cluster: ClusterState) -> npt.NDArray[np.int64]:
    """Sums of the pods' requests, int64 (N, resources), at most what 64 bits hold."""
    table, wrapping = cluster.pods, cluster.usage.requested
    requests = table.classes.requests
    if not _may_wrap(requests, len(table.node)):
        return wrapping
    placed = np.flatnonzero(table.node >= 0)
    exact = np.zeros(wrapping.shape, object)
    np.add.at(exact, table.node[placed], requests.astype(object)[table.pod_class[placed]])
    return np.clip(exact, INT64_MIN, INT64_MAX).astype(np.int64)


def _total(rows: npt.NDArray[np.int64]) -> list[int]:
    """Sums of the columns, at most what 64 bits hold."""
    if not _may_wrap(rows, len(rows)):
        totals: list[int] = rows.sum(axis=0).tolist()
        return totals
    return [min(max(sum(column), INT64_MIN), INT64_MAX) for column in rows.T.tolist()]


def _may_wrap(values: npt.NDArray[np.int64], count: int) -> bool:
    """Whether so many of the values could add up to more than 64 bits."""
    return bool(values.size) and float(np.abs(values.astype(np.float64)).max()) * count >= INT64_MAX
