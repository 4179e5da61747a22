"""A pod on its way through the scheduling queue (spec 01 §8)."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kschedctl.cluster.pods import PodRecord


class Pool(StrEnum):
    """Where a pod waits."""

    ACTIVE = "Active"
    """It is tried next, in the order of the queue sort."""
    BACKOFF = "Backoff"
    """It is tried once its wait is over, or nothing else is to be done."""
    UNSCHEDULABLE = "Unschedulable"
    """It is tried when something happens that may help it, or after five minutes; gated pods are here too."""


class QueuedPod(Struct, eq=False):
    """A pod in the queue or in its cycle.

    Attributes:
        record: the pod as the queue knows it.
        timestamp: when it entered, or failed last.
        rejectors: the plugins that rejected it, those that gate it included; none after an error.
        gate: the plugin that keeps it out of the queue, empty for none.
        rejections: failures of its whole life with rejecting plugins.
        errors: failures without any since the last one with.
        attempts: how many cycles it had.
        pool: where it is, None in its cycle.
        key: `namespace/name`.
        entered: when it first came to the active queue, 0 before.
        stirred: how much had happened when its group failed last, -1 for a pod that is not one of a group.
    """

    record: PodRecord
    timestamp: int
    rejectors: frozenset[str] = frozenset()
    gate: str = ""
    rejections: int = 0
    errors: int = 0
    attempts: int = 0
    pool: Pool | None = None
    _turn: int = 0
    """Counts its moves: entries of heaps from before one are stale."""
    key: str = ""
    entered: int = 0
    stirred: int = -1

    def __post_init__(self) -> None:
        self.key = self.record.full_name

    @property
    def failures(self) -> int:
        """The failures that its wait goes by."""
        return self.errors or self.rejections
