"""ClusterState: all that a decision reads, as columns, with assume, remove, nominate and undo."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.change_log import PodMove, pod_moves
from kschedctl.cluster.counts import PodSums
from kschedctl.cluster.images import ImageSpread
from kschedctl.cluster.journal import Journal, Mark
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.nominations import Nominations
from kschedctl.cluster.pod_classes import PodClasses
from kschedctl.cluster.pods import PodRecord, PodTable
from kschedctl.cluster.present_nodes import PresentNodes
from kschedctl.cluster.resources import ResourceIndex
from kschedctl.cluster.store import ObjectStore
from kschedctl.cluster.usage import Usage
from kschedctl.objects.node import Node

E = TypeVar("E")


class Unlisted(Struct):
    """Pods on nodes that are missing from a list by which plugins find the nodes with such pods.

    kube-scheduler 1.36 makes these lists at the start of a cycle, and does not add the nodes to which members of a
    group come in it.

    Attributes:
        terms: ids of pods with inter-pod affinity terms of any kind, on nodes without such pods in the list.
        anti: the same for required anti-affinity.
    """

    terms: set[int] = field(default_factory=set)
    anti: set[int] = field(default_factory=set)


class ClusterState:
    """A cluster as the scheduler's cache sees it.

    Attributes:
        nodes: the node table; rows are in snapshot order.
        present: which of its rows are there, and their order; a row may be lost for a trial.
        pods: the pod table.
        usage: what pods use of their nodes.
        objects: everything else.
        journal: the one undo journal.
        changes: where pods came and went since the rows got their places, so that cached states can catch up from
            where they stopped: another log means other rows.
        counts: sums over the pods of each node that several plugins keep.
        nominations: node name -> ids of pending pods nominated to it.
        in_flight: ids of the pods that are being scheduled together; nominations of theirs hold nothing for them.
        unlisted: pods whose affinity terms plugins overlook, see `Unlisted`.
        next_start: where the next search over the nodes begins (spec 01 §5.4).
        copied_labels: labels of a node that its pods are given when they are bound (spec 06 §2).
        looked_at: when the cluster was as it is here, in nanoseconds since 1970; None: not known.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        pods: Iterable[AdmittedPod | PodRecord],
        objects: ObjectStore,
        classes: PodClasses | None = None,
        schedulers: Collection[str] | None = None,
        *,
        gated_are_nominated: bool = False,
    ) -> None:
        """Build the columns.

        Args:
            nodes: through admission, in order of addition (an API server lists them by name).
            pods: through admission, in order of arrival, without terminal ones; records of a cluster with the
                same classes save working them out again. One that states a node which is not there is on no node,
                and is not pending either.
            objects: everything else.
            classes: the classes known so far, which may be those of a similar cluster; None: none.
            schedulers: the `schedulerName`s of the pods that are queued; None: all.
            gated_are_nominated: whether the nomination of a pod with gates counts.
        """
        self._schedulers = schedulers
        self._gated_are_nominated = gated_are_nominated
        self.pods = PodTable(PodClasses() if classes is None else classes, pods)
        self._resources = self.pods.classes.resources
        self.nodes = NodeTable(nodes, self._resources)
        self.present = PresentNodes.whole(self.nodes.count)
        self.objects = objects
        self.journal = Journal()
        self.changes = pod_moves(self.nodes.count)
        self.nominations = Nominations(self.journal, self.nodes.count)
        self._place_as_loaded()
        self.in_flight: frozenset[int] = frozenset()
        self.unlisted = Unlisted()
        self.next_start = 0
        self.copied_labels: tuple[str, ...] = ()
        self.looked_at: int | None = None
        self.counts = PodSums(self)
        self._extensions: dict[type[object], object] = {}
        self._on_removal: list[Callable[[PodRecord], None]] = []
        self.usage = Usage(self.nodes.count, self.pods)

    def _place_as_loaded(self) -> None:
        """Put each pod on the node it states; those that state none are nominated as they state."""
        row_of = self.nodes.row_of
        self.pods.node[:] = [row_of.get(record.pod.node_name, -1) for record in self.pods.records]
        for record in self.pods.records:
            self._nominate_as_written(record)

    def _nominate_as_written(self, record: PodRecord) -> None:
        """Note the nomination that a pod states, if kube-scheduler hears of it (spec 01 §8.1, 02 C.1).

        It does not of one of another scheduler or on a node, nor in some versions of one with gates.
        """
        pod = record.pod
        gated = pod.spec.scheduling_gates and not self._gated_are_nominated
        if pod.nominated_node_name and self.queues(record) and not gated and not pod.node_name:
            self.nominations.enter(record, pod.nominated_node_name)

    def queues(self, pod: PodRecord) -> bool:
        """Whether a pending pod is in the queue: whether its scheduler is one of this configuration."""
        return self._schedulers is None or pod.pod.spec.scheduler_name in self._schedulers

    @property
    def resources(self) -> ResourceIndex:
        """Resource name -> column."""
        return self._resources

    def extension(self, kind: type[E], make: Callable[[ClusterState], E]) -> E:
        """The part of the state that a package above keeps here (volumes, devices), made when first asked for.

        Its changes are recorded in the journal like all others.
        """
        found = self._extensions.get(kind)
        if found is None:
            found = self._extensions[kind] = make(self)
        return found  # type: ignore[return-value]

    def known_extension(self, kind: type[E]) -> E | None:
        """The same where it was asked for before, else None."""
        return self._extensions.get(kind)  # type: ignore[return-value]

    def on_removal(self, listener: Callable[[PodRecord], None]) -> None:
        """Let somebody hear of every pod that is taken off its node, who records their own changes in the journal."""
        self._on_removal.append(listener)

    def add_pod(self, pod: AdmittedPod) -> PodRecord:
        """Enter a pending pod, which no plugin sees: it is on no node, and nobody nominated it.

        Undo takes its row away again: the record is of use inside the fork only.
        """
        record = self.pods.add(pod)
        self.journal.record(self.pods.drop_last, seen=False)
        return record

    def add_pending(self, pod: AdmittedPod) -> PodRecord:
        """Enter a pod that waits in the queue: its nomination, if it has one, is seen by others."""
        record = self.add_pod(pod)
        self._nominate_as_written(record)
        return record

    def assume(self, pod: int, row: int) -> None:
        """Put a pod on a node, at the end of its list, and drop its nomination (spec 01 §7).

        It is as if the pod were bound at once: it has the labels that binding gives it.
        """
        assert self.pods.node[pod] < 0, "the pod is on a node already"
        self.drop_nomination(pod)
        before = self.pods.records[pod]
        self._copy_labels(before, row)
        busy = self._ports_busy(pod, row)
        self.pods.node[pod] = row
        self.usage.add(pod, row)
        self.changes.append(self._change(row, pod, 1))
        self.journal.record(lambda: self._unassume(before, row, busy))

    def assume_copies(self, pods: Sequence[int], copies: Sequence[AdmittedPod]) -> None:
        """Enter copies of pods that share a node, and put them there: as `add_pod` and `assume` of each would.

        Args:
            pods: ids of pods on one node, of which the copies are made in turn, round after round.
            copies: they, with names of their own.
        """
        if not copies:
            return
        (row,) = {int(self.pods.node[pod]) for pod in pods}
        assert row >= 0, "the pods are on no node"
        assert len(copies) % len(pods) == 0, "the last round is not whole"
        rounds, first = len(copies) // len(pods), len(self.pods)
        classes = [self.pods.records[pod].pod_class for pod in pods] * rounds
        records = self.pods.add_all(copies, classes)
        self.pods.node[first:] = row
        self.usage.add_equal(pods, rounds, row, first)
        self.changes.extend(PodMove(row, record, 1) for record in records)
        self.journal.record(lambda: self._drop_copies(pods, rounds, row))

    def _drop_copies(self, pods: Sequence[int], rounds: int, row: int) -> None:
        count = rounds * len(pods)
        gone = self.pods.records[len(self.pods) - count :]
        self.usage.take_off_equal(pods, rounds, row)
        self.pods.node[len(self.pods) - count :] = -1
        self.changes.extend(PodMove(row, record, -1) for record in gone)
        self.pods.drop_last(count)

    def _unassume(self, before: PodRecord, row: int, busy: list[bool]) -> None:
        pod = before.id
        self.usage.take_off(pod, row)
        self.pods.node[pod] = -1
        self._restore_ports(pod, row, busy)
        self.changes.append(self._change(row, pod, -1))
        self.pods.exchange(before)

    def _copy_labels(self, pod: PodRecord, row: int) -> None:
        """Give a pod the labels of its node that it gets when it is bound."""
        if not self.copied_labels:
            return
        found = self.nodes.labels(row)
        copied = {key: found[key] for key in self.copied_labels if key in found}
        if not copied.items() <= pod.pod.labels.items():
            metadata = replace(pod.pod.metadata, labels={**pod.pod.labels, **copied})
            labelled = replace(pod.pod, metadata=metadata)
            pod_class = self.pods.classes.relabelled(pod.pod_class, labelled)
            self.pods.exchange(PodRecord(pod.id, labelled, pod_class))

    def count_anew(self, pod: int, version: AdmittedPod) -> None:
        """Let the pod that a node was given last count as this version of it, of which only the status differs."""
        row = int(self.pods.node[pod])
        before = self.pods.records[pod]
        self._exchange(row, PodRecord(pod, version, self.pods.classes.of(version)))
        self.journal.record(lambda: self._exchange(row, before))

    def _exchange(self, row: int, record: PodRecord) -> None:
        pod = record.id
        self.usage.take_off(pod, row)
        self.changes.append(self._change(row, pod, -1))
        self.pods.exchange(record)
        self.usage.add(pod, row)
        self.changes.append(self._change(row, pod, 1))

    def _change(self, row: int, pod: int, sign: int) -> PodMove:
        return PodMove(row, self.pods.records[pod], sign)

    def restate(self, pod: int, version: AdmittedPod) -> PodRecord:
        """Put another version of a pod in its very place, of which only the status differs."""
        before = self.pods.records[pod].pod
        self.journal.record(lambda: self._restore(pod, before))
        return self.pods.restate(pod, version)

    def _restore(self, pod: int, version: AdmittedPod) -> None:
        self.pods.restate(pod, version)

    def replace(self, pod: int, version: AdmittedPod) -> PodRecord:
        """Put another version in the place of a pod: on its node it goes to the end of the list.

        Nominations are not looked at, and nobody takes the old version for deleted.
        """
        row = int(self.pods.node[pod])
        record = self.add_pod(version)
        if row >= 0:
            self.remove(pod, for_good=False)
            self.assume(record.id, row)
        return record

    def remove(self, pod: int, *, for_good: bool = True) -> None:
        """Take a pod off its node, as if it were deleted.

        Args:
            pod: the pod.
            for_good: let those hear of it who keep something of pods that are there; else it is only out of the
                way for a trial.
        """
        row = int(self.pods.node[pod])
        assert row >= 0, "the pod is on no node"
        busy = self._ports_busy(pod, row)
        place = self.usage.remove(pod, row)
        self.pods.node[pod] = -1
        self.changes.append(self._change(row, pod, -1))
        self.journal.record(lambda: self._unremove(pod, row, place, busy))
        for listener in self._on_removal if for_good else ():
            listener(self.pods.records[pod])

    def _unremove(self, pod: int, row: int, place: int, busy: list[bool]) -> None:
        self.usage.put_back(pod, row, place)
        self.pods.node[pod] = row
        self._restore_ports(pod, row, busy)
        self.changes.append(self._change(row, pod, 1))

    def _ports_busy(self, pod: int, row: int) -> list[bool]:
        """Which of a pod's ports are in use on the node: sets cannot tell who holds them, so undo must know."""
        return [bool(self.usage.ports.column(p)[row]) for p in self.pods.records[pod].pod_class.ports]

    def _restore_ports(self, pod: int, row: int, busy: list[bool]) -> None:
        for port, was in zip(self.pods.records[pod].pod_class.ports, busy, strict=True):
            self.usage.ports.column(port)[row] = was

    def nodes_by_addition(self) -> list[Node]:
        """The nodes that are there in order of addition: what `set_nodes` takes."""
        return [self.nodes.objects[row] for row in self.nodes.addition if self.present.mask[row]]

    def row_of(self, node: str) -> int | None:
        """The row of a node that is there; None where there is no such node."""
        row = self.nodes.row_of.get(node)
        return row if row is not None and self.present.mask[row] else None

    def lose_nodes(self, rows: Sequence[int]) -> None:
        """Take nodes away whose pods have left them; all else is as if the cluster had been built without them.

        The node table stays, so that what is kept per row stays good. Plugins answer for lost rows too, and nobody
        reads it: they are not in `present`.
        """
        before, start = self.present, self.next_start
        assert not any(self.usage.pods[row] for row in rows), "pods are on a node that is to be lost"
        mask = before.mask.copy()
        mask[list(rows)] = False
        self.present = PresentNodes.those_of(mask, np.array(self.nodes.addition), self.nodes.zones)
        self.next_start = start % max(self.present.count, 1)

        def undo() -> None:
            self.present, self.next_start = before, start

        self.journal.record(undo)

    def patch_nodes(self, nodes: Iterable[Node], *, reorder: bool = True) -> None:
        """Put other versions of nodes in their places, as if the cluster had been built with them.

        Rows stay, and so does what is kept of pods per row and of columns that are the same in the other version.

        Args:
            nodes: through admission, each under the name of a node of the table.
            reorder: let the snapshot have the order that follows from the zones of the nodes. A scheduler that runs
                keeps the order that it has until a node comes or goes (spec 01 §4).
        """
        table, zones, present = self.nodes, self.nodes.zones, self.present
        self.nodes = table.patched({table.row_of[node.name]: node for node in nodes})
        if reorder and self.nodes.zones is not zones:
            self.present = PresentNodes.those_of(present.mask, np.array(table.addition), self.nodes.zones)

        def undo() -> None:
            self.nodes, self.present = table, present

        self.journal.record(undo)

    def see_images(self, images: Mapping[str, ImageSpread]) -> None:
        """Let the scheduler see some images in another way than the nodes say: it holds what was true before."""
        table = self.nodes
        if not images and table.images is table.own_images:
            return
        self.nodes = table.seeing(images)

        def undo() -> None:
            self.nodes = table

        self.journal.record(undo)

    def set_objects(self, objects: ObjectStore, *, keep_derived: bool = False) -> None:
        """Exchange everything that is neither a node nor a pod.

        Args:
            objects: what there is from now on.
            keep_derived: what packages above keep here knows of the change already; else it is made anew.
        """
        before, derived, listeners = self.objects, self._extensions, self._on_removal
        sums = self.counts
        self.objects = objects
        if not keep_derived:
            self._extensions, self._on_removal = {}, []
            self.counts = PodSums(self)  # which pods count may depend on the labels of namespaces

        def undo() -> None:
            self.objects, self._extensions, self._on_removal = before, derived, listeners
            self.counts = sums

        self.journal.record(undo)

    def set_nodes(self, nodes: Sequence[Node], order: Sequence[str] | None = None) -> None:
        """Put another node table in place: nodes added, gone or changed; pods keep their nodes by name.

        Pods of a node that is gone are on no node. Whoever keeps something per row sees that `changes` is another
        log, also after undo.

        Args:
            nodes: through admission, in order of addition.
            order: their names in snapshot order; None: as it follows from the order of addition.
        """
        table, usage, start, present = self.nodes, self.usage, self.next_start, self.present
        node, place = self.pods.node.copy(), self.pods.place.copy()
        self.nodes = NodeTable(nodes, self._resources, table, order)
        self.changes = pod_moves(self.nodes.count)
        self.present = PresentNodes.whole(self.nodes.count)
        before = np.fromiter((table.row_of.get(name, -1) for name in self.nodes.names), np.int64)
        after = np.fromiter((self.nodes.row_of.get(name, -1) for name in table.names), np.int64)
        self.usage = usage.rearranged(before)
        self.pods.node[:] = np.append(after, -1)[node]
        self.next_start = start % max(self.nodes.count, 1)

        def undo() -> None:
            # Another log, so that no one who kept something for the old rows meanwhile takes it for current.
            self.nodes, self.changes, self.present = table, pod_moves(table.count), present
            self.usage, self.next_start = usage, start
            self.pods.node[: len(node)] = node
            self.pods.place[: len(place)] = place

        self.journal.record(undo)

    def nominate(self, pod: int, node: str) -> None:
        """Note that preemption made room for a pod on a node, replacing an earlier nomination."""
        self.drop_nomination(pod)
        self.nominations.enter(self.pods.records[pod], node)

    def drop_nomination(self, pod: int) -> None:
        """Forget the nomination of a pod, if it has one."""
        self.nominations.drop(self.pods.records[pod])

    def nominated_node(self, pod: int) -> str:
        """The node a pod is nominated to as others see it, empty for none."""
        return self.nominations.node_of(pod)

    def node_to_try_first(self, record: PodRecord) -> str:
        """The node a pod is nominated to in its own cycle, empty for none.

        That of a pod that does not wait in the queue is what it states: no one else sees it.
        """
        stated = record.pod.nominated_node_name
        return self.nominated_node(record.id) or ("" if self.nominations.was_cleared(record.id) else stated)

    def advance_start(self, examined: int, among: int | None = None) -> None:
        """Move the start of the next search on by the nodes just examined, of so many; None: of all."""
        before = self.next_start
        self.next_start = (before + examined) % max(self.present.count if among is None else among, 1)
        if self.next_start != before:
            self.journal.record(lambda: setattr(self, "next_start", before), seen=False)

    def mark(self) -> Mark:
        """A fork: what comes after it can be undone."""
        return self.journal.mark()

    def undo_to(self, mark: Mark) -> None:
        """Back to the fork."""
        self.journal.undo_to(mark)
