"""The sentences of a report on a drain, without layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import groupby

from msgspec import Struct

from kschedctl.objects.phrases import plural
from kschedctl.reports.drain.model import SEVERAL_BUDGETS, Drain, DrainedPod
from kschedctl.reports.sentences import listed
from kschedctl.reports.simulate.other_schedulers import left_to_others
from kschedctl.reports.simulate.sentences import not_created, refused

_STAYING = {
    "daemon": ("stays: a daemon of the node", "stay: daemons of their nodes"),
    "static": ("stays: run by the kubelet from a file", "stay: run by the kubelet from files"),
    "finished": ("has finished: deleted", "have finished: deleted"),
    "ending": ("is being deleted already", "are being deleted already"),
    "delete": ("is deleted for good: nothing controls it", "are deleted for good: nothing controls them"),
    "refuse": (
        "stops the drain: nothing controls it, --force would delete it for good",
        "stop the drain: nothing controls them, --force would delete them for good",
    ),
}


def verdict(report: Drain) -> str:
    """The answer in one sentence, with the price of --force."""
    answer = _answer(report)
    lost = [pod for pod in report.evicted if pod.treatment == "delete"]
    if not lost:
        return answer
    verb = "is" if len(lost) == 1 else "are"
    return f"{answer}; {len(lost)} without a controller {verb} lost (--force)"


def _answer(report: Drain) -> str:
    who = listed(report.nodes)
    moved = len(report.evicted)
    if report.possible:
        if not moved:
            return f"{who} can be drained: no pod has to move"
        return f"{who} can be drained: {plural(moved, 'pod')} in {plural(report.waves, 'wave')}"
    parts = []
    if refused := report.treated("refuse"):
        parts.append(f"{plural(len(refused), 'pod')} without a controller")
    if held := {pod for deadlock in report.deadlocks for pod in deadlock.pods}:
        parts.append(f"{plural(len(held), 'pod')} held by a disruption budget")
    if report.undecided:
        return f"{who} may or may not be drained: {plural(len(report.not_judged), 'pod')} not judged"
    waits, elsewhere = len(report.waits_for_removal), len(left_to_others(report.pending))
    left = report.without_node - len(report.not_judged) - elsewhere
    if not (parts or report.not_created or report.returning or report.refused or report.not_judged):
        then = []
        if waits:
            what = "the node is" if len(report.nodes) == 1 else "the nodes are"
            then.append(f"{plural(waits, 'pod')} {'waits' if waits == 1 else 'wait'} until {what} deleted")
        if elsewhere:
            then.append(
                f"{plural(elsewhere, 'pod')} {'is' if elsewhere == 1 else 'are'} left to another scheduler"
            )
        if then and left == waits:
            return f"{who} can be emptied, and {' and '.join(then)}"
    if elsewhere:
        parts.append(f"{plural(elsewhere, 'pod')} left to another scheduler")
    if left:
        parts.append(f"{plural(left, 'pod')} without another node")
    if absent := sum(group.count for group in report.not_created):
        parts.append(f"{plural(absent, 'pod')} not made anew")
    if report.not_judged:
        parts.append(f"{plural(len(report.not_judged), 'pod')} not judged")
    if report.returning:
        parts.append(f"{plural(len(report.returning), 'pod')} coming back in spite of the cordon")
    if failing := sum(group.count for group in report.refused):
        parts.append(f"{plural(failing, 'pod')} refused by a kubelet")
    return f"{who} cannot be drained: {', '.join(parts)}"


class Move(Struct, frozen=True):
    """The pods of a workload that are evicted in one wave.

    Attributes:
        wave: the wave.
        workload: Kind/name of the workload.
        pods: how many.
        origins: the nodes they are on, each with how many where those are several: `:3`.
        destinations: where they go, likewise.
        waited_for: budgets that held them back before.
    """

    wave: int
    workload: str
    pods: int
    origins: list[tuple[str, str]]
    destinations: list[tuple[str, str]]
    waited_for: list[str]


def moves(report: Drain) -> list[Move]:
    """One for each wave and workload."""
    evicted = sorted(report.evicted, key=lambda pod: (pod.wave or 0, pod.workload))
    found, theirs = [], frozenset(left_to_others(report.pending))
    for (wave, workload), group in groupby(evicted, key=lambda pod: (pod.wave or 0, pod.workload)):
        pods = list(group)
        budgets = list(dict.fromkeys(budget for pod in pods for budget in pod.waited_for))
        origins, destinations = (pod.node for pod in pods), (destination(pod, theirs) for pod in pods)
        move = Move(wave, workload, len(pods), _counted(origins), _counted(destinations), budgets)
        found.append(move)
    return found


def others(report: Drain) -> list[tuple[str, str]]:
    """Pods that are not evicted, by what becomes of them."""
    rows = []
    for treatment, (one, many) in _STAYING.items():
        pods = [pod for pod in report.pods if pod.treatment == treatment]
        if pods:
            names = listed([pod.full_name for pod in pods], 4)
            rows.append((treatment, f"{names} {one if len(pods) == 1 else many}"))
    return rows


def notes(report: Drain) -> list[tuple[str, str]]:
    """What holds the drain up, the pods that are not evicted, and caveats."""
    rows: list[tuple[str, str]] = []
    several: dict[tuple[str, ...], list[str]] = {}
    for deadlock in report.deadlocks:
        if deadlock.why == SEVERAL_BUDGETS:
            several.setdefault(tuple(deadlock.pods), []).append(deadlock.budget)
    for pods, budgets in several.items():
        verb = "is" if len(pods) == 1 else "are"
        text = (
            f"{listed(pods, 4)} {verb} covered by {listed(budgets)}: the eviction API refuses pods of several"
        )
        rows.append(("deadlock", f"{text} budgets"))
    for deadlock in report.deadlocks:
        if deadlock.why == SEVERAL_BUDGETS:
            continue
        text = f"{deadlock.budget} {deadlock.why}; holds {listed(deadlock.pods, 4)}"
        if deadlock.waits_for:
            verb = "finds" if len(deadlock.waits_for) == 1 else "find"
            text += f"; waits for {listed(deadlock.waits_for, 4)}, which {verb} no node"
        rows.append(("deadlock", text))
    for waiting in report.waits_for_removal:
        keys = " and ".join(waiting.topology_keys)
        which = "the empty node is" if len(report.nodes) == 1 else "the empty nodes are"
        text = (
            f"{waiting.pod} can be evicted and waits until {listed(report.nodes)} is deleted, then it goes to "
            f"{waiting.node}: until then {which} still a domain of its spread over {keys}"
        )
        rows.append(
            ("waits", text + ("; nodeTaintsPolicy: Honor avoids that" if waiting.avoided_by_honor else ""))
        )
    if report.returning:
        one = len(report.returning) == 1
        verbs = "goes to a drained node: it tolerates" if one else "go to drained nodes: they tolerate"
        names = "names" if one else "name"
        rows.append(("returning", f"{listed(report.returning, 4)} {verbs} the cordon or {names} the node"))
    rows += not_created(report.not_created)
    rows += refused(report.refused)
    rows += others(report)
    rows += [("caveat", caveat.message) for caveat in report.cluster.caveats]
    return rows


def destination(pod: DrainedPod, theirs: Collection[str]) -> str:
    """Where a pod goes; `theirs` are those that other schedulers place."""
    if pod.placed_on or pod.treatment == "delete":
        return pod.placed_on or "gone"
    if pod.refused:
        return "refused"
    if pod.full_name in theirs:
        return "not known"
    return "not created" if pod.not_created else "pending"


def _counted(nodes: Iterable[str]) -> list[tuple[str, str]]:
    """Each node with how often it occurs, once left out."""
    return [(node, "" if count == 1 else f":{count}") for node, count in sorted(Counter(nodes).items())]
