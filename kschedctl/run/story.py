"""What a run has to tell, in the order in which it happened (spec 08 §6)."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct, field


class Happening(StrEnum):
    """The kinds of things that are told; the values are those of the golden timelines."""

    QUEUED = "Queued"
    """A pod came to the active queue or to back-off."""
    GATED = "Gated"
    """A plugin keeps a pod out of the queue; told once until that changes."""
    WAITS = "WaitingOnPermit"
    """A node is reserved for a pod, which waits until the Permit plugins let it go."""
    SCHEDULED = "Scheduled"
    FAILED = "FailedScheduling"
    PREEMPTED = "Preempted"
    """The deletion of a victim began."""
    NOMINATED = "Nominated"
    """The API was told the node that is kept for a pod, or that none is any more."""
    GONE = "Gone"
    """A pod that was terminating has ended."""


class RunEvent(Struct, frozen=True):
    """One thing that happened.

    Attributes:
        at: seconds since the run began.
        happening: what.
        pod: `namespace/name`.
        node: the node it is about; "" after NOMINATED where none is kept any more.
        message: of a failure, whole.
        plugins: those that rejected the pod or gate it, sorted.
        queue: where the pod went, empty where it is in no queue.
        by: the event that moved the pod, or the preemptor.
    """

    at: float
    happening: Happening
    pod: str
    node: str | None = None
    message: str = ""
    plugins: tuple[str, ...] = ()
    queue: str = ""
    by: str = ""


_DECISION, _VICTIM, _NOMINATION, _NEW, _GATE, _MOVE = range(6)
_BY_KEY = frozenset((_NOMINATION, _GATE, _MOVE))
_RANKS = {
    Happening.PREEMPTED: _VICTIM,
    Happening.NOMINATED: _NOMINATION,
    Happening.GATED: _GATE,
    Happening.QUEUED: _MOVE,
}


class Story(Struct):
    """Events, grouped into steps: one cycle, one change from outside, one pod that ends, one flush.

    Within a step the decision comes first, then victims, nominations, new pods, gated and moved ones; what one event
    moves at a time is told by the keys of the pods.

    Attributes:
        hears: is told each event as it happens, before the step is over.
        keeps: whether events are kept.
        events: those of all steps that are over.
    """

    hears: Callable[[RunEvent], None] | None = None
    keeps: bool = True
    events: list[RunEvent] = field(default_factory=list)
    _step: list[tuple[int, RunEvent]] = field(default_factory=list)

    def tell(self, event: RunEvent, *, new: bool = False) -> None:
        """Add an event to the step; `new` for a pod that came to the queue for the first time."""
        if self.keeps:
            self._step.append((_NEW if new else _RANKS.get(event.happening, _DECISION), event))
        if self.hears is not None:
            self.hears(event)

    def end_step(self) -> None:
        """Put the step's events in order."""
        if len(self._step) == 1:
            self.events.append(self._step.pop()[1])
            return
        ordered = sorted(self._step, key=lambda told: (told[0], told[1].pod if told[0] in _BY_KEY else ""))
        self.events += [event for _, event in ordered]
        self._step.clear()
