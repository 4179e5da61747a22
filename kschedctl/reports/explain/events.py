"""The event that the scheduler writes about a decision (spec 01 §6.2)."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.explain.model import Event
from kschedctl.scheduling.decision import Decision, Outcome

NOTE_LIMIT: Final = 1024
_CUT: Final = " ..."


def event_of(decision: Decision) -> Event | None:
    """The event for a decision, None where the scheduler writes none (gated, terminating, not its pod)."""
    source = decision.pod.pod.spec.scheduler_name
    match decision.outcome:
        case Outcome.SCHEDULED:
            text = f"Successfully assigned {decision.pod.full_name} to {decision.selected_node}"
            return Event(type="Normal", reason="Scheduled", source=source, note=text, message=text)
        case Outcome.UNSCHEDULABLE | Outcome.ERROR:
            text = decision.event or decision.message
            note = cut_note(text)
            return Event(type="Warning", reason="FailedScheduling", source=source, note=note, message=text)
        case _:
            return None


def cut_note(text: str) -> str:
    """The text as an event holds it: beyond 1024 bytes it is cut and ends in ` ...`."""
    encoded = text.encode()
    if len(encoded) <= NOTE_LIMIT:
        return text
    return encoded[: NOTE_LIMIT - len(_CUT)].decode(errors="ignore") + _CUT
