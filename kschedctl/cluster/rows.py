"""Rows: what filters and scores look at, real nodes or hypothetical ones (design §3, per-row worlds)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.ports import HostPort, UsedPorts

if TYPE_CHECKING:
    from kschedctl.cluster.state import ClusterState
    from kschedctl.objects.node import Node

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Column = TypeVar("Column", bound=npt.NDArray[np.generic])


class Rows:
    """R real nodes of a cluster, all of them or chosen ones.

    Over all nodes the columns are those of the cluster itself and follow its changes; of chosen ones they are
    copies, made when first looked at.

    Attributes:
        cluster: the cluster they belong to.
        index: int64 (R,), node rows.
        wanted: bool (R,) or None for all: the rows whose verdict somebody will read.
        undecided: bool (R,) or None for all: the rows that no earlier filter rejected.
        row_states: plugin name -> what the plugin keeps per hypothetical row; empty for real rows.
        emptied: whether nothing is known of the rows but the objects of their nodes.
    """

    hypothetical = False
    emptied = False

    def __init__(self, cluster: ClusterState, index: Ints | None = None) -> None:
        self.cluster = cluster
        self._whole = index is None
        self.index: Ints = cluster.nodes.rows if index is None else index
        self.wanted: Mask | None = None
        self.undecided: Mask | None = None
        self.row_states: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.index)

    def column(self, values: Column) -> Column:
        """Rows of an array over all nodes, (N, ...) -> (R, ...); not a copy where the rows are all nodes."""
        return values if self._whole else values[self.index]  # type: ignore[return-value]

    @cached_property
    def present(self) -> Ints:
        """int64 (k,): positions of the rows whose nodes are there, so that filters were asked about them."""
        return np.flatnonzero(self.cluster.present.mask[self.index])

    @cached_property
    def allocatable(self) -> Ints:
        """int64 (R, resources)."""
        return self.column(self.cluster.nodes.allocatable)

    @cached_property
    def allowed_pods(self) -> Ints:
        """int64 (R,)."""
        return self.column(self.cluster.nodes.allowed_pods)

    @cached_property
    def requested(self) -> Ints:
        """int64 (R, resources)."""
        return self.column(self.cluster.usage.requested)

    @cached_property
    def non_zero(self) -> Ints:
        """int64 (R, 2): milli cpu and bytes of memory, with defaults."""
        return self.column(self.cluster.usage.non_zero)

    @cached_property
    def pod_count(self) -> Ints:
        """int64 (R,)."""
        return self.column(self.cluster.usage.pod_count)

    def port_conflicts(self, port: HostPort) -> Mask:
        """Rows on which a host port cannot be had, bool (R,)."""
        return self.column(self.cluster.usage.ports.conflicts(port))

    def node(self, row: int) -> Node:
        """The node of one row."""
        return self.cluster.nodes.objects[int(self.index[row])]

    def pods(self, row: int) -> list[int]:
        """Ids of the pods on one row, in list order."""
        return list(self.cluster.usage.pods[self.index[row]])


class EmptiedRows(Rows):
    """R nodes of which only the objects are known: no pods, no images (spec 01 §11.2)."""

    emptied = True

    def __init__(self, cluster: ClusterState, index: Ints) -> None:
        super().__init__(cluster, index)
        self.requested = np.zeros((len(index), cluster.usage.requested.shape[1]), np.int64)
        self.non_zero = np.zeros((len(index), 2), np.int64)
        self.pod_count = np.zeros(len(index), np.int64)

    def pods(self, row: int) -> list[int]:
        """None."""
        return []


class ImaginedRows(Rows):
    """R nodes that offer and use something else than they do: for who reads no more of a row, see `Reads.USAGE`.

    Args:
        cluster: the cluster.
        index: int64 (R,), rows that stand for them.
        allowed_pods: int64 (R,).
        allocatable: int64 (R, resources).
        requested: int64 (R, resources).
        non_zero: int64 (R, 2).
        pod_count: int64 (R,).
    """

    hypothetical = True

    def __init__(
        self,
        cluster: ClusterState,
        index: Ints,
        *,
        allowed_pods: Ints,
        allocatable: Ints,
        requested: Ints,
        non_zero: Ints,
        pod_count: Ints,
    ) -> None:
        super().__init__(cluster, index)
        self.allowed_pods, self.allocatable = allowed_pods, allocatable
        self.requested, self.non_zero, self.pod_count = requested, non_zero, pod_count


class HypotheticalRows(Rows):
    """R nodes, each in a world of its own: pods were added to or removed from that row alone.

    The same node may stand in several rows. Only what filters read is kept; nominated and removed pods never
    count in scores. Columns are copied once, and each change touches one pod per row at most.
    """

    hypothetical = True

    def __init__(self, cluster: ClusterState, index: Ints) -> None:
        super().__init__(cluster, index)
        self.requested = cluster.usage.requested[index]
        self.pod_count = cluster.usage.pod_count[index]
        self._ports: UsedPorts | None = None
        self._steps: list[tuple[int, Ints]] = []

    def take(self, at: Ints) -> HypotheticalRows:
        """An independent copy of some of these worlds, positions int64 (k,)."""
        twin = HypotheticalRows.__new__(HypotheticalRows)
        Rows.__init__(twin, self.cluster, self.index[at])
        twin.requested = self.requested[at]
        twin.pod_count = self.pod_count[at]
        twin._ports = self._ports and self._ports.take(at)
        twin._steps = [(sign, pods[at]) for sign, pods in self._steps]
        twin.row_states = {name: state.take(at) for name, state in self.row_states.items()}
        return twin

    def port_conflicts(self, port: HostPort) -> Mask:
        """Rows on which a host port cannot be had in these worlds, bool (R,)."""
        if self._ports is None:
            return super().port_conflicts(port)
        return self._ports.conflicts(port)

    def change(self, pods: Ints, sign: int) -> None:
        """Add (+1) or remove (-1) one pod per row: ids int64 (R,), -1 where nothing changes.

        With a higher number as many pods are added that are equal to this one.
        """
        rows = np.flatnonzero(pods >= 0)
        table = self.cluster.pods
        pod_class = table.pod_class[pods[rows]]
        self.requested[rows] += sign * table.classes.requests[pod_class]
        self.pod_count[rows] += sign
        self._steps.append((sign, pods))
        holding = table.classes.has_ports[pod_class]
        for k in set(pod_class[holding].tolist()):
            for port in table.classes[k].ports:
                if self._ports is None:
                    self._ports = self.cluster.usage.ports.take(self.index)
                self._ports.column(port)[rows[pod_class == k]] = sign > 0

    def pods(self, row: int) -> list[int]:
        """Ids of the pods on one row in this world, in list order."""
        listed = super().pods(row)
        for sign, pods in self._steps:
            pod = int(pods[row])
            if pod < 0:
                continue
            if sign > 0:
                listed += [pod] * sign
            else:
                place = listed.index(pod)
                last = listed.pop()
                if place < len(listed):
                    listed[place] = last
        return listed
