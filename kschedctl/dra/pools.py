"""Which pools of devices a node sees, and whether they can be used (spec 05 §4.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from kschedctl.dra.devices import DeviceEntry, PoolId, SliceEntry
from kschedctl.dra.errors import AllocationError
from kschedctl.dra.features import Features
from kschedctl.dra.node_match import NodeSelectionError
from kschedctl.dra.rules import CounterScope
from kschedctl.objects.node import Node
from kschedctl.objects.resource import ResourceSliceSpec


class CounterBook(Struct, frozen=True, eq=False):
    """Counters, and all devices that take from them."""

    key: Hashable
    """Equal for books that are kept as one (`CounterScope`)."""
    sets: Mapping[str, Mapping[str, int]]
    """Counter set -> counter -> total in nano units."""
    devices: tuple[DeviceEntry, ...]
    """Those that the node sees, then those of the same generation that are for other nodes."""


class PoolView(Struct, frozen=True, eq=False):
    """A pool as one node sees it: the slices of the newest generation that are for this node."""

    id: PoolId
    incomplete: str
    """Why the pool is not whole, empty where it is."""
    invalid: str
    """Why the pool contradicts itself, empty where it does not."""
    devices: tuple[tuple[SliceEntry, DeviceEntry], ...]
    """In the order in which they are tried."""
    books: Mapping[str, CounterBook]
    """By the name of a slice: where what its devices take is counted."""
    binding: bool
    """Whether a device has binding conditions: such pools are tried last."""

    @property
    def usable(self) -> bool:
        """Whether nothing is wrong with the pool."""
        return not (self.incomplete or self.invalid)

    @property
    def all_books(self) -> Iterable[CounterBook]:
        """Each book once."""
        return dict.fromkeys(self.books.values())


class SliceIndex:
    """All slices of the cluster, and the pools that each node sees in them."""

    def __init__(self, features: Features, slices: Iterable[SliceEntry]) -> None:
        self.features = features
        self._rules = features.allocator
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
        if not self.features.partitionable_devices and self._is_partitioned(spec):
            return
        self._order[entry] = len(self._order)
        self._by_pool[entry.pool].append(entry)
        if self._is_passed_over(entry):
            return
        if spec.shared_counters and self._rules.counters_reach_every_node:
            self._counter_slices[entry.pool].append(entry)
        elif spec.node_name:
            self._by_node[spec.node_name].append(entry)
        else:
            self._shared.append(entry)

    def _is_passed_over(self, entry: SliceEntry) -> bool:
        """Whether a slice does not count since its devices have compatibility groups, which are switched off."""
        known = self.features.rules.alpha_fields_exist and not self.features.compatibility_groups
        return known and entry.has_groups

    def _is_partitioned(self, spec: ResourceSliceSpec) -> bool:
        if spec.per_device_node_selection is not None:
            return True
        return bool(spec.shared_counters) and self._rules.counter_scope is not CounterScope.SLICE

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
        """Whether pools with counters share a name and a book, and are not all of one node (spec 05 §4.6)."""
        if self._rules.counter_scope is not CounterScope.POOL_NAME:
            return False
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
        kept = self._in_order(entry for entry in relevant if entry.generation == generation)
        elsewhere: list[SliceEntry] = []
        found, wanted = len(kept), kept[0].count
        if found != wanted and self._rules.sees_whole_pools:
            everywhere = self._by_pool[pool]
            if any(entry.generation > generation for entry in everywhere):
                return None
            same = [
                entry
                for entry in everywhere
                if entry.generation == generation and not self._is_passed_over(entry)
            ]
            elsewhere = [entry for entry in same if entry not in kept]
            found = len(same)
        incomplete, invalid = "", ""
        if found != wanted:
            incomplete = f"{found} of {wanted} slices of generation {generation}"
        elif self._rules.slices_go_by_name:
            kept.sort(key=lambda entry: entry.name)
        if not incomplete or self._rules.uses_incomplete_pools:
            invalid = self._invalid(kept, elsewhere)
        devices = tuple((entry, device) for entry in kept for device in entry.devices)
        whole = self._rules.uses_incomplete_pools or not (incomplete or invalid)
        return PoolView(
            id=pool,
            incomplete=incomplete,
            invalid=invalid,
            devices=devices,
            books=self._books(pool, kept, elsewhere),
            binding=whole and any(device.spec.binding_conditions for _, device in devices),
        )

    def _in_order(self, entries: Iterable[SliceEntry]) -> list[SliceEntry]:
        """Slices in the order in which they are looked at."""
        listed = sorted(entries, key=self._order.__getitem__)
        if self._rules.conditional_slices_last:
            listed.sort(key=lambda entry: any(device.spec.binding_conditions for device in entry.devices))
        return listed

    def _books(
        self, pool: PoolId, kept: Sequence[SliceEntry], elsewhere: Sequence[SliceEntry]
    ) -> dict[str, CounterBook]:
        scope = self._rules.counter_scope
        if scope is CounterScope.SLICE:
            return {entry.name: _book(entry.name, (entry,)) for entry in kept if entry.counter_sets}
        if not any(entry.counter_sets for entry in chain(kept, elsewhere)):
            return {}
        book = _book(pool if scope is CounterScope.POOL else pool.name, (*kept, *elsewhere))
        return {entry.name: book for entry in kept}

    def _invalid(self, kept: Sequence[SliceEntry], elsewhere: Iterable[SliceEntry]) -> str:
        """Why a pool cannot be used, empty where it can."""
        names: set[str] = set()
        for entry in kept:
            for device in entry.devices:
                if device.name in names:
                    return f"duplicate device name {device.name}"
                names.add(device.name)
        if self._rules.counter_scope is CounterScope.SLICE or not self.features.partitionable_devices:
            return ""
        return _counter_problem((*kept, *elsewhere))


def _book(key: Hashable, entries: Sequence[SliceEntry]) -> CounterBook:
    return CounterBook(
        key=key,
        sets={name: dict(counters) for entry in entries for name, counters in entry.counter_sets},
        devices=tuple(device for entry in entries for device in entry.devices),
    )


def _serves(entry: SliceEntry, node: Node) -> bool:
    try:
        return entry.serves(node)
    except NodeSelectionError as error:
        text = f"gather pool information: failed to perform node selection for slice {entry.name}: {error}"
        raise AllocationError(text) from error


def _counter_problem(entries: Sequence[SliceEntry]) -> str:
    """What is wrong with the counters of a pool, empty where nothing is."""
    sets: dict[str, set[str]] = {}
    for name, values in chain.from_iterable(entry.counter_sets for entry in entries):
        if name in sets:
            return f"duplicate counter set name {name}"
        sets[name] = {counter for counter, _ in values}
    for device in chain.from_iterable(entry.devices for entry in entries):
        for name, values in device.counters:
            if name not in sets:
                return f"counter set {name} not found"
            for counter, _ in values:
                if counter not in sets[name]:
                    return f"counter {counter} not found in counter set {name}"
    return ""
