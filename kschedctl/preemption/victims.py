"""Victims on all potential nodes at once: remove all, then reprieve rank by rank (spec 01 §9.2, design §3)."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import HypotheticalRows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.status import Code, Status
from kschedctl.framework.versions import Facts
from kschedctl.preemption.budgets import breaking_budgets
from kschedctl.preemption.importance import Victims, by_importance, ranked
from kschedctl.preemption.known_trials import KnownTrials
from kschedctl.preemption.result import Candidates, DryRun
from kschedctl.preemption.statuses import statuses
from kschedctl.preemption.units_on_node import Found, NodeTrial, merged, with_groups

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

NO_VICTIMS = Status(Code.UNRESOLVABLE, ("No preemption victims found for incoming pod",))


def dry_run(
    framework: Framework, phase: PreFilterPhase, pod: PodRecord, cluster: ClusterState, potential: Ints
) -> DryRun:
    """Find the victims on every potential node, int64 (R,) rows."""
    grouped = with_groups(framework, cluster, potential)
    in_lockstep = partial(_in_lockstep, framework, phase, pod, cluster)
    known = KnownTrials.of(cluster)
    tried = known.dry_run(framework, phase, pod, cluster, potential[~grouped], in_lockstep)
    if not grouped.any():
        return tried
    more: dict[int, Found] = {}
    for row in potential[grouped].tolist():
        found = NodeTrial(framework, pod, cluster, row, NO_VICTIMS).run()
        if isinstance(found, Status):
            tried.failed[row] = found
        else:
            more[row] = found
    return DryRun(merged(tried.candidates, more, potential), tried.failed)


def _in_lockstep(
    framework: Framework, phase: PreFilterPhase, pod: PodRecord, cluster: ClusterState, potential: Ints
) -> DryRun:
    """The same for nodes without pods of groups, all of them at once."""
    victims = lower_pods(cluster, pod, potential)
    count = np.bincount(victims.rows, minlength=len(potential))
    alone = potential[count == 0]
    failed = dict.fromkeys(alone.tolist(), NO_VICTIMS)
    with_victims = np.flatnonzero(count)
    if not len(with_victims):
        return DryRun(Candidates.none(), failed)
    potential = potential[with_victims]
    victims = Victims(victims.pods, np.searchsorted(with_victims, victims.rows), victims.ranks)
    world = framework.hypothetical(phase, cluster, potential)
    for pods in victims.by_rank(len(potential)):
        framework.change(phase, world, pods, -1)
    emptied = framework.run_filters_with_nominated(pod, phase, world)
    for at in np.flatnonzero(emptied.codes == Code.ERROR).tolist():
        status = emptied.status_of(at)
        assert status is not None
        failed[int(potential[at])] = replace(status, reasons=(emptied.error_of(at) or "",))
    refused = np.flatnonzero((emptied.codes != 0) & (emptied.codes != Code.ERROR))
    failed.update(zip(potential[refused].tolist(), statuses(emptied, refused), strict=True))
    keep = np.flatnonzero(emptied.feasible)
    candidates, kept = _reprieve(framework, phase, pod, world.take(keep), _only(victims, keep))
    for row in kept.tolist():
        text = f'expected at least one victim pod on node "{cluster.nodes.names[row]}"'
        failed[row] = Status(Code.ERROR, (text,))
    return DryRun(candidates, failed)


def lower_pods(cluster: ClusterState, pod: PodRecord, potential: Ints) -> Victims:
    """Pods of lower priority on the potential nodes, in list order per row."""
    pods, counts = cluster.usage.listed(potential)
    rows = np.repeat(np.arange(len(potential)), counts)
    lower = (cluster.pods.classes.priority < pod.priority)[cluster.pods.pod_class[pods]]
    return ranked(pods[lower], rows[lower])


def _only(victims: Victims, keep: Ints) -> Victims:
    """The victims on some of the rows, which are numbered anew; `keep` is ascending."""
    mine = np.isin(victims.rows, keep)
    return Victims(victims.pods[mine], np.searchsorted(keep, victims.rows[mine]), victims.ranks[mine])


def _reprieve(
    framework: Framework, phase: PreFilterPhase, pod: PodRecord, world: HypotheticalRows, victims: Victims
) -> tuple[Candidates, Ints]:
    """Put back what need not go: those that break a budget first, then the others, by importance.

    Returns:
        The candidates, and the nodes on which nothing has to go after all.
    """
    facts = framework.version.facts
    important = by_importance(world.cluster, victims, facts)
    breaking = breaking_budgets(world.cluster, important, facts)
    order = np.lexsort((important.ranks, ~breaking, important.rows))
    turns = Victims(important.pods[order], important.rows, important.ranks)
    index, count = world.index, len(world)
    evicted = np.zeros(len(turns.pods), bool)
    position = np.full((int(turns.ranks.max(initial=-1)) + 1, count), -1, np.int64)
    position[turns.ranks, turns.rows] = np.arange(len(turns.pods))
    world, crowded = framework.beside_rivals(pod, phase, world)
    node_of = np.append(np.arange(count), crowded)
    for rank, pods in enumerate(turns.by_rank(count)):
        comes = pods[node_of]
        framework.change(phase, world, comes, 1)
        passes = framework.run_filters(pod, phase, world, among=comes >= 0, moved=True).feasible
        fits = passes[:count]
        fits[crowded] &= passes[count:]
        refused = (pods >= 0) & ~fits
        evicted[position[rank, refused]] = True
        framework.change(phase, world, np.where(refused, pods, -1)[node_of], -1)
    found = _evictions(world.cluster, turns, evicted, breaking[order], facts)
    counts = np.bincount(turns.rows[evicted], minlength=count)
    bounds = np.append(0, np.cumsum(counts[counts > 0]))
    breaks = np.isin(found, turns.pods[breaking[order]])
    return Candidates(index[counts > 0], bounds, found, breaks), index[counts == 0]


def _evictions(cluster: ClusterState, turns: Victims, evicted: Mask, breaking: Mask, facts: Facts) -> Ints:
    """The evicted pods row by row, int64 (E,): sorted anew where a row had pods of both groups (step g)."""
    rows = turns.rows
    count, broken = np.bincount(rows), np.bincount(rows, breaking)
    mixed = ((broken > 0) & (broken < count))[rows[evicted]]
    found = turns.pods[evicted]
    found[mixed] = by_importance(cluster, ranked(found[mixed], rows[evicted][mixed]), facts).pods
    return found
