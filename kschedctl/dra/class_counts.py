"""How many devices of a class each node can use, and how many of them are taken (spec 02 D.8, D.9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.change_log import Follower
from kschedctl.dra.cel import DeviceSelectors
from kschedctl.dra.devices import DeviceEntry, PoolId, SliceEntry
from kschedctl.dra.node_match import NodeMatcher, NodeSelectionError
from kschedctl.dra.usage import DeviceUsage, PoolUsage
from kschedctl.objects.node import Node, changed_rows
from kschedctl.objects.resource import DeviceClass

Ints = npt.NDArray[np.int64]


class _Offer(Struct, eq=False):
    """Devices of the class that stand in one pool and serve the same nodes."""

    rows: Ints
    devices: tuple[str, ...]
    taken: int = 0

    def taken_in(self, usage: PoolUsage) -> int:
        return sum(usage.is_used(device) for device in self.devices)


class ClassCounts:
    """The devices of one class, node by node: what the scores take for an extended resource that they back.

    Neither generations nor completeness of pools, nor taints, are looked at: a score counts what it finds.

    Args:
        device_class: the class.
        nodes: all nodes, in the order of their rows.
        slices: what drivers offer.
        usage: the devices in use.
        selectors: evaluates the selectors of the class.

    Attributes:
        nodes: all nodes.
        total: int64 (N,), devices that each node can use, 0 where that cannot be said.
    """

    def __init__(
        self,
        device_class: DeviceClass,
        nodes: Sequence[Node],
        slices: Iterable[SliceEntry],
        usage: DeviceUsage,
        selectors: DeviceSelectors,
    ) -> None:
        self.nodes = nodes
        self.total: Ints = np.zeros(len(nodes), np.int64)
        self._expressions = [s.cel.expression if s.cel else "" for s in device_class.spec.selectors]
        self._selectors = selectors
        self._usage = usage
        self._taken: Ints = np.zeros(len(nodes), np.int64)
        self._follower = Follower(usage.changes, 0)
        self._row_of = {node.name: row for row, node in enumerate(nodes)}
        self._offers: dict[PoolId, list[_Offer]] = defaultdict(list)
        unknown = np.zeros(len(nodes), bool)
        for entry in slices:
            for matcher, devices in _served(entry):
                self._offer(entry.pool, matcher, devices, unknown)
        self.total[unknown] = 0

    def follow(self, nodes: Sequence[Node]) -> bool:
        """Be about other versions of the nodes from now on; False where other devices may serve them."""
        rows = changed_rows(self.nodes, nodes)
        if rows is None or any(nodes[r].metadata.labels != self.nodes[r].metadata.labels for r in rows):
            return False
        self.nodes = nodes
        return True

    def taken(self) -> Ints:
        """int64 (N,): how many of the devices of each node are in use, wholly or in part."""
        news = self._follower.news()
        for pool in self._offers if news is None else set(news):
            usage = self._usage.pool(pool)
            for offer in self._offers.get(pool, ()):
                before, offer.taken = offer.taken, offer.taken_in(usage)
                self._taken[offer.rows] += offer.taken - before
        return self._taken

    def _offer(
        self,
        pool: PoolId,
        matcher: NodeMatcher,
        devices: Sequence[DeviceEntry],
        unknown: npt.NDArray[np.bool_],
    ) -> None:
        """Count devices for the nodes that they serve; a problem leaves these nodes `unknown`, bool (N,)."""
        try:
            rows = self._rows(matcher)
        except NodeSelectionError:
            unknown[:] = True
            return
        if not len(rows):
            return
        verdicts = [self._is_of_class(device) for device in devices]
        if None in verdicts:
            unknown[rows] = True
        chosen = tuple(device.name for device, yes in zip(devices, verdicts, strict=True) if yes)
        if chosen:
            self.total[rows] += len(chosen)
            self._offers[pool].append(_Offer(rows, chosen))

    def _rows(self, matcher: NodeMatcher) -> Ints:
        """Rows of the nodes that a matcher matches, int64.

        Raises:
            NodeSelectionError: the selector is bad.
        """
        if matcher.node_name:
            row = self._row_of.get(matcher.node_name)
            return np.array([] if row is None else [row], np.int64)
        return np.flatnonzero([matcher.matches(node) for node in self.nodes]).astype(np.int64)

    def _is_of_class(self, device: DeviceEntry) -> bool | None:
        """Whether all selectors of the class select a device; None where one has no answer."""
        for expression in self._expressions:
            answer = self._selectors.matches(expression, device.facts)
            if answer is not True:
                return None if answer else False
        return True


def _served(entry: SliceEntry) -> Iterable[tuple[NodeMatcher, Sequence[DeviceEntry]]]:
    """The devices of a slice by the nodes that they serve."""
    if entry.per_device:
        return [(device.matcher, (device,)) for device in entry.devices]
    return [(entry.matcher, entry.devices)] if entry.devices else []
