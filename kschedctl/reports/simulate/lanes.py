"""What happened in a run, in pictures: a lane for each pod that waited or was evicted, and how long the queue was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.figures import Curve, Curves, Span, TimeLane, TimeLanes
from kschedctl.reports.sentences import listed
from kschedctl.reports.simulate.model import QueueReport, TimelineEvent
from kschedctl.reports.tone import Tone
from kschedctl.reports.waking import woken_by

_STATES: Final = (
    ("on its node", Tone.YES),
    ("waits for something to change", Tone.NO),
    ("backs off", Tone.MIXED),
    ("in the queue", Tone.PLAIN),
    ("kept out of the queue", Tone.PLAIN),
    ("reserved, waits for others", Tone.MIXED),
    ("terminates", Tone.NO),
)
_ON_NODE, _WAITS, _BACKS_OFF, _ACTIVE, _GATED, _RESERVED, _ENDING = range(len(_STATES))
_QUEUES: Final = MappingProxyType({"Backoff": _BACKS_OFF, "Unschedulable": _WAITS, "Active": _ACTIVE})
_MOST: Final = 60
_NAMED: Final = 3
_TAIL: Final = 0.06
"""The part of the time by which lanes go on after the end, so that one sees how they end."""


def run_figures(events: Sequence[TimelineEvent], seconds: float) -> list[TimeLanes | Curves]:
    """The lanes of a run and how many pods are in which state; none where nothing waited."""
    by_pod: dict[str, list[TimelineEvent]] = {}
    gone: dict[float, list[str]] = {}
    for event in events:
        by_pod.setdefault(event.pod, []).append(event)
        if event.event == "Gone":
            gone.setdefault(event.at, []).append(event.pod)
    end = seconds * (1 + _TAIL) or 1.0
    lanes = {pod: _lane(pod, own, end, gone) for pod, own in by_pod.items()}
    telling = [lane for lane in lanes.values() if any(span.state != _ON_NODE for span in lane.spans)]
    if not telling:
        return []
    others = len(lanes) - len(telling[:_MOST])
    note = f"{plural(others, 'more pod')}: see what happened, below" if others else ""
    found: list[TimeLanes | Curves] = [
        TimeLanes("pods in time: who waited, and what woke them", seconds, _STATES, telling[:_MOST], note)
    ]
    waiting = [(_STATES[state][0], _count(lanes.values(), state)) for state in (_WAITS, _BACKS_OFF, _GATED)]
    curves = [Curve(label, points) for label, points in waiting if any(value for _, value in points)]
    return [*found, *([Curves("how long the queue was", "s", seconds, curves)] if curves else [])]


def queue_figures(report: QueueReport) -> list[Curves]:
    """How long the queue was in a replay."""
    kinds = {
        "waits for something to change": [(one.at, float(one.unschedulable)) for one in report.lengths],
        "backs off": [(one.at, float(one.backoff)) for one in report.lengths],
        "kept out of the queue": [(one.at, float(one.gated)) for one in report.lengths],
    }
    curves = [Curve(label, points) for label, points in kinds.items() if any(value for _, value in points)]
    return [Curves("how long the queue was", "s", report.seconds, curves)] if curves else []


def _lane(
    pod: str, events: Sequence[TimelineEvent], end: float, gone: Mapping[float, Sequence[str]]
) -> TimeLane:
    """The lane of a pod.

    Args:
        pod: its name.
        events: what happened to it.
        end: the end of all lanes.
        gone: second -> pods that were gone then.
    """
    spans: list[Span] = []
    told: list[tuple[float, str]] = []
    state, since = None, 0.0
    for at, event in enumerate(events):
        then = _state(event, state)
        before = events[at - 1].event if at else None
        if (text := _told(event, before, gone.get(event.at, ()))) is not None:
            told.append((event.at, text))
        if then == state:
            continue
        if state is not None and event.at > since:
            spans.append(Span(since, event.at, state))
        state, since = then, event.at
    if state is not None:
        spans.append(Span(since, end, state))
    return TimeLane(pod, spans, told)


def _state(event: TimelineEvent, before: int | None) -> int | None:
    """The state in which an event leaves its pod; None: it is gone."""
    match event.event:
        case "Scheduled":
            return _ON_NODE
        case "Gated":
            return _GATED
        case "WaitingOnPermit":
            return _RESERVED
        case "Preempted":
            return _ENDING
        case "Gone":
            return None
        case "Queued" | "FailedScheduling":
            return _QUEUES.get(event.queue, before)
    return before


def _told(event: TimelineEvent, before: str | None, gone: Sequence[str]) -> str | None:
    """An event in words, None where it goes without saying.

    Args:
        event: what happened to a pod.
        before: what had happened to it last.
        gone: pods that were gone in that second.
    """
    match event.event:
        case "Queued" if before is None:
            return None
        case "Queued" if before == "Gone":
            return "made anew"
        case "Scheduled":
            return f"bound to {event.node}"
        case "FailedScheduling":
            return f"finds no node: {event.message.partition('. ')[0].rstrip('.')}"
        case "Queued" if gone and event.by == "AssignedPodDelete":
            return f"tried again: {listed(gone, _NAMED)} {'is' if len(gone) == 1 else 'are'} gone"
        case "Queued":
            return f"tried again: {woken_by(event.by)}"
        case "Gated":
            return f"kept out of the queue by {', '.join(event.plugins)}"
        case "WaitingOnPermit":
            return f"{event.node} is reserved; {', '.join(event.plugins)} let it wait"
        case "Preempted":
            return f"evicted by {event.by}"
        case "Nominated":
            return f"{event.node} is kept for it" if event.node else "no room is kept for it any more"
        case "Gone":
            return "gone"
    return None


def _count(lanes: Iterable[TimeLane], state: int) -> list[tuple[float, float]]:
    """How many lanes are in a state, from each time at which that changes."""
    changes: dict[float, int] = {0.0: 0}
    lanes = list(lanes)
    last = max((span.end for lane in lanes for span in lane.spans), default=0.0)
    for lane in lanes:
        for span in lane.spans:
            if span.state == state:
                changes[span.start] = changes.get(span.start, 0) + 1
                if span.end < last:
                    changes[span.end] = changes.get(span.end, 0) - 1
    found, total = [], 0
    for at, change in sorted(changes.items()):
        total += change
        found.append((at, float(total)))
    return found
