"""The sentences of a report on a simulation, without layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kschedctl.objects.phrases import plural
from kschedctl.objects.units import amount_texts
from kschedctl.reports.sentences import listed
from kschedctl.reports.simulate.model import (
    ClosedNode,
    EvictedVictim,
    Load,
    NotCreatedGroup,
    PendingGroup,
    RefusedGroup,
    RemovedPod,
    Simulation,
)
from kschedctl.reports.simulate.other_schedulers import other_scheduler


def verdict(report: Simulation) -> str:
    """The answer in one sentence."""
    if not report.wanted:
        parts = [] if report.removed else ["nothing is to be scheduled"]
    elif report.left:
        absent = sum(group.count for group in report.not_created)
        failing = sum(group.count for group in report.refused)
        elsewhere = sum(group.count for group in report.pending if other_scheduler(group.message))
        others = report.left - absent - failing - elsewhere
        unjudged = others if report.undecided else len(report.not_judged)
        pending = others - unjudged
        parts = [f"{report.placed:,} of {plural(report.wanted, 'pod')} placed"]
        if pending:
            parts.append(f"{pending:,} {'stays' if pending == 1 else 'stay'} pending")
        if elsewhere:
            parts.append(f"{elsewhere:,} left to another scheduler")
        if unjudged:
            parts.append(f"{unjudged:,} not judged")
        if failing:
            parts.append(f"{failing:,} refused by the kubelet")
        if absent:
            parts.append(f"{absent:,} not created")
    else:
        parts = ["the only pod is placed" if report.wanted == 1 else f"all {report.wanted:,} pods placed"]
    if report.removed:
        go = "goes" if len(report.removed) == 1 else "go"
        parts.append(f"{plural(len(report.removed), 'pod')} {go}")
    if report.evictions:
        parts.append(f"{plural(len(report.evictions), 'running pod')} preempted")
    if report.lost:
        parts.append(f"{plural(len(report.lost), 'pod')} lost")
    if stuck := sum(bool(update.stuck) for update in report.rollouts):
        parts.append(f"{plural(stuck, 'rolling update')} stuck")
    return ", ".join(parts)


def then(victim: EvictedVictim) -> str:
    """What becomes of a victim."""
    if victim.placed_on is not None:
        return f"goes to {victim.placed_on}"
    if victim.rolled:
        return "is gone: the rollout brings its new form"
    if victim.other_scheduler:
        return f"{victim.other_scheduler} places it"
    return "stays pending" if victim.recreated else "is gone: nothing makes it anew"


def who(group: PendingGroup, width: int | None = None) -> str:
    """Whom a group is about: the pods by name where they fit into a width (None: always), else their number."""
    bare = group.workload.rpartition("/")[0].endswith("Pod")
    if group.workloads > 1:
        several = f"{group.workload} and {group.workloads - 1} more like it"
        return several if bare else f"{several}: {plural(group.count, 'pod')}"
    if bare:
        return group.workload
    names = [name.partition("/")[2] for name in group.pods]
    text = f"{group.workload}: {listed(names, len(names) + 1, group.counted)}"
    return text if width is None or len(text) <= width else f"{group.workload}: {plural(group.count, 'pod')}"


def notes(report: Simulation) -> list[tuple[str, str]]:
    """Labels and what belongs to them: rolling updates, pods not created, lost pods, notes, caveats."""
    rows: list[tuple[str, str]] = []
    for update in report.rollouts:
        done = (
            f"{update.workload}: {plural(update.steps, 'step')}, {update.updated} new, {update.old} old left"
        )
        if update.kept:
            done += f" ({update.kept})"
        rows.append(("rollout", f"{done}; stuck on {update.stuck}" if update.stuck else done))
    rows += not_created(report.not_created)
    rows += refused(report.refused)
    rows += [("goes" if len(pods) == 1 else "go", text) for text, pods in _removed(report.removed)]
    if report.lost:
        rows.append(("lost", f"{listed(report.lost, 6)}: no controller makes them anew"))
    if report.effects == "immediate":
        rows.append(("effects", "immediate: victims of preemption are gone at once, their room is free"))
    rows += [("note", note) for note in report.notes]
    rows += [("caveat", caveat.message) for caveat in report.cluster.caveats]
    return rows


def _removed(pods: Sequence[RemovedPod]) -> Iterator[tuple[str, list[RemovedPod]]]:
    """Pods that go, by workload, with the nodes that they leave."""
    groups: dict[str, list[RemovedPod]] = {}
    for pod in pods:
        groups.setdefault(pod.workload, []).append(pod)
    for workload, group in groups.items():
        names = [f"{pod.pod.partition('/')[2]} ({pod.node or 'pending'})" for pod in group]
        yield f"{workload}: {listed(names, 6)}", group


def refused(groups: Sequence[RefusedGroup]) -> list[tuple[str, str]]:
    """Pods that name their node and fail there."""
    return [("refused", _refused(group)) for group in groups]


def _refused(group: RefusedGroup) -> str:
    names = [name.partition("/")[2] for name in group.pods]
    why = f"{group.reason} ({group.message})"
    match group.controller:
        case None:
            then = "nothing makes it anew"
        case "Job":
            then = "the Job makes others until its backoffLimit"
        case kind:
            then = f"the {kind} makes others without end, which fail as well"
    who_fails = f"{group.workload}: {listed(names, 6, group.counted)}"
    return f"{who_fails} on {group.node}, {why}; {then}"


def not_created(groups: Sequence[NotCreatedGroup]) -> list[tuple[str, str]]:
    """Members of stateful sets that wait for one before them."""
    rows = []
    for group in groups:
        names = [name.partition("/")[2] for name in group.pods]
        verb = "waits" if group.count == 1 else "wait"
        members = listed(names, 6, group.counted)
        rows.append(("not created", f"{group.workload}: {members} {verb} for {group.waits_for}"))
    return rows


def not_counted(nodes: Sequence[ClosedNode]) -> str:
    """Which nodes the shares leave out: `2 nodes cordoned, not counted`; nothing where all count."""
    before = _reasons([node.before for node in nodes])
    after = _reasons([node.after for node in nodes])
    if before == after:
        return f"{after}, not counted" if after else ""
    sides = [
        f"{side}: {change_texts}"
        for side, change_texts in (("before", before), ("after", after))
        if change_texts
    ]
    return f"{'; '.join(sides)}, not counted"


def _reasons(whys: Iterable[str | None]) -> str:
    counts = sorted(Counter(why for why in whys if why is not None).items())
    return ", ".join(f"{plural(count, 'node')} {why}" for why, count in counts)


def percent(load: Load | None) -> str:
    """The part in use, as people write it; nothing can be in use of nothing."""
    return f"{load.share * 100:.0f} %" if load is not None and load.allocatable else "-"


def amounts(resource: str, load: Load | None) -> str:
    """What is in use, and of how much."""
    if load is None:
        return "-"
    used, whole = amount_texts(resource, (load.requested, load.allocatable))
    return f"{used} of {whole}"
