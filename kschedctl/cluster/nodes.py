"""The node table: what does not change while pods come and go. Rows are nodes in snapshot order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.images import ImageSpread, image_table
from kschedctl.cluster.labels import LabelColumn, Mask, NodeLabels
from kschedctl.cluster.node_order import snapshot_order, zone_key
from kschedctl.cluster.resources import ResourceIndex, widened
from kschedctl.objects.node import Node, Taint
from kschedctl.objects.pod_requests import to_resource_units
from kschedctl.objects.quantity import parse
from kschedctl.objects.selectors import NodeTerm, Requirement


class NodeTable:
    """N nodes as columns; row i is the i-th node of the scheduler's snapshot order (spec 01 §4).

    A table is a value. One in which some nodes are patched is another table that shares every column that the patch
    leaves as it was: who keeps something of a column sees by its identity whether that still holds.

    Attributes:
        objects: the nodes, by row.
        names: their names, by row.
        row_of: name -> row.
        addition: rows in order of addition.
        unschedulable: bool (N,), cordoned.
        allowed_pods: int64 (N,), allocatable `pods`.
        taints: the distinct taints of all nodes; patches may leave some that no node carries any more.
        taint_counts: int64 (N, T), how often each node carries each distinct taint.
        label_columns: the labels as columns.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        resources: ResourceIndex,
        before: NodeTable | None = None,
        order: Sequence[str] | None = None,
    ) -> None:
        """Build the table from nodes in order of addition, already through admission.

        What nodes can allocate is taken from the table `before` where it holds the same objects. The order of the
        rows is `order`, names, where it is given: it need not follow from the order of addition once nodes went.
        """
        if order is None:
            rows = snapshot_order([node.metadata.labels for node in nodes])
            self.objects: tuple[Node, ...] = tuple(nodes[i] for i in rows)
        else:
            by_name = {node.name: node for node in nodes}
            self.objects = tuple(by_name[name] for name in order)
        self.names: list[str] = [node.name for node in self.objects]
        self.row_of: dict[str, int] = {name: row for row, name in enumerate(self.names)}
        self.addition: list[int] = [self.row_of[node.name] for node in nodes]
        self._resources = resources
        count = len(self.objects)
        self.unschedulable = np.fromiter((n.spec.unschedulable for n in self.objects), bool, count)
        self.allowed_pods = np.zeros(count, np.int64)
        self._allocatable = np.zeros((count, len(resources)), np.int64)
        self._fill_allocatable(before)
        self.label_columns = NodeLabels(self.names, [node.metadata.labels for node in self.objects])
        self.taints: tuple[Taint, ...] = tuple(dict.fromkeys(t for n in self.objects for t in n.spec.taints))
        self.taint_counts = _taint_counts(self.objects, self.taints)
        self._patches: dict[int, Node] = {}
        self._seen_images: Mapping[str, ImageSpread] = {}
        self._image_sizes = {} if before is None else before._sizes_known_to(self)

    def _sizes_known_to(self, after: NodeTable) -> dict[str, int]:
        """Image name -> size, for images whose size may have been reported by a node that another table lacks.

        The scheduler keeps the size that it saw first for as long as any node has the image.
        """
        staying = np.fromiter((_has_images_of(after, node) for node in self.objects), bool, self.count)
        names = set(self._image_sizes)
        for row in np.flatnonzero(~staying).tolist():
            names.update(name for image in self.objects[row].status.images for name in image.names)
        if not names:
            return {}
        return {
            name: spread.size
            for name, spread in self.images.items()
            if name in names and staying[spread.rows].any()
        }

    def patched(self, nodes: Mapping[int, Node]) -> NodeTable:
        """The table with other versions of the nodes of some rows, under the same names.

        Rows stay where they are: whoever reads the table must not take their order for that of a snapshot where zones
        have changed (`PresentNodes.order`).
        """
        before = {row: self.objects[row] for row in nodes}

        def differs(of: Callable[[Node], object]) -> bool:
            return any(of(node) != of(before[row]) for row, node in nodes.items())

        twin = copy(self)
        objects = list(self.objects)
        for row, node in nodes.items():
            objects[row] = node
        twin.objects = tuple(objects)
        twin._patches = {**self._patches, **nodes}
        if differs(lambda node: node.spec.unschedulable):
            twin.unschedulable = self.unschedulable.copy()
            twin.unschedulable[list(nodes)] = [node.spec.unschedulable for node in nodes.values()]
        if differs(lambda node: node.status.allocatable):
            twin.allowed_pods, twin._allocatable = self.allowed_pods.copy(), self.allocatable.copy()
            twin._read_allocatable(list(nodes))
        if differs(lambda node: node.metadata.labels):
            twin.label_columns = self.label_columns.patched(
                {row: node.metadata.labels for row, node in nodes.items()}
            )
        if differs(lambda node: zone_key(node.metadata.labels)):
            vars(twin).pop("zones", None)
        if differs(lambda node: node.spec.taints):
            fresh = (taint for node in nodes.values() for taint in node.spec.taints)
            twin.taints = tuple(dict.fromkeys((*self.taints, *fresh)))
            twin.taint_counts = widened(self.taint_counts, len(twin.taints)).copy()
            twin.taint_counts[list(nodes)] = _taint_counts(list(nodes.values()), twin.taints)
        if differs(lambda node: node.status.images):
            vars(twin).pop("own_images", None)
            twin._image_sizes = self._sizes_known_to(twin)
        return twin

    def rows_unlike(self, other: NodeTable) -> npt.NDArray[np.int64]:
        """The rows on which another table, patched from the same one, holds another version, int64 (k,)."""
        rows = sorted(self._patches.keys() | other._patches.keys())
        return np.array([row for row in rows if self.objects[row] is not other.objects[row]], np.int64)

    def _fill_allocatable(self, before: NodeTable | None) -> None:
        rows = {} if before is None else {id(node): row for row, node in enumerate(before.objects)}
        known = np.fromiter((rows.get(id(node), -1) for node in self.objects), np.int64, self.count)
        if before is not None:
            self._allocatable = np.pad(before.allocatable, ((0, 1), (0, 0)))[known]
            self.allowed_pods = np.append(before.allowed_pods, 0)[known]
        self._read_allocatable(np.flatnonzero(known < 0).tolist())

    def _read_allocatable(self, rows: Sequence[int]) -> None:
        """Take what the nodes of some rows can allocate from their objects."""
        amounts = [allocatable_of(self.objects[row]) for row in rows]
        self.allowed_pods[rows] = [amount.pop("pods", 0) for amount in amounts]
        vectors = [self._resources.vector(amount) for amount in amounts]
        self._allocatable = widened(self._allocatable, len(self._resources))
        for row, vector in zip(rows, vectors, strict=True):
            self._allocatable[row, : len(vector)] = vector

    def __len__(self) -> int:
        return len(self.objects)

    @property
    def count(self) -> int:
        """Number of nodes N."""
        return len(self.objects)

    @property
    def allocatable(self) -> npt.NDArray[np.int64]:
        """int64 (N, resources): cpu in milli, the rest in whole units."""
        if self._allocatable.shape[1] < len(self._resources):
            self._allocatable = widened(self._allocatable, len(self._resources))
        return self._allocatable

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        """int64 (N,): all rows, read-only."""
        rows = np.arange(self.count)
        rows.flags.writeable = False
        return rows

    @cached_property
    def zones(self) -> npt.NDArray[np.int64]:
        """int64 (N,): the zone of each node as a number, for the order of the scheduler's snapshot."""
        keys = [zone_key(node.metadata.labels) for node in self.objects]
        number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return np.fromiter(map(number.__getitem__, keys), np.int64, self.count)

    @cached_property
    def own_images(self) -> dict[str, ImageSpread]:
        """Image name -> where it lies."""
        return image_table(self.objects, self.addition, self._image_sizes)

    @property
    def images(self) -> Mapping[str, ImageSpread]:
        """Image name -> where the scheduler sees it."""
        return {**self.own_images, **self._seen_images} if self._seen_images else self.own_images

    def seeing(self, images: Mapping[str, ImageSpread]) -> NodeTable:
        """The table with some images as the scheduler sees them, where that is not what the nodes say."""
        twin = copy(self)
        twin._seen_images = images
        return twin

    def labels(self, row: int) -> Mapping[str, str]:
        """Labels of one node."""
        return self.objects[row].metadata.labels

    def column(self, key: str) -> LabelColumn:
        """A label key over all nodes."""
        return self.label_columns.column(key)

    def mask_of(self, requirement: Requirement) -> Mask:
        """Which nodes meet a requirement, bool (N,), read-only."""
        return self.label_columns.mask(requirement)

    def mask_of_terms(self, terms: Sequence[NodeTerm]) -> Mask:
        """Which nodes match at least one of the terms, bool (N,)."""
        return self.label_columns.mask_of_terms(terms)

    def mask_of_equalities(self, pairs: Mapping[str, str]) -> Mask:
        """Which nodes carry all these labels, bool (N,)."""
        return self.label_columns.mask_of_equalities(pairs)


def allocatable_of(node: Node) -> dict[str, int]:
    """What a node can give to pods, in resource units: cpu in milli, the rest whole."""
    return {name: to_resource_units(name, parse(raw)) for name, raw in node.status.allocatable.items()}


def _has_images_of(table: NodeTable, node: Node) -> bool:
    """Whether a table holds a node, or one of its name with the same images."""
    row = table.row_of.get(node.name)
    if row is None:
        return False
    found = table.objects[row]
    return found is node or found.status.images == node.status.images


def _taint_counts(nodes: Sequence[Node], taints: Sequence[Taint]) -> npt.NDArray[np.int64]:
    index = {taint: i for i, taint in enumerate(taints)}
    counts = np.zeros((len(nodes), len(taints)), np.int64)
    for row, node in enumerate(nodes):
        for taint in node.spec.taints:
            counts[row, index[taint]] += 1
    return counts
