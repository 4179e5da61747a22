"""Rows by what their nodes offer and their pods use together: most of a cluster's rows are alike."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pod_class import PodClass
from kschedctl.cluster.rows import ImaginedRows
from kschedctl.cluster.state import ClusterState

Ints = npt.NDArray[np.int64]

_LEAST: Final = 4096
_FORESEEN: Final = 32
"""With pods of more different demands it is not foreseen what may come to a row next."""
_ALLOWED, _COUNT, _NON_ZERO, _REST = 0, 1, slice(2, 4), 4
"""Where a content has what: the pods that are allowed and those that are there, their sum with defaults; behind it
what the node offers and what its pods ask for, of each resource."""


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

    @property
    def _resources(self) -> int:
        """How many resources there are, those of pods included whose requests nobody has looked at so far."""
        return int(self._cluster.usage.requested.shape[1])

    def _restart(self) -> None:
        cluster = self._cluster
        self._nodes, self._follower = cluster.nodes, cluster.changes.follow()
        self._requested = _REST + self._resources
        self._demands: dict[bytes, Ints] = {}
        self._forget()

    def _forget(self) -> None:
        self.generation, self.count = object(), 0
        self._number = np.full(self._cluster.nodes.count, -1)
        self._came: dict[int, PodClass] = {}
        """What came to a row that has no number, where that was the last thing that happened to it."""
        self._number_of: dict[bytes, int] = {}
        width = self._requested + self._resources
        self._contents, self._examples = np.zeros((64, width), np.int64), np.zeros(64, np.int64)

    def _catch_up(self) -> None:
        cluster = self._cluster
        moves = self._follower.news() if self._follower.log is cluster.changes else None
        if moves is None or self._requested != _REST + self._resources:
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
            self._number[cluster.nodes.rows_unlike(self._nodes)] = -1
            self._nodes = cluster.nodes

    def numbers(self, rows: Ints) -> Ints:
        """The numbers of some rows, int64 (R,), one at least."""
        found = self._number[rows]
        if int(found.min()) < 0:
            nodes, usage = self._cluster.nodes, self._cluster.usage
            allocatable, requested = nodes.allocatable, usage.requested
            for at in np.flatnonzero(found < 0).tolist():
                row, content = int(rows[at]), np.empty(self._contents.shape[1], np.int64)
                content[_ALLOWED], content[_COUNT] = nodes.allowed_pods[row], usage.pod_count[row]
                content[_NON_ZERO] = usage.non_zero[row]
                content[_REST : self._requested] = allocatable[row]
                content[self._requested :] = requested[row]
                found[at] = self._number[row] = self._number_of_content(row, content)
        return found

    def rows(self, first: int) -> ImaginedRows:
        """Rows of every kind from a number on."""
        contents = self._contents[first : self.count]
        return ImaginedRows(
            self._cluster,
            self._examples[first : self.count],
            allowed_pods=contents[:, _ALLOWED],
            allocatable=contents[:, _REST : self._requested],
            requested=contents[:, self._requested :],
            non_zero=contents[:, _NON_ZERO],
            pod_count=contents[:, _COUNT],
        )

    def _number_of_content(self, row: int, content: Ints) -> int:
        came = self._came.pop(row, None)
        number = self._number_of.get(content.tobytes())
        if number is None:
            number = self._enter(row, content)
            if came is not None:
                self._foresee(row, content, came)
        return number

    def _foresee(self, row: int, content: Ints, came: PodClass) -> None:
        """Enter what another pod than this one would have made of a row, if it is like one that came lately."""
        classes, own = self._cluster.pods.classes, np.zeros_like(content)
        own[_COUNT], own[_NON_ZERO] = 1, classes.non_zero[came.index]
        own[self._requested :] = classes.requests[came.index]
        if len(self._demands) <= _FORESEEN:
            self._demands.setdefault(own.tobytes(), own)
        if len(self._demands) <= _FORESEEN:
            for other in content - own + np.array(list(self._demands.values())):
                if other.tobytes() not in self._number_of:
                    self._enter(row, other)

    def _enter(self, row: int, content: Ints) -> int:
        number = self.count
        if number == len(self._contents):
            self._contents = np.concatenate((self._contents, np.zeros_like(self._contents)))
            self._examples = np.concatenate((self._examples, np.zeros_like(self._examples)))
        self._number_of[content.tobytes()] = number
        self._contents[number], self._examples[number] = content, row
        self.count += 1
        return number
