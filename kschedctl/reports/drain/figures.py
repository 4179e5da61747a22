"""A drain in pictures: what each wave evicts, where everything on the nodes goes, what becomes of all nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.drain import sentences
from kschedctl.reports.drain.model import Drain, DrainedPod
from kschedctl.reports.figures import Branch, BranchTree, Figure, StackedBars
from kschedctl.reports.rooms.grid import room_figures
from kschedctl.reports.simulate.lanes import run_figures
from kschedctl.reports.simulate.model import EvictedVictim
from kschedctl.reports.simulate.other_schedulers import left_to_others
from kschedctl.reports.simulate.sentences import then
from kschedctl.reports.tone import Tone

_NAMED: Final = 9
"""So many workloads have a colour of their own."""
_MOST: Final = 500
"""So many pods are shown in a tree."""


def figures(report: Drain) -> list[Figure]:
    """The pictures of a report."""
    leaving = _by_node((pod.node, pod.full_name) for pod in report.evicted)
    coming = _by_node((pod.placed_on, pod.full_name) for pod in report.evicted)
    groups = [
        ("drained", {name: f"loses {_named(leaving, name)}" for name in report.nodes}),
        ("gets pods", {name: f"gets {_named(coming, name)}" for name in coming}),
    ]
    waves, tree = ([_waves(report)], [_tree(report)]) if report.evicted else ([], [])
    return [
        *waves,
        *run_figures(report.timeline or [], report.seconds),
        *room_figures("nodes by what becomes of them", groups, report.rooms, bad=("drained",)),
        *tree,
    ]


def _by_node(pods: Iterable[tuple[str | None, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node, pod in pods:
        if node is not None:
            found.setdefault(node, []).append(pod)
    return found


def _named(pods: Mapping[str, Sequence[str]], node: str) -> str:
    return ", ".join(pods.get(node, ())) or "no pod"


def _waves(report: Drain) -> StackedBars:
    """How many pods of which workload each wave evicts."""
    sizes = Counter(pod.workload for pod in report.evicted)
    named = {workload for workload, _ in sizes.most_common(_NAMED)} if len(sizes) > _NAMED + 1 else set(sizes)
    others = plural(len(sizes) - len(named), "other workload")
    counts = Counter((pod.wave, pod.workload if pod.workload in named else others) for pod in report.evicted)
    parts = [
        *(workload for workload in sizes if workload in named),
        *([others] if len(sizes) > len(named) else []),
    ]
    waves = sorted({pod.wave for pod in report.evicted if pod.wave is not None})
    bars = [(f"wave {wave}", [counts[wave, part] for part in parts]) for wave in waves]
    return StackedBars("pods by wave", parts, bars)


def _tree(report: Drain) -> BranchTree:
    """Each drained node, the pods that leave it, and whom they evict in turn."""
    by: dict[str, list[EvictedVictim]] = {}
    for victim in report.evictions:
        by.setdefault(victim.by, []).append(victim)
    theirs = frozenset(left_to_others(report.pending))
    pods: dict[str, list[DrainedPod]] = {}
    for pod in report.evicted[:_MOST]:
        pods.setdefault(pod.node, []).append(pod)
    branches = [
        Branch(
            node,
            f"{plural(len(own), 'pod')} {'leaves' if len(own) == 1 else 'leave'}",
            Tone.PLAIN,
            [_pod(pod, by, theirs) for pod in own],
        )
        for node, own in pods.items()
    ]
    if (left := len(report.evicted) - _MOST) > 0:
        branches.append(Branch(plural(left, "more pod")))
    return BranchTree("where the pods of the nodes go", branches)


def _pod(pod: DrainedPod, by: Mapping[str, Sequence[EvictedVictim]], theirs: Collection[str]) -> Branch:
    waited = f", after it waited for {', '.join(pod.waited_for)}" if pod.waited_for else ""
    told = f"wave {pod.wave}{waited}: {sentences.destination(pod, theirs)}"
    return Branch(
        pod.full_name,
        told,
        Tone.YES if pod.placed_on else Tone.NO,
        _victims(pod.full_name, by, {pod.full_name}),
    )


def _victims(pod: str, by: Mapping[str, Sequence[EvictedVictim]], seen: set[str]) -> list[Branch]:
    """Whom a pod evicts; pods that evict one another in turn are told once."""
    found = []
    for victim in by.get(pod, ()):
        below = [] if victim.pod in seen else _victims(victim.pod, by, {*seen, victim.pod})
        told = f"evicted from {victim.node}, {then(victim)}"
        found.append(Branch(victim.pod, told, Tone.YES if victim.placed_on else Tone.NO, below))
    return found
