"""What pods use of their nodes: the columns that change with every assume and removal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodTable
from kschedctl.cluster.ports import UsedPorts
from kschedctl.cluster.resources import widened

_FEW: Final = 16
"""Pods of less than this share of the rows are listed from their lists."""


class Usage:
    """Sums over the pods of each of N nodes (spec 02 C.2).

    Attributes:
        non_zero: int64 (N, 2), milli cpu and bytes of memory, with defaults for pods that ask for none.
        pod_count: int64 (N,).
        pods: per node the ids of its pods in the scheduler's list order: arrivals at the end, and the last one
            moves into the place of one that leaves.
        ports: host ports in use.
    """

    def __init__(self, nodes: int, pods: PodTable) -> None:
        """Sum up the pods that are on a node now, in order of their ids."""
        self._table = pods
        on_node = np.flatnonzero(pods.node >= 0)
        row, pod_class = pods.node[on_node], pods.pod_class[on_node]
        self._requested = np.zeros((nodes, pods.classes.requests.shape[1]), np.int64)
        np.add.at(self._requested, row, pods.classes.requests[pod_class])
        self.non_zero = np.zeros((nodes, 2), np.int64)
        np.add.at(self.non_zero, row, pods.classes.non_zero[pod_class])
        self.pod_count = np.bincount(row, minlength=nodes).astype(np.int64)
        self.pods: list[list[int]] = [[] for _ in range(nodes)]
        for pod, node in zip(on_node.tolist(), row.tolist(), strict=True):
            listed = self.pods[node]
            pods.place[pod] = len(listed)
            listed.append(pod)
        self._all: npt.NDArray[np.int64] | None = None
        self.ports = UsedPorts(nodes)
        for i in np.flatnonzero(pods.classes.has_ports[pod_class]):
            for port in pods.classes[pod_class[i]].ports:
                self.ports.column(port)[row[i]] = True

    def rearranged(self, rows: npt.NDArray[np.int64]) -> Usage:
        """The same for other rows: int64 (M,), where each one's pods are now, -1 for a node without pods."""
        twin = Usage.__new__(Usage)
        twin._table = self._table
        twin._all = None
        twin._requested = np.pad(self._requested, ((0, 1), (0, 0)))[rows]
        twin.non_zero = np.pad(self.non_zero, ((0, 1), (0, 0)))[rows]
        twin.pod_count = np.append(self.pod_count, 0)[rows]
        twin.pods = [list(self.pods[row]) if row >= 0 else [] for row in rows.tolist()]
        twin.ports = self.ports.rearranged(rows)
        return twin

    @property
    def requested(self) -> npt.NDArray[np.int64]:
        """int64 (N, resources): sums of the pods' requests."""
        columns = self._table.classes.requests.shape[1]
        if self._requested.shape[1] < columns:
            self._requested = widened(self._requested, columns)
        return self._requested

    def listed(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The pods of some rows, int64 (R,), one row after another in list order: ids, int64 (k,), and counts, (R,).

        Those of all rows are kept until a pod comes or goes, for who asks about many rows time and again.
        """
        counts = self.pod_count[rows]
        if self._all is None and len(rows) * _FEW < len(self.pods):
            pods = chain.from_iterable([self.pods[row] for row in rows.tolist()])
            return np.fromiter(pods, np.int64, int(counts.sum())), counts
        if self._all is None:
            self._all = np.fromiter(chain.from_iterable(self.pods), np.int64, int(self.pod_count.sum()))
        begins = (np.cumsum(self.pod_count) - self.pod_count)[rows]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self._all[np.repeat(begins, counts) + within], counts

    def add(self, pod: int, row: int) -> None:
        """Put a pod at the end of a node's list."""
        self._sum(pod, row, 1)
        self._table.place[pod] = len(self.pods[row])
        self.pods[row].append(pod)
        for port in self._table.records[pod].pod_class.ports:
            self.ports.column(port)[row] = True

    def add_equal(self, pods: Sequence[int], rounds: int, row: int, first: int) -> None:
        """Put so many more pods like each of some, which are on the node too, at the end of its list.

        Args:
            pods: ids of those that are there; their host ports are taken already.
            rounds: how many like each.
            row: the node.
            first: id of the first new one, after which the others come.
        """
        for pod in pods:
            self._sum(pod, row, rounds)
        listed, count = self.pods[row], rounds * len(pods)
        self._table.place[first : first + count] = np.arange(len(listed), len(listed) + count)
        listed.extend(range(first, first + count))

    def take_off_equal(self, pods: Sequence[int], rounds: int, row: int) -> None:
        """Undo `add_equal`."""
        for pod in pods:
            self._sum(pod, row, -rounds)
        del self.pods[row][-rounds * len(pods) :]

    def remove(self, pod: int, row: int) -> int:
        """Take a pod off its node; the last pod of the list moves into its place. Returns the place."""
        self._sum(pod, row, -1)
        listed = self.pods[row]
        place = int(self._table.place[pod])
        last = listed.pop()
        if place < len(listed):
            listed[place] = last
            self._table.place[last] = place
        for port in self._table.records[pod].pod_class.ports:
            self.ports.column(port)[row] = False
        return place

    def put_back(self, pod: int, row: int, place: int) -> None:
        """Undo `remove`."""
        self._sum(pod, row, 1)
        listed = self.pods[row]
        self._table.place[pod] = place
        if place < len(listed):
            self._table.place[listed[place]] = len(listed)
            listed.append(listed[place])
            listed[place] = pod
        else:
            listed.append(pod)

    def take_off(self, pod: int, row: int) -> None:
        """Undo `add`."""
        self._sum(pod, row, -1)
        self.pods[row].pop()

    def _sum(self, pod: int, row: int, times: int) -> None:
        self._all = None
        pod_class, classes = self._table.records[pod].pod_class.index, self._table.classes
        amounts = classes.requests[pod_class]
        if len(amounts) > self._requested.shape[1]:
            self._requested = widened(self._requested, len(amounts))
        self._requested[row] += times * amounts
        self.non_zero[row] += times * classes.non_zero[pod_class]
        self.pod_count[row] += times
