"""Sums over the pods of each node that are kept up to date, so that nobody walks all pods twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.bounded_cache import MIB, BoundedCache
from kschedctl.cluster.change_log import ChangeLog, Follower, PodMove
from kschedctl.cluster.domains import domain_sums
from kschedctl.cluster.labels import LabelColumn

if TYPE_CHECKING:
    from kschedctl.cluster.state import ClusterState

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_MOST: Final = 64 * MIB
_FEW: Final = 8
"""So many classes are followed one by one."""
_KEPT_OF_CLASS: Final = 128
_DOMAIN_SUMS: Final = 4
"""So many labels and masks are summed over at a time."""


class _DomainSum(Struct, eq=False):
    """The sum over the nodes of each domain of a label, int64 (D,), or over those of them that a mask leaves."""

    column: LabelColumn
    among: Mask | None
    total: Ints
    met: Mask | None = None
    """Bool (N,), the nodes of domains with a sum above 0, once somebody has asked for them."""

    def add(self, row: int, amount: int) -> None:
        """Count more on a node."""
        code = self.column.codes[row]
        if code < 0 or not (self.among is None or self.among[row]):
            return
        before, now = self.total[code], self.total[code] + amount
        self.total[code] = now
        if self.met is not None and (now > 0) != (before > 0):
            self.met[self.column.codes == code] = now > 0


class PodCount(Struct):
    """One kept sum.

    Attributes:
        weights: int64 (C,), what a pod of each class adds.
        by_node: int64 (N,), the sums; not to be changed by others.
    """

    weights: Ints
    by_node: Ints
    follower: Follower[PodMove]
    """Of all pods."""
    _by_domain: list[_DomainSum] = field(default_factory=list)
    _amounts: dict[int, int] | None = None
    """The weights by single classes, those that add something."""
    _moves: MovesByClass | None = None
    _of_classes: list[Follower[PodMove]] | None = None
    """Of the classes that add something, in `_moves`; None where these are many."""

    def news(self, moves: MovesByClass) -> Sequence[PodMove] | None:
        """The moves since the last time of pods that add something, and of others maybe; None: too many."""
        if self._moves is moves and self._of_classes is not None:
            found: list[PodMove] = []
            for of_class in self._of_classes:
                fresh = of_class.news()
                if fresh is None:
                    self._moves = None
                    break
                found += fresh
            else:
                self.follower.seen = self.follower.log.end
                return found
        if self._moves is not moves:
            self.listen(moves)
        return self.follower.news()

    def listen(self, moves: MovesByClass) -> None:
        """Hear from now on of the classes alone that add something, where these are few."""
        counted = np.flatnonzero(self.weights).tolist()
        few = len(counted) <= _FEW
        self._moves, self._of_classes = moves, [moves.of(i).follow() for i in counted] if few else None

    def weigh(self, weights: Ints) -> None:
        """Take over what pods of new classes add; `news` tells then what they did so far."""
        known = len(self.weights)
        fresh = (np.flatnonzero(weights[known:]) + known).tolist()
        self.weights, self._amounts = weights, None
        if self._moves is None or self._of_classes is None or len(self._of_classes) + len(fresh) > _FEW:
            self._moves = None
        else:
            self._of_classes += [Follower(self._moves.of(i), 0) for i in fresh]

    def amounts(self) -> dict[int, int]:
        """What a pod of each class adds, by the index of the class where that is not 0."""
        if self._amounts is None:
            counted = np.flatnonzero(self.weights)
            self._amounts = dict(zip(counted.tolist(), self.weights[counted].tolist(), strict=True))
        return self._amounts

    def by_domain(self, column: LabelColumn, among: Mask | None = None) -> Ints:
        """The sums over the nodes of each domain of a label, int64 (D,).

        Args:
            column: the label.
            among: bool (N,), the nodes that count; None for all. Kept for the next time that it is this very array.
        """
        return self._domains(column, among).total.copy()

    def met(self, column: LabelColumn) -> Mask:
        """The nodes with a label in whose domain the sum is above 0, bool (N,)."""
        kept = self._domains(column, None)
        if kept.met is None:
            above = np.append(kept.total > 0, False)  # without the label there is no domain
            kept.met = above[column.codes]
        return kept.met.copy()

    def _domains(self, column: LabelColumn, among: Mask | None) -> _DomainSum:
        for kept in self._by_domain:
            if kept.column is column and kept.among is among:
                return kept
        counted = self.by_node if among is None else np.where(among, self.by_node, 0)
        made = _DomainSum(column, among, domain_sums(column, counted))
        self._by_domain = [*self._by_domain[-_DOMAIN_SUMS + 1 :], made]
        return made

    def add(self, row: int, amount: int) -> None:
        """Count more on a node."""
        self.by_node[row] += amount
        for kept in self._by_domain:
            kept.add(row, amount)


class MovesByClass:
    """The latest moves of the pods of each class, for sums over few classes: they hear of no others."""

    def __init__(self, changes: ChangeLog[PodMove]) -> None:
        self._follower = changes.follow()
        self._logs: dict[int, ChangeLog[PodMove]] = {}

    def catch_up(self, changes: ChangeLog[PodMove]) -> bool:
        """Take in what moved since the last time; False where this is not known."""
        moves = self._follower.news() if self._follower.log is changes else None
        for move in moves or ():
            self.of(move.pod.pod_class.index).append(move)
        return moves is not None

    def of(self, pod_class: int) -> ChangeLog[PodMove]:
        """Those of a class, from now on where nobody has asked before."""
        log = self._logs.get(pod_class)
        if log is None:
            log = self._logs[pod_class] = ChangeLog(_KEPT_OF_CLASS)
        return log


class PodSums:
    """Sums by a key that says what is counted; each is advanced by the changes since it was last asked for."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._kept: BoundedCache[Hashable, PodCount] = BoundedCache(_MOST)
        self._by_class = MovesByClass(cluster.changes)

    def get(self, key: Hashable, weights: Callable[[], Ints], *, live_only: bool = False) -> PodCount:
        """The sum for a key.

        Args:
            key: equal keys must mean equal weights and the same `live_only`.
            weights: gives int64 (C,) for the classes there are; called for a new key and when there are new classes.
            live_only: leave out pods whose deletion has begun.
        """
        cluster = self._cluster
        if not self._by_class.catch_up(cluster.changes):
            self._by_class = MovesByClass(cluster.changes)
        kept, changes = self._kept.get(key), None
        if kept is not None and kept.follower.log is cluster.changes:
            if len(kept.weights) < len(cluster.pods.classes):
                kept.weigh(weights())
                self._kept.put(key, kept, kept.weights.nbytes + kept.by_node.nbytes)
            changes = kept.news(self._by_class)
        if kept is None or changes is None:
            own = weights()
            by_node = cluster.pods.sum_by_node(own, cluster.nodes.count, live_only=live_only)
            kept = PodCount(own, by_node, cluster.changes.follow())
            kept.listen(self._by_class)
            self._kept.put(key, kept, own.nbytes + by_node.nbytes)
            return kept
        if changes:
            self._advance(kept, changes, live_only)
        return kept

    def _advance(self, kept: PodCount, changes: Sequence[PodMove], live_only: bool) -> None:
        amounts = kept.amounts()
        for change in changes:
            added = amounts.get(change.pod.pod_class.index, 0)
            if added and not (live_only and change.pod.pod.is_terminating):
                kept.add(change.row, change.sign * added)
