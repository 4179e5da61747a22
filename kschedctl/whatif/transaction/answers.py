"""What a transaction answers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.transaction.diagnosis import Diagnosis


class PlacementAnswer(Struct, frozen=True):
    """What became of a pod that was to be placed.

    Attributes:
        pod: `NAMESPACE/NAME`.
        outcome: how the decision ended.
        node: the node it is on; None where it found none.
        message: why it found none, as kube-scheduler or the API server says it.
        evicted: pods that had to go for it.
        diagnosis: which nodes fit it, and why the others do not, before anybody was evicted; None where the
            transaction does not diagnose, or no plugin was asked.
    """

    pod: str
    outcome: Outcome
    node: str | None = None
    message: str = ""
    evicted: tuple[str, ...] = ()
    diagnosis: Diagnosis | None = None

    @property
    def is_placed(self) -> bool:
        """Whether it is on a node."""
        return self.node is not None


class Filled(Struct, frozen=True):
    """How many copies of a pod found a node.

    Attributes:
        pods: those that did, `NAMESPACE/NAME`.
        by_node: node -> how many of them are on it.
        stopped_by: the first one that did not; None where as many as were asked for did.
    """

    pods: tuple[str, ...]
    by_node: Mapping[str, int]
    stopped_by: PlacementAnswer | None = None


class Removed(Struct, frozen=True):
    """A pod that was taken off the cluster.

    Attributes:
        pod: `NAMESPACE/NAME`.
        node: where it was; None for one that was on no node.
    """

    pod: str
    node: str | None
