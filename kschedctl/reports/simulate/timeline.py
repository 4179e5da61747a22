"""What happened in a simulation, in sentences: who waits for whom, what woke whom, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct, field

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import Block, FactList, Only
from kschedctl.reports.medium import BRIEF, FULL
from kschedctl.reports.sentences import listed
from kschedctl.reports.simulate.model import TimelineEvent
from kschedctl.reports.waking import woken_by

_SHOWN: Final = 3
_MOMENTS: Final = 60


class _Item(Struct):
    """Pods of which the same is to be told, one after another.

    Attributes:
        kind: what happened, and what else pods must share to be told together.
        pods: whom it happened to.
        nodes: the nodes it is about.
        woken: who is tried again because of it.
    """

    kind: tuple[str, str]
    pods: list[str]
    nodes: list[str] = field(default_factory=list)
    woken: list[str] = field(default_factory=list)


def told(events: Sequence[TimelineEvent]) -> list[tuple[str, str]]:
    """Times and sentences; a time stands at its first sentence, and what goes without saying is left out."""
    teller = _Teller()
    rows = []
    for at, instant in groupby(events, key=lambda event: event.at):
        sentences = [_sentence(item) for item in teller.items(list(instant))]
        rows += [(f"{at:g} s" if i == 0 else "", sentence) for i, sentence in enumerate(sentences)]
    return rows


class _Teller:
    """Remembers what was told of each pod."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._gone: set[str] = set()
        self._why: dict[str, str] = {}

    def items(self, events: Sequence[TimelineEvent]) -> list[_Item]:
        """What there is to tell of an instant."""
        victims: dict[str, list[TimelineEvent]] = {}
        for event in events:
            if event.event == "Preempted":
                victims.setdefault(event.by, []).append(event)
        found: list[_Item] = []
        for event in events:
            for item in self._of(event, victims):
                _add(found, item)
            self._known.add(event.pod)
        return found

    def _of(self, event: TimelineEvent, victims: dict[str, list[TimelineEvent]]) -> Iterator[_Item]:
        match event.event:
            case "Queued" if event.pod in self._gone:
                self._gone.discard(event.pod)
                yield _Item(("anew", ""), [event.pod])
            case "Queued" if event.pod in self._known:
                yield _Item(("woken", event.by), [event.pod])
            case "Gated":
                yield _Item(("gated", listed(event.plugins, _SHOWN)), [event.pod])
            case "Scheduled":
                yield _Item(("bound", ""), [event.pod], [event.node or ""])
            case "WaitingOnPermit":
                yield _Item(("waits", listed(event.plugins, _SHOWN)), [event.pod], [event.node or ""])
            case "Nominated" if not event.node:
                yield _Item(("unkept", ""), [event.pod])
            case "Gone":
                self._gone.add(event.pod)
                yield _Item(("gone", ""), [event.pod])
            case "FailedScheduling":
                yield self._failure(event, victims.pop(event.pod, []))

    def _failure(self, event: TimelineEvent, victims: Sequence[TimelineEvent]) -> _Item:
        if victims:
            names = listed([victim.pod for victim in victims], _SHOWN)
            return _Item((f"evicts {names} from {victims[0].node}", event.pod), [event.pod])
        why = event.message.partition(". ")[0].rstrip(".")
        before, self._why[event.pod] = self._why.get(event.pod), why
        return _Item(("still" if why == before else "failed", why), [event.pod])


def _add(found: list[_Item], item: _Item) -> None:
    """Tell an item with the one before, where both say the same, or the one before is why."""
    last = found[-1] if found else None
    if last is not None and item.kind == ("woken", "AssignedPodDelete") and last.kind[0] == "gone":
        last.woken += item.pods
    elif last is not None and last.kind == item.kind and not last.woken:
        last.pods += item.pods
        last.nodes += item.nodes
    else:
        found.append(item)


def _sentence(item: _Item) -> str:
    what, detail = item.kind
    who = listed(item.pods, _SHOWN)
    one = len(item.pods) == 1
    are = "is" if one else "are"
    match what:
        case "woken":
            return f"{who} {are} tried again: {woken_by(detail)}"
        case "anew":
            return f"{who} {are} made anew"
        case "gated":
            return f"{who} {are} kept out of the queue by {detail}"
        case "bound":
            return f"{who} {are} bound to {listed(list(dict.fromkeys(item.nodes)), _SHOWN)}"
        case "waits":
            nodes = listed(list(dict.fromkeys(item.nodes)), _SHOWN)
            return f"{who} {'waits' if one else 'wait'} for {detail}, with {nodes} reserved"
        case "unkept":
            return f"no room is kept for {who} any more"
        case "gone":
            wakes = f", which wakes {listed(item.woken, _SHOWN)}" if item.woken else ""
            return f"{who} {are} gone{wakes}"
        case "failed":
            return f"{who} {'finds' if one else 'find'} no node: {detail}"
        case "still":
            return f"{who} still {'finds' if one else 'find'} no node"
        case _:
            return f"{who} {what}, and waits for the room"


def timeline_blocks(events: Sequence[TimelineEvent], seconds: float) -> Iterator[Block]:
    """What happened, in order; where there is little room, the beginning."""
    yield Only(BRIEF, lambda: _block(events, seconds, _MOMENTS))
    yield Only(FULL, lambda: _block(events, seconds, None))


def _block(events: Sequence[TimelineEvent], seconds: float, most: int | None) -> FactList:
    rows = told(events)
    shown = rows[:most] or [("", "nothing")]
    if left := len(rows) - len(rows[:most]):
        shown.append(("", f"{plural(left, 'more line')}, see -o wide"))
    return FactList.of(shown, f"what happened in {seconds:g} s")
