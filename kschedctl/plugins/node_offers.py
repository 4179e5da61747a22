"""What nodes offer by themselves of the resources that devices can stand in for (spec 05 §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.objects.node import Node, changed_rows
from kschedctl.objects.quantity import parse

Ints = npt.NDArray[np.int64]


def offer_of(node: Node, names: Sequence[str]) -> Mapping[str, int]:
    """Resource -> whole units that are allocatable, of those that the node has an entry for."""
    offered = node.status.allocatable
    return {name: parse(offered[name]).value() for name in names if name in offered}


class NodeOffers:
    """The distinct offers of all nodes: there are few of them, and nodes of one offer are asked together.

    Attributes:
        nodes: all nodes, in the order of their rows.
        distinct: the offers, resource -> whole units.
        number: int64 (N,), which of them each node makes.
    """

    def __init__(self, nodes: Sequence[Node], names: Sequence[str], before: NodeOffers | None = None) -> None:
        """Read the offers of nodes; those of the same versions of the same nodes are as they were `before`."""
        rows = None if before is None else changed_rows(before.nodes, nodes)
        self._numbers: dict[tuple[tuple[str, int], ...], int] = {}
        self.nodes: Sequence[Node] = nodes
        self.number: Ints = np.zeros(len(nodes), np.int64)
        if before is not None and rows is not None:
            self._numbers |= before._numbers
            self.number[:] = before.number
        for row in range(len(nodes)) if rows is None else rows:
            offer = tuple(offer_of(nodes[row], names).items())
            self.number[row] = self._numbers.setdefault(offer, len(self._numbers))
        self.distinct: tuple[Mapping[str, int], ...] = tuple(dict(offer) for offer in self._numbers)


class OfferIndex:
    """Offers by the resources that they are about; kept while the nodes are, but for changed ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], NodeOffers] = {}

    def of(self, nodes: Sequence[Node], names: Sequence[str]) -> NodeOffers:
        """What all nodes offer of these resources."""
        key = tuple(sorted(names))
        known = self._known.get(key)
        if known is None or known.nodes is not nodes:
            known = self._known[key] = NodeOffers(nodes, key, known)
        return known
