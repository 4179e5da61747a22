"""Rows by what their nodes offer and their pods use together: most of a cluster's rows are alike."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.msgpack import Encoder

from kschedctl.cluster.pod_class import PodClass
from kschedctl.cluster.rows import ImaginedRows
from kschedctl.cluster.state import ClusterState

Ints = npt.NDArray[np.int64]

_LEAST: Final = 4096
_FORESEEN: Final = 32
"""With pods of more different demands it is not foreseen what may come to a row next."""
_OFFER, _COUNT, _NON_ZERO, _REQUESTED = 0, 1, slice(2, 4), slice(4, None)
"""Where a content has what: the number of the offer, that of the pods, and the two sums."""
_encode = Encoder(order="deterministic").encode


class RowKinds:
    """A number for each row; equal numbers mean that sums over pods and what nodes offer are equal.

    Where a pod came to a row, kinds are numbered also for what another pod would have made of it that is like one that
    came lately: one will do so on a row that is alike, and who answers for kinds can answer for many at a time.

    Attributes:
        generation: as long as it is this very object a number stands for the same.
        count: how many numbers there are; they begin with 0.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._demands: dict[bytes, Ints] = {}
        self._restart()

    @classmethod
    def most(cls, nodes: int) -> int:
        """About how many numbers there are at most, on N nodes."""
        return max(_LEAST, nodes)

    @classmethod
    def of(cls, cluster: ClusterState) -> RowKinds:
        """Those of a cluster, up to date."""
        kinds = cluster.extension(cls, cls)
        kinds._catch_up()
        return kinds

    def _restart(self) -> None:
        cluster = self._cluster
        self._nodes, self._follower = cluster.nodes, cluster.changes.follow()
        self._width = 4 + cluster.usage.requested.shape[1]
        self._offers: dict[bytes, int] = {}
        self._offer_of: dict[int, int] = {}
        self._examples: list[int] = []
        """A row with each offer."""
        self._demands.clear()
        self._forget()

    def _forget(self) -> None:
        self.generation, self.count = object(), 0
        self._number = np.full(self._cluster.nodes.count, -1)
        self._came: dict[int, PodClass] = {}
        """What came to a row that has no number, where that was the last thing that happened to it."""
        self._number_of: dict[bytes, int] = {}
        self._contents: Ints = np.zeros((64, self._width), np.int64)

    def _catch_up(self) -> None:
        cluster = self._cluster
        moves = self._follower.news() if self._follower.log is cluster.changes else None
        if moves is None or self._width != 4 + cluster.usage.requested.shape[1]:
            self._restart()
            return
        if self.count > self.most(cluster.nodes.count):
            self._forget()
        for move in moves:
            self._number[move.row] = -1
            if move.sign > 0:
                self._came[move.row] = move.pod.pod_class
            else:
                self._came.pop(move.row, None)
        if self._nodes is not cluster.nodes:
            changed = cluster.nodes.rows_unlike(self._nodes).tolist()
            self._nodes = cluster.nodes
            if any(row in self._offer_of and self._offer(row) != self._offer_of[row] for row in changed):
                self._restart()

    def numbers(self, rows: Ints) -> Ints:
        """The numbers of some rows, int64 (R,), one at least."""
        found = self._number[rows]
        if int(found.min()) < 0:
            for at in np.flatnonzero(found < 0).tolist():
                found[at] = self._number_row(int(rows[at]))
        return found

    def rows(self, first: int) -> ImaginedRows:
        """Rows of every kind from a number on."""
        contents = self._contents[first : self.count]
        examples = np.array(self._examples, np.int64)[contents[:, _OFFER]]
        return ImaginedRows(
            self._cluster,
            examples,
            requested=contents[:, _REQUESTED],
            non_zero=contents[:, _NON_ZERO],
            pod_count=contents[:, _COUNT],
        )

    def _number_row(self, row: int) -> int:
        usage, content = self._cluster.usage, np.empty(self._width, np.int64)
        if (offer := self._offer_of.get(row)) is None:
            offer = self._offer_of[row] = self._offer(row)
        content[_OFFER], content[_COUNT] = offer, usage.pod_count[row]
        content[_NON_ZERO], content[_REQUESTED] = usage.non_zero[row], usage.requested[row]
        came = self._came.pop(row, None)
        number = self._number_of.get(content.tobytes())
        if number is None:
            number = self._enter(content)
            if came is not None:
                self._foresee(content, came)
        self._number[row] = number
        return number

    def _offer(self, row: int) -> int:
        offer = self._offers.setdefault(
            _encode(self._cluster.nodes.objects[row].status.allocatable), len(self._offers)
        )
        if offer == len(self._examples):
            self._examples.append(row)
        return offer

    def _foresee(self, content: Ints, came: PodClass) -> None:
        """Enter what another pod than this one would have made of a row, if it is like one that came lately."""
        classes, own = self._cluster.pods.classes, np.zeros(self._width, np.int64)
        own[_COUNT], own[_NON_ZERO] = 1, classes.non_zero[came.index]
        own[_REQUESTED] = classes.requests[came.index]
        if len(self._demands) <= _FORESEEN:
            self._demands.setdefault(own.tobytes(), own)
        if len(self._demands) <= _FORESEEN:
            for other in content - own + np.array(list(self._demands.values())):
                if other.tobytes() not in self._number_of:
                    self._enter(other)

    def _enter(self, content: Ints) -> int:
        if self.count == len(self._contents):
            self._contents = np.concatenate((self._contents, np.zeros_like(self._contents)))
        number = self._number_of[content.tobytes()] = self.count
        self._contents[number] = content
        self.count += 1
        return number
