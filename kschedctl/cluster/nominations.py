"""Pending pods for which preemption made room on a node: others of less importance leave it to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.change_log import ChangeLog
from kschedctl.cluster.journal import Journal
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.pods import PodRecord

Ints = npt.NDArray[np.int64]


class Nominations(Mapping[str, list[int]]):
    """Node name -> ids of the pods nominated to it, in nominator order; nodes without any are not in it.

    Args:
        journal: what undoes changes.
        most: so many changes are kept for those who follow.

    Attributes:
        changes: the nodes to which a nomination came or of which one went, undone ones included.
    """

    def __init__(self, journal: Journal, most: int) -> None:
        self.changes = ChangeLog[str](most)
        self._journal = journal
        self._listed: dict[str, list[int]] = {}
        self._node_of: dict[int, str] = {}
        self._by_uid: dict[str, list[str]] = {}
        """Nodes to which pods are nominated that have a uid: one, unless a pod has come again as another record."""
        self._cleared: set[int] = set()
        self._row_of: Mapping[str, int] | None = None
        """The rows that `_by_row` is about; None: it is to be made anew."""
        self._by_row: tuple[Ints, Ints] = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def __getitem__(self, node: str) -> list[int]:
        return self._listed[node]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def node_of(self, pod: int) -> str:
        """The node that a pod is nominated to, empty for none."""
        return self._node_of.get(pod, "")

    def of_uid(self, uid: str) -> Sequence[str]:
        """The nodes to which pods with this uid are nominated."""
        return self._by_uid.get(uid, ())

    def was_cleared(self, pod: int) -> bool:
        """Whether a pod lost its nomination, whatever it states."""
        return pod in self._cleared

    def by_row(self, nodes: NodeTable) -> tuple[Ints, Ints]:
        """Rows of the nodes that pods are nominated to, ascending, and these pods, int64 (K,) each.

        Pods of one row are in nominator order.
        """
        if self._row_of is not nodes.row_of:
            row_of = self._row_of = nodes.row_of
            listed = sorted((row_of[node], pods) for node, pods in self._listed.items() if node in row_of)
            rows = np.array([row for row, pods in listed for _ in pods], np.int64)
            self._by_row = rows, np.array([pod for _, pods in listed for pod in pods], np.int64)
        return self._by_row

    def enter(self, pod: PodRecord, node: str) -> None:
        """Note that a pod is nominated to a node, after those that are."""
        self._put(pod, node, len(self._listed.get(node, ())))

        def undo() -> None:
            self._take(pod, node)

        self._journal.record(undo)

    def drop(self, pod: PodRecord) -> None:
        """Forget the nomination of a pod, if it has one."""
        node = self.node_of(pod.id)
        if not node:
            return
        place = self._take(pod, node)
        self._cleared.add(pod.id)

        def undo() -> None:
            self._put(pod, node, place)
            self._cleared.discard(pod.id)

        self._journal.record(undo)

    def _put(self, pod: PodRecord, node: str, place: int) -> None:
        self._listed.setdefault(node, []).insert(place, pod.id)
        self._node_of[pod.id] = node
        self._by_uid.setdefault(pod.pod.uid, []).append(node)
        self._changed(node)

    def _take(self, pod: PodRecord, node: str) -> int:
        """Take a pod off the list of a node; its place there."""
        listed, alike = self._listed[node], self._by_uid[pod.pod.uid]
        place = listed.index(pod.id)
        del listed[place], self._node_of[pod.id]
        alike.remove(node)
        if not listed:
            del self._listed[node]
        if not alike:
            del self._by_uid[pod.pod.uid]
        self._changed(node)
        return place

    def _changed(self, node: str) -> None:
        self.changes.append(node)
        self._row_of = None
