"""Devices for all claims of a pod, node by node; equal nodes are searched once (spec 05 §4)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.dra.attempt import DevicePlacement
from kschedctl.dra.cel import DeviceSelectors
from kschedctl.dra.class_counts import ClassCounts
from kschedctl.dra.devices import DeviceId
from kschedctl.dra.errors import AllocationError
from kschedctl.dra.features import Features
from kschedctl.dra.node_keys import NodeKeys, RowKeys
from kschedctl.dra.pools import SliceIndex
from kschedctl.dra.requests import ClassLookup, compile_claims
from kschedctl.dra.results import allocation
from kschedctl.dra.search import Cycle, DeviceSearch
from kschedctl.dra.selection import Selection
from kschedctl.dra.trace import RequestTrace, SearchTrace, device_at
from kschedctl.dra.usage import DeviceUsage
from kschedctl.objects.node import Node
from kschedctl.objects.resource import AllocationResult, DeviceClass, ResourceClaim


class Solution(Struct, frozen=True):
    """Devices for every claim, as positions: they mean the same on every equal node."""

    placements: tuple[tuple[DevicePlacement, ...], ...]


class NoSolution(Struct, frozen=True):
    """The node does not have the devices."""

    invalid_pools: bool
    """Whether a pool that the node sees contradicts itself."""


class AllocatorFailure(Struct, frozen=True):
    """The pod cannot be scheduled at all, for a reason that has nothing to do with a lack of devices."""

    text: str


Outcome = Solution | NoSolution | AllocatorFailure


class _Kind(Struct):
    """What is known of claims that are equal but for their names."""

    selection: Selection
    keys: NodeKeys
    rows: RowKeys | None = None
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    """By the key of a node."""


class Allocator:
    """Finds devices in the slices of a cluster; lives as long as slices and classes stay the same."""

    def __init__(
        self, features: Features, slices: SliceIndex, usage: DeviceUsage, find_class: ClassLookup
    ) -> None:
        self.features = features
        self.slices = slices
        self.usage = usage
        self._find_class = find_class
        lists = features.list_attributes or features.allocator.selectors_see_lists
        self._selectors = DeviceSelectors(lists=lists)
        self._kinds: dict[Hashable, _Kind] = {}
        self._counts: dict[str, ClassCounts] = {}

    def cycle(self, claims: Sequence[ResourceClaim]) -> AllocationCycle:
        """The allocation of these claims, all for one pod, against the devices in use at this moment."""
        asks = compile_claims(claims, self._find_class, self.features)
        key = tuple(msgspec.json.encode(claim.spec) for claim in claims)
        kind = self._kinds.get(key)
        if kind is None:
            selection = Selection(asks, self._selectors)
            kind = self._kinds[key] = _Kind(selection, NodeKeys(self.slices, self.usage, selection))
        return AllocationCycle(self, Cycle(self.features, asks, kind.selection), kind)

    def counts(self, device_class: DeviceClass, nodes: Sequence[Node]) -> ClassCounts:
        """The devices of a class on each of all nodes.

        Raises:
            UnsupportedError: a selector needs something that is not there.
        """
        known = self._counts.get(device_class.name)
        if known is None or not (known.nodes is nodes or known.follow(nodes)):
            known = ClassCounts(device_class, nodes, self.slices.entries, self.usage, self._selectors)
            self._counts[device_class.name] = known
        return known


class AllocationCycle:
    """The claims of one pod and what was found for them."""

    def __init__(self, allocator: Allocator, cycle: Cycle, kind: _Kind) -> None:
        self._allocator = allocator
        self._cycle = cycle
        self._kind = kind
        self._traces: dict[int, SearchTrace] = {}

    @property
    def claims(self) -> tuple[ResourceClaim, ...]:
        """The claims to be allocated, in order."""
        return tuple(ask.claim for ask in self._cycle.claims)

    def allocate(self, node: Node) -> Outcome:
        """What the node has for the claims.

        Raises:
            UnsupportedError: the answer needs something that is not there.
        """
        try:
            key = self._kind.keys.key(node)
            known = self._kind.outcomes.get(key) if key is not None else None
            if known is None:
                known = self._search(node)
                if key is not None:
                    self._kind.outcomes[key] = known
        except AllocationError as error:
            return AllocatorFailure(error.text)
        return known

    def row_keys(self, nodes: Sequence[Node]) -> npt.NDArray[np.int64]:
        """Which of all nodes are equal for these claims, int64 (N,); see `RowKeys`.

        Raises:
            UnsupportedError: a selector needs something that is not there.
        """
        rows = self._kind.rows
        if rows is None or not (rows.nodes is nodes or rows.follow(nodes)):
            rows = self._kind.rows = RowKeys(nodes, self._kind.keys, self._allocator.usage)
        return rows.current()

    def results(self, solution: Solution, node: Node) -> tuple[AllocationResult, ...]:
        """The allocations, one per claim, that a solution for a node equal to this one gives here.

        Raises:
            AllocationError: a slice has a node selector that cannot be merged.
        """
        pools = self._allocator.slices.pools(node)
        return tuple(
            allocation(claim, placements, pools, node, self._allocator.features.allocator)
            for claim, placements in zip(self.claims, solution.placements, strict=True)
        )

    def devices(self, solution: Solution, node: Node) -> Iterator[tuple[DevicePlacement, DeviceId]]:
        """The devices that a solution for a node equal to this one takes here, claim by claim."""
        pools = self._allocator.slices.pools(node)
        for placement in chain.from_iterable(solution.placements):
            yield placement, device_at(pools, placement.place)

    def explain(self, node: Node) -> Iterator[RequestTrace]:
        """Which devices each request met on the node, and why it could not have them; equal nodes share a search."""
        try:
            key = self._kind.keys.key(node)
            pools = self._allocator.slices.pools(node)
        except AllocationError:  # no search has begun
            return
        trace = self._traces.get(key) if key is not None else None
        if trace is None:
            trace = self._trace(node)
            if key is not None:
                self._traces[key] = trace
        yield from trace.on(pools)

    def _trace(self, node: Node) -> SearchTrace:
        trace = SearchTrace()
        try:
            self._search(node, trace)
        except AllocationError:
            return trace
        return trace

    def _search(self, node: Node, trace: SearchTrace | None = None) -> Outcome:
        pools = self._allocator.slices.pools(node)
        usages = [self._allocator.usage.pool(view.id) for view in pools]
        placements = DeviceSearch(self._cycle, node, pools, usages, trace).run()
        if placements is None:
            tells = not self._allocator.features.allocator.invalid_pools_are_fatal
            return NoSolution(tells and any(view.invalid for view in pools))
        solution = Solution(placements)
        self.results(solution, node)
        return solution
