"""The claims of a pod in a cycle: what each node has for them, asked once for nodes that cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.rows import Rows
from kschedctl.dra.assume import Deallocation
from kschedctl.dra.explain import Holders, holders
from kschedctl.dra.ledger import ClaimLedger
from kschedctl.dra.node_allocatable import NodeAllocatable
from kschedctl.dra.node_operations import declares_optional_operations
from kschedctl.dra.pod_claims import NodeAnswer, NodeMisfit, PodClaims, allocation_cycle, filter_node
from kschedctl.objects.node import Node
from kschedctl.plugins.device_reach import ReachIndex
from kschedctl.plugins.node_offers import OfferIndex, offer_of

Ints = npt.NDArray[np.int64]


class DeviceClaimState(Struct, dict=True):
    """What DynamicResources knows of a pod from PreFilter on.

    Attributes:
        claims: its claims.
        ledger: who has which devices.
        offers: what nodes have by themselves of resources that devices back.
        reach: which nodes reach the devices that claims have.
        now: when the cluster was looked at, in nanoseconds; None: nobody says.
        binding_timeout: how long devices may take to get ready, in nanoseconds.
        unavailable: the positions of claims that some node cannot reach.
        decided: what PostFilter said; dry runs of preemption may find more claims unavailable, which changes nothing.
    """

    claims: PodClaims
    ledger: ClaimLedger
    offers: OfferIndex
    reach: ReachIndex
    now: int | None
    binding_timeout: int
    unavailable: set[int] = field(default_factory=set)
    decided: Deallocation | None = None
    _holders: Holders | None = None

    @cached_property
    def account(self) -> NodeAllocatable:
        """What pods take of their nodes by devices."""
        return NodeAllocatable(tuple(self.ledger.allocator.slices.entries), self.ledger.features.rules)

    @property
    def holders(self) -> Holders:
        """Who has which devices."""
        if self._holders is None:
            self._holders = holders(self.ledger.claims.values())
        return self._holders

    def answer(self, node: Node) -> NodeAnswer:
        """What the node has for the claims."""
        offer = offer_of(node, self._resources)
        return filter_node(
            self.claims, node, offer, self.ledger, now=self.now, binding_timeout=self.binding_timeout
        )

    def answers(self, rows: Rows, among: Ints) -> Iterator[tuple[Ints, NodeAnswer]]:
        """Answers for the rows `among`, int64 (k,), with the rows that each one is for; equal nodes share one."""
        for group in self._groups(rows, among):
            yield group, self.answer(rows.node(int(group[0])))

    def refusal(self, node: Node) -> str:
        """The text with which a node is refused, empty where it is not."""
        answer = self.answer(node)
        return answer.problem.text if isinstance(answer, NodeMisfit) else ""

    def _groups(self, rows: Rows, among: Ints) -> list[Ints]:
        """Rows whose nodes cannot be told apart, in each group in order."""
        index = rows.index[among]
        keys = self._device_keys(rows, index)
        for _, claim in (*self.claims.allocated, *self.claims.in_flight):
            if claim.terms is not None:
                reachable = self.reach.of(rows.cluster.nodes.objects, claim.terms)
                keys = _combined(keys, reachable[index].astype(np.int64))
            if claim.needs_optional_operations:
                keys = _combined(keys, np.array([declares_optional_operations(rows.node(r)) for r in among]))
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order])) + 1
        return [group for group in np.split(among[order], starts) if len(group)]

    @property
    def _resources(self) -> Sequence[str]:
        """The resources of which it matters what a node offers by itself."""
        return tuple(self.claims.special.requests) if self.claims.special is not None else ()

    def _device_keys(self, rows: Rows, index: Ints) -> Ints:
        """Keys of node rows by the devices there and by what the nodes offer by themselves, int64 (k,)."""
        nodes = rows.cluster.nodes.objects
        if self.claims.special is None:
            return self._keys(nodes, {})[index]
        offers = self.offers.of(nodes, self._resources)
        number, keys = offers.number[index], np.zeros(len(index), np.int64)
        for i in np.unique(number).tolist():
            at = number == i
            keys[at] = self._keys(nodes, offers.distinct[i])[index[at]]
        return _combined(keys, number)

    def _keys(self, nodes: Sequence[Node], offer: Mapping[str, int]) -> Ints:
        """Keys of all nodes, int64 (N,), as far as they make this offer."""
        cycle = allocation_cycle(self.claims, offer, self.ledger)
        return np.zeros(len(nodes), np.int64) if cycle is None else cycle.row_keys(nodes)


def _combined(keys: Ints, others: Ints) -> Ints:
    """Numbers that are equal where both keys are, int64 (k,)."""
    _, first = np.unique(keys, return_inverse=True)
    _, second = np.unique(others, return_inverse=True)
    return (first * (len(others) + 1) + second).astype(np.int64)
