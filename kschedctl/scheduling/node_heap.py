"""The heap of scored nodes: of equal ones the moves of kube-scheduler's heap decide (spec 01, Appendix A)."""

from __future__ import annotations

from collections.abc import Iterable

Scored = tuple[int, int]
"""`(total, node)`; a node is whatever number its owner gives it."""


class NodeHeap:
    """Nodes by total, the highest first; of equal ones the one that the moves of the heap leave on top."""

    def __init__(self, nodes: Iterable[Scored]) -> None:
        """Order nodes that come in the order of the search."""
        self._nodes = list(nodes)
        for at in range(len(self._nodes) // 2 - 1, -1, -1):
            self._sink(at, len(self._nodes))

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def nodes(self) -> list[Scored]:
        """The nodes as they lie in the heap."""
        return list(self._nodes)

    def pop(self) -> Scored:
        """Take the best out."""
        last = len(self._nodes) - 1
        self._nodes[0], self._nodes[last] = self._nodes[last], self._nodes[0]
        self._sink(0, last)
        return self._nodes.pop()

    def _sink(self, at: int, count: int) -> None:
        while (child := 2 * at + 1) < count:
            if child + 1 < count and self._nodes[child + 1][0] > self._nodes[child][0]:
                child += 1
            if self._nodes[child][0] <= self._nodes[at][0]:
                return
            self._nodes[at], self._nodes[child] = self._nodes[child], self._nodes[at]
            at = child
