"""From which nodes devices can be used that claims have already (spec 05 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.objects.node import Node
from kschedctl.objects.selectors import NodeTerm

Mask = npt.NDArray[np.bool_]

_KEPT = 256
"""Selectors whose nodes are remembered: many pods share a claim, but a claim for each pod is asked for once."""


class ReachIndex:
    """The nodes that the selectors of allocations select; kept while the node table is."""

    def __init__(self) -> None:
        self._nodes: Sequence[Node] = ()
        self._known: dict[tuple[NodeTerm, ...], Mask] = {}

    def of(self, nodes: Sequence[Node], terms: tuple[NodeTerm, ...]) -> Mask:
        """Which of all nodes the terms select, bool (N,)."""
        if self._nodes is not nodes or len(self._known) >= _KEPT:
            self._nodes = nodes
            self._known.clear()
        known = self._known.get(terms)
        if known is None:
            selected = (
                any(term.matches(node.metadata.labels, node.name) for term in terms) for node in nodes
            )
            known = self._known[terms] = np.fromiter(selected, bool, len(nodes))
        return known
