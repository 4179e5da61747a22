"""What plugins that look at the pods of a row say of every row, shared by all pods that they see alike.

Pods of different apps that ask for the same resources are one pod to them. Most rows are alike too: what is said of a
row follows, where the plugins read no more than sums, from what its node offers and what its pods use, and is told
again from memory for any row that comes to the same.
"""

from __future__ import annotations

from array import array
from collections.abc import MutableSequence, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.change_log import ChangeLog, Follower, PodMove
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.row_kinds import RowKinds
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.scoring import MAX_SCORE, sure_scores
from kschedctl.framework.status import Code
from kschedctl.framework.verdicts import Verdicts

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_STALE_SHARE: Final = 4
"""With more changed rows than a quarter of all it is cheaper to ask for all rows."""
_SUCCESS, _ERROR = np.uint8(Code.SUCCESS), np.uint8(Code.ERROR)


class RowAnswers(Struct, eq=False):
    """The answers for pods of which the plugins made the same states, in one profile.

    Attributes:
        filters: plugins, each with its state.
        scorers: plugins with weight and state.
        nodes: the node table that the answers are about.
        objects: the other objects they are about.
        follower: of the pods on its rows.
        changed: the rows that were asked again, for those who keep something of the answers.
        own: bool (N,), rows that pass.
        total: int64 (N,), weighted scores.
        totals: the same memory as `total`, for who looks at single rows.
        turns: how often rows began or ceased to pass.
        odd: whether a filter ended in an error or a score is out of range: to be decided in full.
    """

    filters: tuple[tuple[AnyPlugin, Any], ...]
    scorers: tuple[tuple[AnyPlugin, int, Any], ...]
    nodes: NodeTable
    objects: object
    follower: Follower[PodMove]
    changed: ChangeLog[int]
    own: Mask
    total: Ints
    totals: MutableSequence[int]
    turns: int = 0
    odd: bool = False
    _by_kind: tuple[Mask, Ints] = (np.zeros(0, bool), np.zeros(0, np.int64))
    """Whether rows of each kind pass, and their totals."""
    _generation: object = None
    """Which kinds."""
    _read_usage_alone: bool = False
    """Whether the plugins read no more of a row than sums over its pods and what its node offers."""

    @classmethod
    def of(
        cls,
        cluster: ClusterState,
        filters: Sequence[tuple[AnyPlugin, Any]],
        scorers: Sequence[tuple[AnyPlugin, int, Any]],
    ) -> RowAnswers:
        """Ask about every row."""
        count = cluster.nodes.count
        totals = array("q", bytes(8 * count))
        plugins = (*(plugin for plugin, _ in filters), *(plugin for plugin, _, _ in scorers))
        answers = cls(
            tuple(filters),
            tuple(scorers),
            cluster.nodes,
            cluster.objects,
            cluster.changes.follow(),
            ChangeLog(max(count, 1)),
            own=np.zeros(count, bool),
            total=np.frombuffer(totals, np.int64),
            totals=totals,
            _read_usage_alone=all(plugin.spec.reads is Reads.USAGE for plugin in plugins),
        )
        answers._ask(cluster, np.arange(count))
        return answers

    @property
    def nbytes(self) -> int:
        """What its arrays take, once all kinds of rows are known."""
        count = len(self.own)
        return (count + self._read_usage_alone * RowKinds.most(count)) * (
            self.own.itemsize + self.total.itemsize
        )

    def fits(self, cluster: ClusterState) -> bool:
        """Whether the answers can be brought up to date for a cluster."""
        return self.follower.log is cluster.changes and self.objects is cluster.objects and not self.odd

    def advance(self, cluster: ClusterState) -> None:
        """Ask again where pods came or went since the last time, and where nodes are other versions."""
        moves = self.follower.news()
        rows = [] if moves is None else list(dict.fromkeys(move.row for move in moves))
        if self.nodes is not cluster.nodes:
            rows = list(dict.fromkeys([*rows, *cluster.nodes.rows_unlike(self.nodes).tolist()]))
            self.nodes = cluster.nodes
        if moves is None or len(rows) * _STALE_SHARE > cluster.nodes.count:
            rows = list(range(cluster.nodes.count))
        if rows:
            self._ask(cluster, np.array(rows))
            self.changed.extend(rows)

    def _ask(self, cluster: ClusterState, rows: Ints) -> None:
        """Bring some rows up to date, int64 (R,), one at least."""
        if self.odd or not self._read_usage_alone:
            self.own[rows], self.total[rows] = self._answers(Rows(cluster, rows))
            self.turns += 1
            return
        kinds = RowKinds.of(cluster)
        numbers = kinds.numbers(rows)
        if self._generation is not kinds.generation:
            self._generation = kinds.generation
            self._by_kind = np.zeros(0, bool), np.zeros(0, np.int64)
        known, totals = self._by_kind
        if int(numbers.max()) >= len(known):
            more = self._answers(kinds.rows(len(known)))
            known, totals = self._by_kind = np.append(known, more[0]), np.append(totals, more[1])
        passes = known[numbers]
        self.turns += bool(np.count_nonzero(self.own[rows] != passes))
        self.own[rows], self.total[rows] = passes, totals[numbers]

    def _answers(self, rows: Rows) -> tuple[Mask, Ints]:
        """Whether rows pass, bool (R,), and their totals, int64 (R,)."""
        passes = np.ones(len(rows), bool)
        for plugin, state in self.filters:
            verdicts = plugin.filter(state, rows)
            if verdicts.codes is not None:
                passes &= passing(verdicts)
                self.odd |= has_error(verdicts)
        total = np.zeros(len(rows), np.int64)
        for plugin, weight, state in self.scorers:
            raw = sure_scores(plugin, state, rows)
            self.odd |= len(raw) > 0 and (int(raw.min()) < 0 or int(raw.max()) > MAX_SCORE)
            total += weight * raw
        return passes, total


def passing(verdicts: Verdicts) -> Mask | bool:
    """Which rows pass a filter, bool (R,), or whether all do."""
    return True if verdicts.codes is None else verdicts.codes == _SUCCESS


def has_error(verdicts: Verdicts) -> bool:
    """Whether a filter ended in an error on some row."""
    return verdicts.codes is not None and bool((verdicts.codes == _ERROR).any())
