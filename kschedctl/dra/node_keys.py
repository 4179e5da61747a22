"""What an allocation reads of a node, as a key: equal nodes are searched once.

Two nodes have one key where the claims in question cannot tell their pools apart, and where the same devices, by
position, are in use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.dra.compatibility import in_use
from kschedctl.dra.counters import available
from kschedctl.dra.devices import Interner, PoolId
from kschedctl.dra.errors import AllocationError
from kschedctl.dra.node_match import NodeSelectionError
from kschedctl.dra.node_operations import declares_optional_operations
from kschedctl.dra.pools import PoolView, SliceIndex
from kschedctl.dra.selection import Selection
from kschedctl.dra.usage import UNUSED, DeviceUsage, PoolUsage
from kschedctl.objects.node import Node, changed_rows


class NodeKeys:
    """Keys of nodes, kept until the usage of a pool that the node sees changes."""

    def __init__(self, slices: SliceIndex, usage: DeviceUsage, selection: Selection) -> None:
        self._slices = slices
        self._selection = selection
        self._usage = usage
        self._follower = usage.changes.follow()
        self._keys: dict[str, tuple[Node, int | None]] = {}
        self._watchers: dict[PoolId, set[str]] = defaultdict(set)
        self._numbers = Interner()
        self._pool_keys: dict[tuple[PoolView, PoolUsage], Hashable] = {}
        self._pool_frames: dict[PoolView, int] = {}

    def key(self, node: Node) -> int | None:
        """The key of a node, None where it must be searched by itself.

        Raises:
            AllocationError: a node selector is bad.
        """
        self._refresh()
        known = self._keys.get(node.name)
        if known is None or known[0] is not node:
            pools = self._slices.pools(node)
            for view in pools:
                self._watchers[view.id].add(node.name)
            content = self._content(node, pools)
            known = (node, None if content is None else self._numbers.number(content))
            self._keys[node.name] = known
        return known[1]

    def watchers(self, news: Sequence[PoolId] | None) -> Iterable[str]:
        """Names of the nodes that see a pool which changed; None: any pool may have."""
        pools = self._watchers if news is None else dict.fromkeys(news)
        return {name for pool in pools for name in self._watchers.get(pool, ())}

    def _refresh(self) -> None:
        for name in self.watchers(self._follower.news()):
            self._keys.pop(name, None)

    def _content(self, node: Node, pools: Sequence[PoolView]) -> Hashable | None:
        names: dict[str, int] = {}
        parts: list[Hashable] = []
        if self._slices.features.optional_node_operations:
            parts.append(declares_optional_operations(node))
        for view in pools:
            if view.books and self._slices.counters_are_ambiguous(view.id):
                return None
            own = _served(view, node)
            if own is None:
                return None
            alias = names.setdefault(view.id.name, len(names))
            parts.append((alias, self._pool_key(view, self._usage.pool(view.id)), own))
        return tuple(parts)

    def _pool_key(self, view: PoolView, usage: PoolUsage) -> Hashable:
        known = self._pool_keys.get((view, usage))
        if known is None:
            known = self._numbers.number((self._frames(view), self._in_use(view, usage)))
            self._pool_keys[view, usage] = known
        return known

    def _frames(self, view: PoolView) -> int:
        """The devices of a pool, as far as the claims can tell them apart."""
        known = self._pool_frames.get(view)
        if known is None:
            devices = tuple((entry.frame, self._selection.aspect(device)) for entry, device in view.devices)
            content = (view.id.driver, bool(view.incomplete), bool(view.invalid), devices)
            known = self._pool_frames[view] = self._numbers.number(content)
        return known

    def _in_use(self, view: PoolView, usage: PoolUsage) -> Hashable:
        """Which devices are taken, by position, and what is left of what they share."""
        if usage is UNUSED and not view.books:
            return ()
        names = [device.name for _, device in view.devices]
        taken = tuple((i, name in usage.exclusive) for i, name in enumerate(names) if usage.is_used(name))
        consumed = tuple(
            (i, tuple(sorted(usage.consumed[name].items())))
            for i, name in enumerate(names)
            if name in usage.consumed
        )
        rules = self._slices.features.allocator
        left = tuple(
            (name, tuple(values.items()))
            for book in view.all_books
            for name, values in available(book, usage, rules).items()
        )
        if not self._slices.features.compatibility_groups:
            return (taken, consumed, left)
        return (taken, consumed, left, tuple(tuple(in_use(book, usage).items()) for book in view.all_books))


class RowKeys:
    """The keys of all nodes of a table, brought up to date by looking at the changed ones alone."""

    def __init__(self, nodes: Sequence[Node], keys: NodeKeys, usage: DeviceUsage) -> None:
        self.nodes = nodes
        self._source = keys
        self._usage = usage
        self._row_of = {node.name: row for row, node in enumerate(nodes)}
        self._keys = np.fromiter(map(self._key, range(len(nodes))), np.int64, len(nodes))
        self._follower = usage.changes.follow()

    def follow(self, nodes: Sequence[Node]) -> bool:
        """Be about other versions of the nodes from now on; False where they are not the same nodes."""
        rows = changed_rows(self.nodes, nodes)
        if rows is None:
            return False
        self.nodes = nodes
        for row in rows:
            self._keys[row] = self._key(row)
        return True

    def current(self) -> npt.NDArray[np.int64]:
        """int64 (N,): equal for nodes that need to be searched only once, negative where each one needs to."""
        for name in self._source.watchers(self._follower.news()):
            row = self._row_of[name]
            self._keys[row] = self._key(row)
        return self._keys

    def _key(self, row: int) -> int:
        try:
            key = self._source.key(self.nodes[row])
        except AllocationError:  # told by the search on this node
            key = None
        return -1 - row if key is None else key


def _served(view: PoolView, node: Node) -> Hashable | None:
    """Which devices of per-device slices are for the node; None where that cannot be said."""
    try:
        return tuple(device.matcher.matches(node) for entry, device in view.devices if entry.per_device)
    except NodeSelectionError:
        return None
