"""Which pools of devices a node sees, and whether they can be used (spec 05 §4.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from kschedctl.objects.node import Node

from .devices import DeviceEntry, PoolId, SliceEntry
from .errors import AllocationError
from .features import Features
from .node_match import NodeSelectionError


@dataclass(frozen=True, slots=True, eq=False)
class PoolView:
    """A pool as one node sees it: the slices of the newest generation that are for this node."""

    id: PoolId
    incomplete: str
    """Why the pool is not whole, empty where it is."""
    invalid: str
    """Why the pool contradicts itself, empty where it does not."""
    devices: tuple[tuple[SliceEntry, DeviceEntry], ...]
    """In the order in which they are tried."""
    counters: dict[str, dict[str, int]]
    """Counter set -> counter -> total in nano units."""
    elsewhere: tuple[DeviceEntry, ...]
    """Devices of the same generation that are not for this node, but take from the same counters."""
    binding: bool
    """Whether a device has binding conditions: such pools are tried last."""

    @property
    def usable(self) -> bool:
        """Whether devices of the pool can be allocated."""
        return not (self.incomplete or self.invalid)


class SliceIndex:
    """All slices of the cluster, and the pools that each node sees in them."""

    def __init__(self, features: Features, slices: Iterable[SliceEntry]) -> None:
        self.features = features
        self._by_node: dict[str, list[SliceEntry]] = defaultdict(list)
        self._shared: list[SliceEntry] = []
        self._by_pool: dict[PoolId, list[SliceEntry]] = defaultdict(list)
        self._views: dict[str, tuple[Node, tuple[PoolView, ...]]] = {}
        self._counter_views: tuple[PoolView, ...] | None = None
        self._counter_slices: dict[PoolId, list[SliceEntry]] = defaultdict(list)
        self._order: dict[SliceEntry, int] = {}
        for entry in slices:
            self._file(entry)
        self._names: dict[str, set[PoolId]] = defaultdict(set)
        for pool, entries in self._by_pool.items():
            if any(entry.counter_sets for entry in entries):
                self._names[pool.name].add(pool)

    def _file(self, entry: SliceEntry) -> None:
        spec = entry.spec.spec
        if not self.features.partitionable_devices and (
            spec.per_device_node_selection is not None or spec.shared_counters
        ):
            return
        self._order[entry] = len(self._order)
        self._by_pool[entry.pool].append(entry)
        if spec.shared_counters and not self.features.legacy:
            self._counter_slices[entry.pool].append(entry)
        elif spec.node_name:
            self._by_node[spec.node_name].append(entry)
        else:
            self._shared.append(entry)

    @property
    def entries(self) -> Iterable[SliceEntry]:
        """All slices that the features let count, in input order."""
        return self._order.keys()

    def pools(self, node: Node) -> tuple[PoolView, ...]:
        """The pools of a node, in the order in which they are tried.

        Pools that neither have a device for the node nor a problem are left out: nothing can tell them apart
        from pools that do not exist.

        Raises:
            AllocationError: a node selector is bad.
        """
        known = self._views.get(node.name)
        if known is None or known[0] is not node:
            known = self._views[node.name] = (node, self._gather(node))
        return known[1]

    def counters_are_ambiguous(self, pool: PoolId) -> bool:
        """Whether several pools with counters share a name and are not all of one node (spec 05 §4.6)."""
        owners = self._names.get(pool.name, ())
        if len(owners) < 2:
            return False
        nodes = {entry.spec.spec.node_name for owner in owners for entry in self._by_pool[owner]}
        return len(nodes) > 1 or None in nodes

    def _gather(self, node: Node) -> tuple[PoolView, ...]:
        relevant: dict[PoolId, list[SliceEntry]] = defaultdict(list)
        for entry in chain(self._by_node.get(node.name, ()), self._shared):
            if _serves(entry, node):
                relevant[entry.pool].append(entry)
        for pool, entries in relevant.items():
            entries += self._counter_slices.get(pool, ())
        views = [view for pool, entries in relevant.items() if (view := self._view(pool, entries))]
        views += [view for view in self._broken_counter_pools() if view.id not in relevant]
        views = [view for view in views if view.devices or not view.usable]
        return tuple(sorted(views, key=lambda view: (view.binding, view.id)))

    def _broken_counter_pools(self) -> tuple[PoolView, ...]:
        """Pools with a problem, as nodes see them that only see their counters."""
        if self._counter_views is None:
            views = (self._view(pool, entries) for pool, entries in self._counter_slices.items())
            self._counter_views = tuple(v for v in views if v and not v.usable)
        return self._counter_views

    def _view(self, pool: PoolId, relevant: Sequence[SliceEntry]) -> PoolView | None:
        """The view of a pool, None where newer slices elsewhere make it obsolete."""
        generation = max(entry.generation for entry in relevant)
        kept = sorted((e for e in relevant if e.generation == generation), key=self._order.__getitem__)
        elsewhere: list[SliceEntry] = []
        found = len(kept)
        if found != kept[0].count and not self.features.legacy:
            everywhere = self._by_pool[pool]
            if any(entry.generation > generation for entry in everywhere):
                return None
            same = [entry for entry in everywhere if entry.generation == generation]
            elsewhere = [entry for entry in same if entry not in kept]
            found = len(same)
        incomplete, invalid = "", ""
        if found != kept[0].count:
            incomplete = f"{found} of {kept[0].count} slices of generation {generation}"
        kept = self._ordered(kept, not incomplete)
        if not incomplete or self.features.legacy:
            invalid = _invalid(kept, elsewhere, self.features)
        counters: dict[str, dict[str, int]] = {}
        for entry in kept:
            counters.update((name, dict(values)) for name, values in entry.counter_sets)
        devices = tuple((entry, device) for entry in kept for device in entry.devices)
        return PoolView(
            id=pool,
            incomplete=incomplete,
            invalid=invalid,
            devices=devices,
            counters=counters,
            elsewhere=tuple(device for entry in elsewhere for device in entry.devices),
            binding=any(device.spec.binding_conditions for _, device in devices),
        )

    def _ordered(self, kept: list[SliceEntry], complete: bool) -> list[SliceEntry]:
        if self.features.legacy:
            return sorted(kept, key=lambda e: any(d.spec.binding_conditions for d in e.devices))
        if complete and not self.features.stable:
            return sorted(kept, key=lambda entry: entry.name)
        return kept


def _serves(entry: SliceEntry, node: Node) -> bool:
    try:
        return entry.serves(node)
    except NodeSelectionError as error:
        text = f"gather pool information: failed to perform node selection for slice {entry.name}: {error}"
        raise AllocationError(text) from error


def _invalid(kept: Sequence[SliceEntry], elsewhere: Iterable[SliceEntry], features: Features) -> str:
    """Why a complete pool cannot be used, empty where it can."""
    names: set[str] = set()
    for entry in kept:
        for device in entry.devices:
            if device.name in names:
                return f"duplicate device name {device.name}"
            names.add(device.name)
    if features.legacy:
        return ""
    sets: dict[str, set[str]] = {}
    for entry in kept:
        for name, values in entry.counter_sets:
            if name in sets:
                return f"duplicate counter set name {name}"
            sets[name] = {counter for counter, _ in values}
    for entry in chain(kept, elsewhere):
        for device in entry.devices:
            for name, values in device.counters:
                if name not in sets:
                    return f"counter set {name} not found"
                for counter, _ in values:
                    if counter not in sets[name]:
                        return f"counter {counter} not found in counter set {name}"
    return ""
