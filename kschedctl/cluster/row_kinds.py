"""Rows by what their nodes offer and their pods use together: most of a cluster's rows are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.msgpack import Encoder

from kschedctl.cluster.state import ClusterState

_MOST: Final = 50_000
_encode = Encoder(order="deterministic").encode

_Content = tuple[bytes, bytes, bytes, int]


class RowKinds:
    """A number for each row; equal numbers mean that sums over pods and what nodes offer are equal."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._number_of: dict[_Content, int] = {}
        self._count = 0
        self._restart()

    def _restart(self) -> None:
        self._nodes, self._follower = self._cluster.nodes, self._cluster.changes.follow()
        self._offers: dict[int, bytes] = {}
        self._numbers: dict[int, int] = {}

    @classmethod
    def of(cls, cluster: ClusterState) -> RowKinds:
        """Those of a cluster, up to date."""
        kinds = cluster.extension(cls, cls)
        kinds._catch_up()
        return kinds

    def _catch_up(self) -> None:
        cluster = self._cluster
        moves = self._follower.news() if self._follower.log is cluster.changes else None
        if moves is None:
            self._restart()
            return
        for move in moves:
            self._numbers.pop(move.row, None)
        if self._nodes is not cluster.nodes:
            for row in cluster.nodes.rows_unlike(self._nodes).tolist():
                self._numbers.pop(row, None)
                self._offers.pop(row, None)
            self._nodes = cluster.nodes

    def numbers(self, rows: Sequence[int]) -> list[int]:
        """The numbers of some rows; a number is never used for anything else."""
        known = self._numbers
        return [known[row] if row in known else self._number(row) for row in rows]

    def _number(self, row: int) -> int:
        content = self._content(row)
        known = self._number_of.get(content)
        if known is None:
            if len(self._number_of) >= _MOST:
                self._number_of.clear()
            known = self._number_of[content] = self._count
            self._count += 1
        self._numbers[row] = known
        return known

    def _content(self, row: int) -> _Content:
        offer = self._offers.get(row)
        if offer is None:
            offer = self._offers[row] = _encode(self._cluster.nodes.objects[row].status.allocatable)
        usage = self._cluster.usage
        return offer, usage.requested[row].tobytes(), usage.non_zero[row].tobytes(), int(usage.pod_count[row])
