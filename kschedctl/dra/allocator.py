"""Devices for all claims of a pod, node by node; equal nodes are searched once (spec 05 §4)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import msgspec

from kschedctl.objects.node import Node
from kschedctl.objects.resource import AllocationResult, ResourceClaim

from .cel import DeviceSelectors
from .errors import AllocationError
from .features import Features
from .node_keys import NodeKeys
from .pools import SliceIndex
from .requests import ClassLookup, compile_claim
from .results import allocation
from .search import Cycle, Placement, Search
from .trace import SearchTrace
from .usage import DeviceUsage


@dataclass(frozen=True, slots=True)
class Solution:
    """Devices for every claim, as positions: they mean the same on every equal node."""

    placements: tuple[tuple[Placement, ...], ...]


@dataclass(frozen=True, slots=True)
class NoSolution:
    """The node does not have the devices."""

    invalid_pools: bool
    """Whether a pool that the node sees contradicts itself."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The pod cannot be scheduled at all, for a reason that has nothing to do with a lack of devices."""

    text: str


Outcome = Solution | NoSolution | Failure

Memo = dict[Hashable, dict[int, Outcome]]
"""Claims -> key of a node -> outcome."""


class Allocator:
    """Finds devices in the slices of a cluster; lives as long as slices and classes stay the same."""

    def __init__(
        self, features: Features, slices: SliceIndex, usage: DeviceUsage, find_class: ClassLookup
    ) -> None:
        self.features = features
        self.slices = slices
        self.usage = usage
        self.keys = NodeKeys(slices, usage)
        self._find_class = find_class
        self._selectors = DeviceSelectors()
        self._memo: Memo = {}

    def cycle(self, claims: Sequence[ResourceClaim]) -> AllocationCycle:
        """The allocation of these claims, all for one pod, against the devices in use at this moment."""
        asks = tuple(
            compile_claim(claim, i, self._find_class, self.features) for i, claim in enumerate(claims)
        )
        key = tuple(msgspec.json.encode(claim.spec) for claim in claims)
        return AllocationCycle(
            self, Cycle(self.features, asks, self._selectors), self._memo.setdefault(key, {})
        )


class AllocationCycle:
    """The claims of one pod and what was found for them."""

    def __init__(self, allocator: Allocator, cycle: Cycle, memo: dict[int, Outcome]) -> None:
        self._allocator = allocator
        self._cycle = cycle
        self._memo = memo

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
            key = self._allocator.keys.key(node)
            known = self._memo.get(key) if key is not None else None
            if known is None:
                known = self._search(node)
                if key is not None:
                    self._memo[key] = known
        except AllocationError as error:
            return Failure(error.text)
        return known

    def results(self, solution: Solution, node: Node) -> tuple[AllocationResult, ...]:
        """The allocations, one per claim, that a solution for a node equal to this one gives here.

        Raises:
            AllocationError: a slice has a node selector that cannot be merged.
        """
        pools = self._allocator.slices.pools(node)
        return tuple(
            allocation(claim, placements, pools, node, self._allocator.features)
            for claim, placements in zip(self.claims, solution.placements, strict=True)
        )

    def explain(self, node: Node) -> SearchTrace:
        """Which devices each request met on the node, and why it could not have them."""
        trace = SearchTrace()
        try:
            self._search(node, trace)
        except AllocationError:
            return trace
        return trace

    def _search(self, node: Node, trace: SearchTrace | None = None) -> Outcome:
        pools = self._allocator.slices.pools(node)
        usages = [self._allocator.usage.pool(view.id) for view in pools]
        placements = Search(self._cycle, node, pools, usages, trace).run()
        if placements is None:
            invalid = not self._allocator.features.legacy and any(view.invalid for view in pools)
            return NoSolution(invalid)
        solution = Solution(placements)
        self.results(solution, node)
        return solution
