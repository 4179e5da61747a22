"""The sentences of a report on a preemption, without layout: every format says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports import sentences
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.reports.explain.groups import GroupReport
from kschedctl.reports.preempt.model import (
    Aftermath,
    BudgetCharge,
    CandidateNode,
    Displaced,
    EvictedPod,
    FateName,
    Preemption,
)
from kschedctl.reports.sentences import UNTRIED, WANTING, duration, listed, pod_notes, subject
from kschedctl.reports.simulate.other_schedulers import other_scheduler

MOST_NAMES: Final = 4


def verdict(answer: Preemption) -> str:
    """The answer in one sentence."""
    name, many = subject(answer.pod), bool(answer.pod.equal_pods)
    fits = "each fit" if many else "fits"
    but = sentences.but(answer)
    match answer.outcome:
        case "Scheduled" if but:
            return f"{name} {'each go' if many else 'goes'} to {answer.selected_node}{but}"
        case "Scheduled" if answer.group is None:
            return f"{name} {fits} on {answer.selected_node} as it is; nobody has to go"
        case "Scheduled" | "Preempts" if answer.group is not None:
            return f"{name} {_in_group(answer, answer.group)}"
        case "Preempts":
            return f"{name} {fits} nowhere as it is; {_room(answer)}{' for one' if many else ''}{but}"
        case outcome if outcome in UNTRIED:
            return f"{name} {UNTRIED[outcome][many]}"
        case _ if not_judged(answer.cluster):
            return f"{name} cannot be judged: {WANTING}"
        case _ if answer.group is not None and answer.group.outcome == "Scheduled":
            return f"{name} fits nowhere beside the others of its group, for which nobody is evicted"
        case _ if answer.group is not None and answer.group.outcome == "WaitingForPreemption":
            evicted = plural(len(answer.victims), "pod")
            return f"{name} waits for its group, for which {evicted} go; which node it gets is open"
        case _ if answer.group is not None:
            return f"{name} is not placed with its group, and preemption cannot help"
        case _:
            why = "preemption cannot help" if answer.eligible or not answer.message else "may not preempt"
            return f"{name} {'fit' if many else 'fits'} nowhere, and {why}"


def _in_group(answer: Preemption, group: GroupReport) -> str:
    if answer.outcome == "Scheduled":
        return f"gets {answer.selected_node} with its group as it is; nobody has to go"
    if not answer.victims:
        return f"waits for {answer.nominated_node} with its group: pods there are on their way out"
    count = len(answer.victims)
    once = f"once {plural(count, 'pod')} {_is(count)} preempted"
    return f"gets {answer.nominated_node} with its group {once}"


def _room(answer: Preemption) -> str:
    count = len(answer.victims)
    if answer.equal_nodes:
        return f"preempting on one of {listed(answer.equal_nodes)} makes room"
    return f"preempting {plural(count, 'pod')} on {answer.nominated_node} makes room"


def tie(answer: Preemption) -> str | None:
    """What kube-scheduler makes of equal candidates, None where one is the best."""
    if not answer.equal_nodes:
        return None
    count = len(answer.equal_nodes)
    return (
        f"no criterion tells {listed(answer.equal_nodes)} apart; kube-scheduler picks one of the "
        f"{count} at random, shown is {answer.nominated_node}, the first by name"
    )


def marks(victim: EvictedPod) -> str:
    """What is special about a victim, empty for an ordinary one."""
    told = []
    if victim.terminating:
        told.append("terminating already")
    if victim.static:
        told.append("static pod: the kubelet goes on running it")
    elif victim.daemon:
        told.append("of a DaemonSet")
    return ", ".join(told)


def budget(charge: BudgetCharge) -> str:
    """What an eviction costs a budget: `violates pdb/web (0 allowed)`."""
    name = f"pdb/{charge.name}"
    if charge.number == 0:
        return f"{name} has it down as disrupted"
    if charge.violated:
        return f"violates {name} ({charge.allowed} allowed)"
    return f"{name} ({charge.number} of {charge.allowed} allowed)"


def age(victim: EvictedPod, answer: Preemption) -> str:
    """How long a victim has run: `9 d`, `over 9 d` where the time of the input is not known, or since when."""
    if victim.start_time is None:
        return "not started"
    if not victim.age_seconds:
        return f"since {victim.start_time[:10]}"
    at_least = "" if answer.age_reference == answer.cluster.taken_at else "over "
    return at_least + duration(victim.age_seconds)


def moment(time: str | None) -> str:
    """A time to the minute, as it was written; `-` for none."""
    return "-" if time is None else time[:16].replace("T", " ")


def fate(victims: Sequence[Displaced], most: int = MOST_NAMES) -> str:
    """What becomes of victims that fare alike; only so many of their names."""
    first, one = victims[0], len(victims) == 1
    other = other_scheduler(first.message)
    who = listed([victim.full_name for victim in victims], most)
    match first.fate:
        case "Moves":
            again = " again" if first.node == first.evicted_from else ""
            return f"{who} {_verb(victims, 'find')} room on {first.node}{again}"
        case "Preempts" if first.node is None:
            return f"{who} evicts others and is refused all the same: {first.message}"
        case "Preempts":
            return f"{who} gets {first.node} by evicting {plural(len(first.victims), 'pod')}"
        case "Pending" if other:
            again = "it" if one else "them"
            return (
                f"{who} {'is' if one else 'are'} placed by another scheduler ({other}), which does not know that the "
                f"room is meant for somebody else: it may put {again} back on {first.evicted_from} first"
            )
        case "Pending":
            return f"{who} {_verb(victims, 'stay')} pending: {first.message}"
        case "Gone":
            return f"{who} {'is' if one else 'are'} gone for good: nothing controls {'it' if one else 'them'}"
        case "Leaving":
            return f"{who} {'was' if one else 'were'} leaving already"
        case "Static":
            return f"{who} {'goes' if one else 'go'} on running: kubelets run static pods by themselves"
        case _:
            return f"{who}: not followed any further"


def _verb(victims: Sequence[Displaced], verb: str) -> str:
    return f"{verb}s" if len(victims) == 1 else verb


def verdict_on(node: CandidateNode, answer: Preemption) -> str:
    """Why a candidate is not taken, or that it is."""
    if node.lost is not None:
        return node.lost.text
    return "equal" if answer.equal_nodes else "chosen"


def tree(victims: Sequence[Displaced], most: int = MOST_NAMES, depth: int = 0) -> list[tuple[int, str]]:
    """A line with its depth for the victims that fare alike, those that they evict below it."""
    alike: dict[object, list[Displaced]] = {}
    for victim in victims:
        key = victim.full_name if victim.victims else (victim.fate, victim.node, victim.message)
        alike.setdefault(key, []).append(victim)
    lines = []
    for group in alike.values():
        lines.append((depth, fate(group, most)))
        lines += tree(group[0].victims, most, depth + 1)
    return lines


def notes(answer: Preemption) -> list[tuple[str, str]]:
    """Labels and what belongs to them, below the tables."""
    rows = [("tie", told)] if (told := tie(answer)) else []
    after = answer.aftermath
    if after is not None and after.placed_on is None:
        rows.append(("but", f"kube-scheduler refuses {answer.pod.full_name} even then: {after.message}"))
    if after is not None and after.dropped_nominations:
        lose = "loses" if len(after.dropped_nominations) == 1 else "lose"
        rows.append(("also", f"{listed(after.dropped_nominations)} {lose} the nomination to this node"))
    if after is not None and (kept := [v.full_name for v in deep(after.victims) if v.keeps_claims]):
        told = f"{listed(kept)} {'is' if len(kept) == 1 else 'are'} judged with the old volumes or devices"
        rows.append(("note", f"{told}, which may tie {'it' if len(kept) == 1 else 'them'} to the old node"))
    rows += pod_notes(answer.pod, answer.cluster)
    rows += [("caveat", caveat.message) for caveat in answer.cluster.caveats]
    if answer.event and answer.outcome not in ("Preempts", "Scheduled"):
        rows.append(("event", answer.event))
    return rows


def summary(after: Aftermath) -> str:
    """What becomes of all victims, and of those that go because of them: `of 7 victims: 5 find room, 2 ...`."""
    fates = Counter(victim.fate for victim in deep(after.victims))
    direct = len(after.victims)
    further = fates.total() - direct
    of = plural(direct, "victim") + (f" and {plural(further, 'pod')} that they evict" if further else "")
    return f"of {of}: {', '.join(phrase(fates[fate]) for fate, phrase in _PHRASES.items() if fates[fate])}"


def deep(victims: Sequence[Displaced]) -> Iterator[Displaced]:
    """All pods of a tree, each before those that it evicts."""
    for victim in victims:
        yield victim
        yield from deep(victim.victims)


_PHRASES: Final[Mapping[FateName, Callable[[int], str]]] = MappingProxyType(
    {
        "Moves": lambda n: f"{n} find{_s(n)} room",
        "Preempts": lambda n: f"{n} evict{_s(n)} others",
        "Pending": lambda n: f"{n} stay{_s(n)} pending",
        "Gone": lambda n: f"{n} {_is(n)} gone for good",
        "Leaving": lambda n: f"{n} {'was' if n == 1 else 'were'} leaving already",
        "Static": lambda n: f"{n} go{'es' if n == 1 else ''} on running",
        "Unknown": lambda n: f"{n} {_is(n)} not followed",
    }
)


def _s(count: int) -> str:
    return "s" if count == 1 else ""


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
