"""What an allocation reads of a node, as a key: equal nodes are searched once.

Two nodes have one key where their pools differ in names alone and the same devices, by position, are in use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from kschedctl.objects.node import Node

from .counters import available
from .devices import Interner, PoolId
from .node_match import NodeSelectionError
from .pools import PoolView, SliceIndex
from .usage import UNUSED, DeviceUsage, PoolUsage


class NodeKeys:
    """Keys of nodes, kept until the usage of a pool that the node sees changes."""

    def __init__(self, slices: SliceIndex, usage: DeviceUsage) -> None:
        self._slices = slices
        self._usage = usage
        self._seen_changes = len(usage.changes)
        self._keys: dict[str, tuple[Node, int | None]] = {}
        self._watchers: dict[PoolId, set[str]] = defaultdict(set)
        self._numbers = Interner()
        self._pool_keys: dict[tuple[PoolView, PoolUsage], Hashable] = {}

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

    def _refresh(self) -> None:
        changes = self._usage.changes
        for pool in changes[self._seen_changes :]:
            for name in self._watchers.get(pool, ()):
                self._keys.pop(name, None)
        self._seen_changes = len(changes)

    def _content(self, node: Node, pools: Sequence[PoolView]) -> Hashable | None:
        names: dict[str, int] = {}
        parts: list[Hashable] = []
        for view in pools:
            if view.counters and self._slices.counters_are_ambiguous(view.id):
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
            known = self._numbers.number(_pool_content(view, usage))
            self._pool_keys[view, usage] = known
        return known


def _served(view: PoolView, node: Node) -> Hashable | None:
    """Which devices of per-device slices are for the node; None where that cannot be said."""
    try:
        return tuple(device.matcher.matches(node) for entry, device in view.devices if entry.per_device)
    except NodeSelectionError:
        return None


def _pool_content(view: PoolView, usage: PoolUsage) -> Hashable:
    base = (view.id.driver, view.shape, bool(view.incomplete), bool(view.invalid))
    if usage is UNUSED and not view.counters:
        return base
    exclusive = tuple(i for i, (_, device) in enumerate(view.devices) if device.name in usage.exclusive)
    consumed = tuple(
        (i, tuple(sorted(usage.consumed[device.name].items())))
        for i, (_, device) in enumerate(view.devices)
        if device.name in usage.consumed
    )
    left = tuple((name, tuple(values.items())) for name, values in available(view, usage).items())
    return (base, exclusive, consumed, left)
