"""The best of the same nodes time and again: whom the next equal pods take, without looking at all nodes each time.

As long as the same nodes pass, each keeps its place in the search, and with it its rank among nodes of the same total
(spec 01 §5.8). The nodes with the highest total are then a list that shrinks from its front as pods are placed; the
others are looked at once it is used up, or once one of them rises.
"""

from __future__ import annotations

from array import array
from bisect import insort
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.bounded_cache import MIB, BoundedCache
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.scheduling.row_answers import RowAnswers
from kschedctl.scheduling.tie_break import preorder_rank

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_MANY: Final = 128
"""With more changed rows than this it is cheaper to look at all."""
_LINE: Final = 256
"""So many nodes stand in line at a time."""
_MOST: Final = 4 * MIB
_NO_RANK: Final = np.iinfo(np.int64).max


class Leaders:
    """The nodes with the highest total among those that pass.

    Args:
        feasible: int64 (F,), F > 0, the rows that pass, in the order of the search.
        answers: the totals that change.
        fixed: int64 (N,), what is added to them.
    """

    def __init__(self, feasible: Ints, answers: RowAnswers, fixed: Ints) -> None:
        self.feasible = feasible
        self._answers = answers
        own = fixed[feasible]
        self._fixed = None if int(own.min()) == int(own.max()) else fixed
        """What is added to the totals, where that is not the same for all."""
        self._rank = np.full(len(fixed), -1, np.int64)
        ranks = preorder_rank(len(feasible).bit_length())
        self._rank[feasible] = ranks[: len(feasible)]
        by_rank = np.zeros(len(ranks), np.int64)
        by_rank[self._rank[feasible]] = feasible
        self._row_of = array("q", by_rank.tobytes())
        """The row of each rank, where there is one."""
        self._rank_of = array("q", self._rank.tobytes())
        self._fixed_of = None if self._fixed is None else array("q", fixed.tobytes())
        """The same by single rows."""
        self._follower = answers.changed.follow()
        self._top = 0
        self._last = _NO_RANK
        """Rank up to which nodes with the highest total stand in line."""
        self._line: list[int] = []
        """Their ranks with the sign turned, so that the first one comes last; some have left since."""
        self._waiting: set[int] = set()
        """Those that have not."""
        self._look_at_all()

    @property
    def nbytes(self) -> int:
        """What its arrays take, at most."""
        return 4 * self._rank.nbytes + 3 * self.feasible.nbytes

    def best(self) -> int:
        """The row that kube-scheduler takes of those with the highest total."""
        changed = self._follower.news()
        if changed is None or len(changed) > _MANY:
            self._look_at_all()
        else:
            self._take_in(changed)
        line, waiting, row_of = self._line, self._waiting, self._row_of
        while (row := row_of[-line[-1]]) not in waiting:
            line.pop()
        return row

    @property
    def tied(self) -> Ints:
        """The rows with the highest total, int64 (T,), T > 0, as they are now."""
        totals = self._totals()
        tied: Ints = self.feasible[totals == totals.max()]
        return tied

    def _totals(self) -> Ints:
        totals: Ints = self._answers.total[self.feasible]
        return totals if self._fixed is None else totals + self._fixed[self.feasible]

    def _look_at_all(self) -> None:
        totals = self._totals()
        self._top = int(totals.max())
        tied = self.feasible[totals == self._top]
        ranks = self._rank[tied]
        self._last = _NO_RANK
        if len(tied) > _LINE:
            first = np.argpartition(ranks, _LINE)[:_LINE]
            tied, ranks = tied[first], ranks[first]
            self._last = int(ranks.max())
        self._line = np.sort(-ranks).tolist()
        self._waiting = set(tied.tolist())

    def _take_in(self, changed: Sequence[int]) -> None:
        """Keep the line true after the totals of some rows changed."""
        totals, fixed, ranks = self._answers.totals, self._fixed_of, self._rank_of
        top, waiting = self._top, self._waiting
        for row in changed:
            total = totals[row] if fixed is None else totals[row] + fixed[row]
            if total < top:
                waiting.discard(row)
            elif (rank := ranks[row]) < 0:
                continue
            elif total > top:
                self._top, self._last, self._line = total, _NO_RANK, [-rank]
                top = total
                waiting.clear()
                waiting.add(row)
            elif rank <= self._last and row not in waiting:
                insort(self._line, -rank)
                waiting.add(row)
        if not self._waiting:
            self._look_at_all()


class KnownLeaders:
    """Leaders by the nodes that pass, for sets of nodes that came up more than once lately.

    Args:
        answers: the totals that change.
        fixed: int64 (N,), what is added to them.
        by_nodes: plugins that normalise scores of nodes as such, with weight and raw scores, int64 (N,); as long as
            the same nodes pass they add the same.
    """

    def __init__(
        self, answers: RowAnswers, fixed: Ints, by_nodes: Sequence[tuple[AnyPlugin, int, Ints]] = ()
    ) -> None:
        self._answers, self._fixed, self._by_nodes = answers, fixed, tuple(by_nodes)
        self._order: Ints | None = None
        self._start = 0
        self._known: BoundedCache[bytes, Leaders | None] = BoundedCache(_MOST)

    @property
    def nbytes(self) -> int:
        """What its arrays take, at most."""
        return self._fixed.nbytes * (1 + len(self._by_nodes)) + _MOST

    def among(self, passes: Mask, order: Ints, start: int, key: bytes) -> Leaders | None:
        """The leaders among the nodes that pass; None the first time that these nodes come up.

        Args:
            passes: bool (N,), one at least.
            order: int64 (n,), rows in snapshot order.
            start: where on it the search begins.
            key: the nodes that pass as bytes.
        """
        if self._order is not order or self._start != start:
            self._order, self._start = order, start
            self._known.clear()
        if key not in self._known:
            self._known.put(key, None, len(key))
            return None
        found = self._known.get(key)
        if found is None:
            found = self._leaders(np.roll(order, -start), passes)
            self._known.put(key, found, len(key) + found.nbytes)
        return found

    def _leaders(self, walked: Ints, passes: Mask) -> Leaders:
        feasible, fixed = walked[passes[walked]], self._fixed.copy()
        for plugin, weight, raw in self._by_nodes:
            fixed[feasible] += weight * plugin.normalize(None, raw[feasible], feasible)
        return Leaders(feasible, self._answers, fixed)
