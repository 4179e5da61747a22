"""From which nodes devices can be used that claims have already (spec 05 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.objects.node import Node, changed_rows
from kschedctl.objects.selectors import NodeTerm

Mask = npt.NDArray[np.bool_]

_KEPT = 256
"""Selectors whose nodes are remembered: many pods share a claim, but a claim for each pod is asked for once."""


class ReachIndex:
    """The nodes that the selectors of allocations select; kept while the nodes are, but for changed ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[NodeTerm, ...], tuple[Sequence[Node], Mask]] = {}

    def of(self, nodes: Sequence[Node], terms: tuple[NodeTerm, ...]) -> Mask:
        """Which of all nodes the terms select, bool (N,)."""
        before, mask = self._known.get(terms, ((), np.zeros(0, bool)))
        if before is nodes:
            return mask
        rows = changed_rows(before, nodes)
        if rows is None:
            rows, mask = list(range(len(nodes))), np.zeros(len(nodes), bool)
        else:
            mask = mask.copy()
        mask[rows] = [_is_selected(nodes[row], terms) for row in rows]
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[terms] = nodes, mask
        return mask


def _is_selected(node: Node, terms: tuple[NodeTerm, ...]) -> bool:
    return any(term.matches(node.metadata.labels, node.name) for term in terms)
