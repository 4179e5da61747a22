"""The pod table: pods as rows of a few columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pod_class import PodClass
from kschedctl.cluster.pod_classes import PodClasses
from kschedctl.cluster.pods_by_template import PodsByTemplate

Ints = npt.NDArray[np.int64]


class PodRecord(Struct, frozen=True):
    """A pod as plugins see it.

    Attributes:
        id: row in the pod table; stable for the life of the cluster.
        pod: the pod after admission.
        klass: its equivalence class.
    """

    id: int
    pod: AdmittedPod
    pod_class: PodClass

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.pod.name

    @property
    def namespace(self) -> str:
        """Namespace."""
        return self.pod.namespace

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return self.pod.full_name

    @property
    def priority(self) -> int:
        """Priority, 0 where none is written."""
        return self.pod_class.priority


class PodReader:
    """How far somebody has read a pod table who keeps something of each row; rows come and go at its end."""

    def __init__(self, table: PodTable) -> None:
        self._table = table
        self._read: list[PodRecord] = []

    def news(self) -> tuple[Sequence[PodRecord], Sequence[PodRecord]]:
        """The rows that are gone since the last call, the last one first, and those that came, in order."""
        records, read = self._table.records, self._read
        gone = []
        while read and (len(read) > len(records) or records[len(read) - 1] is not read[-1]):
            gone.append(read.pop())
        came = records[len(read) :]
        read += came
        return gone, came


class PodTable:
    """Pods in order of arrival.

    Attributes:
        records: by pod id.
        classes: by class index.
        restated: ids of pods of which another version took the place, in order; it only grows, so that who keeps
            something of each reads on from where it was.
    """

    def __init__(self, classes: PodClasses, pods: Iterable[AdmittedPod | PodRecord] = ()) -> None:
        """Enter pods, on no node yet; a record of another table over these classes has its class with it."""
        self.records = [
            PodRecord(i, pod.pod, pod.pod_class)
            if isinstance(pod, PodRecord)
            else PodRecord(i, pod, classes.of(pod))
            for i, pod in enumerate(pods)
        ]
        self.classes = classes
        self.restated: list[int] = []
        self._by_template = PodsByTemplate()
        room = max(len(self.records), 64)
        self._node = np.full(room, -1, np.int64)
        self._place = np.full(room, -1, np.int64)
        self._klass = np.zeros(room, np.int64)
        self._klass[: len(self.records)] = [record.pod_class.index for record in self.records]
        self._terminating = np.zeros(room, bool)
        self._terminating[: len(self.records)] = [record.pod.is_terminating for record in self.records]

    def __len__(self) -> int:
        return len(self.records)

    def add(self, pod: AdmittedPod) -> PodRecord:
        """Enter a pod that is on no node yet."""
        record = PodRecord(len(self.records), pod, self.classes.of(pod))
        self._make_room(record.id + 1)
        self._node[record.id] = -1
        self._place[record.id] = -1
        self._klass[record.id] = record.pod_class.index
        self._terminating[record.id] = pod.is_terminating
        self.records.append(record)
        return record

    def add_all(self, pods: Sequence[AdmittedPod], classes: Sequence[PodClass]) -> Sequence[PodRecord]:
        """Enter pods of which the classes are known, on no node yet."""
        first = len(self.records)
        made = [
            PodRecord(first + i, pod, klass) for i, (pod, klass) in enumerate(zip(pods, classes, strict=True))
        ]
        self._make_room(first + len(made))
        self.records += made
        self.node[first:] = self.place[first:] = -1
        self.pod_class[first:] = [klass.index for klass in classes]
        self.terminating[first:] = [pod.is_terminating for pod in pods]
        return made

    def _make_room(self, pods: int) -> None:
        """Let the columns hold so many pods."""
        if pods > len(self._node):
            grown = max(pods, 2 * len(self._node))
            self._node = np.resize(self._node, grown)
            self._klass = np.resize(self._klass, grown)
            self._terminating = np.resize(self._terminating, grown)
            self._place = np.resize(self._place, grown)

    def drop_last(self, count: int = 1) -> None:
        """Undo `add`: forget the pods that came last, which are on no node. To be called by `ClusterState` only."""
        assert (self.node[-count:] < 0).all(), "a pod is on a node"
        del self.records[-count:]
        self._by_template.keep(len(self.records))

    def restate(self, pod: int, version: AdmittedPod) -> PodRecord:
        """Put another version of a pod in its place, one that no column tells from it: only its status differs."""
        before = self.records[pod]
        alike = version.spec is before.pod.spec and version.labels == before.pod.labels
        assert alike or before.pod_class is self.classes.of(version), "the pod counts otherwise than before"
        record = self.records[pod] = PodRecord(pod, version, before.pod_class)
        self.restated.append(pod)
        return record

    def exchange(self, record: PodRecord) -> None:
        """Put another record of a pod in place, equal up to labels or status. To be called by `ClusterState` only."""
        if self.records[record.id].pod_class.template != record.pod_class.template:
            self._by_template.change(record.id)
        self.records[record.id] = record
        self._klass[record.id] = record.pod_class.index

    @property
    def node(self) -> Ints:
        """int64 (P,): row of the node a pod is on, -1 for none. To be written through `ClusterState` only."""
        return self._node[: len(self.records)]

    @property
    def place(self) -> Ints:
        """int64 (P,): place of a pod in its node's list; kept by `Usage`."""
        return self._place[: len(self.records)]

    @property
    def pod_class(self) -> Ints:
        """int64 (P,): class index."""
        return self._klass[: len(self.records)]

    @property
    def terminating(self) -> npt.NDArray[np.bool_]:
        """Bool (P,): deletion has begun."""
        return self._terminating[: len(self.records)]

    def sum_by_node(self, weights: Ints, nodes: int, *, live_only: bool = False) -> Ints:
        """Sum of class weights over the pods of each node.

        Args:
            weights: int64 (C,), what a pod of each class adds.
            nodes: number of nodes N.
            live_only: leave out pods whose deletion has begun.

        Returns:
            int64 (N,).
        """
        templates = self.classes.template
        wanted = sorted(set(templates[np.flatnonzero(weights)].tolist()))
        pods = self._by_template.of(wanted, templates, self.pod_class)
        chosen = (weights[self.pod_class[pods]] != 0) & (self.node[pods] >= 0)
        if live_only:
            chosen &= ~self.terminating[pods]
        pods = pods[chosen]
        total = np.zeros(nodes, np.int64)
        np.add.at(total, self.node[pods], weights[self.pod_class[pods]])
        return total
