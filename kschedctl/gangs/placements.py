"""A group on one placement after another, and which of those that can have it is taken (spec 07 §6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.placement import Placement, PlacementTrial
from kschedctl.framework.status import Code, Status
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.group import Group
from kschedctl.gangs.result import GroupResult, MemberAttempt, PlacementResult
from kschedctl.gangs.status import UNSCHEDULABLE, GroupStatus, failed, unschedulable

Ints = npt.NDArray[np.int64]

NOT_FOUND = 'podgroup.scheduling.k8s.io "{}" not found'
NO_PLACEMENTS = "no feasible placements found"


def on_placements(
    context: GroupContext,
    group: Group,
    rows: Ints,
    trial: Callable[[Placement], GroupResult],
    assigned: Callable[[GroupResult], Sequence[MemberAttempt]],
) -> GroupResult:
    """Try every placement of a group and take the best; nothing stays in the cluster.

    Args:
        context: the cycle.
        group: a leaf or a composite group.
        rows: int64 (n,), the nodes that it may use at all.
        trial: places the group on the nodes of a placement.
        assigned: the members that a trial has placed, for the scores.
    """
    placements = _generated(context, group, rows)
    if isinstance(placements, Status):
        return GroupResult(group, GroupStatus(placements.code, list(placements.reasons)))
    results: list[GroupResult] = []
    tried: list[PlacementResult] = []
    for placement in placements:
        with context.trial():
            result = trial(placement)
        result.chosen = placement if result.feasible else None
        results.append(result)
        tried.append(PlacementResult(placement, result.feasible, result.status.message))
        if result.status.code is Code.ERROR:
            result.placements = tried
            return result
    feasible = [at for at, result in enumerate(results) if result.feasible]
    if not feasible:
        first = results[0]
        first.status = _none(context, len(placements), first.status)
        first.placements = tried
        return first
    best = feasible[0]
    if len(feasible) > 1:
        trials = [_trial_of(context, group, results[at], assigned) for at in feasible]
        scored = placement_scores(context, trials)
        if isinstance(scored, Status):
            return GroupResult(group, failed(scored.message), placements=tried)
        totals = np.sum(list(scored.values()), axis=0) if scored else np.zeros(len(feasible), np.int64)
        for position, at in enumerate(feasible):
            own = {plugin: int(scores[position]) for plugin, scores in scored.items()}
            tried[at] = replace(tried[at], scores=own, total=int(totals[position]))
        best = feasible[int(np.argmax(totals))]
    results[best].placements = tried
    return results[best]


def _none(context: GroupContext, count: int, first: GroupStatus) -> GroupStatus:
    text = f"0/{count} placements are available, first placement status: {first.cause}"
    return unschedulable(text, error=UNSCHEDULABLE if context.tests_feasibility else "")


def _generated(context: GroupContext, group: Group, rows: Ints) -> tuple[Placement, ...] | Status:
    generators = context.framework.at(ExtensionPoint.PLACEMENT_GENERATE)
    if not generators:
        return (Placement("", rows),)
    if group.spec_of is None:
        return Status(Code.ERROR, (NOT_FOUND.format(group.key[1]),))
    found = generators[0].generate_placements(context.scope_of(group), context.cluster, rows)
    return found or Status(Code.UNSCHEDULABLE, (NO_PLACEMENTS,))


def _trial_of(
    context: GroupContext,
    group: Group,
    result: GroupResult,
    assigned: Callable[[GroupResult], Sequence[MemberAttempt]],
) -> PlacementTrial:
    assert result.chosen is not None
    scheduled = sum(context.scheduled(leaf.key) for leaf in group.leaves())
    return PlacementTrial(result.chosen, scheduled, [attempt.pod for attempt in assigned(result)])


def placement_scores(context: GroupContext, trials: Sequence[PlacementTrial]) -> dict[str, Ints] | Status:
    """Plugin -> weighted score of every placement, int64 (P,), or the error of one of them."""
    found: dict[str, Ints] = {}
    weights = context.framework.profile.placement_weights
    for plugin in context.framework.at(ExtensionPoint.PLACEMENT_SCORE):
        raw = np.array([plugin.score_placement(trial, context.cluster) for trial in trials], np.int64)
        scores = plugin.normalize_placements(raw)
        if isinstance(scores, Status):
            text = f'plugin "{plugin.name}" failed with: {scores.message}'
            return Status(Code.ERROR, (f"running NormalizePlacementScore on PlacementScore plugins: {text}",))
        found[plugin.name] = scores * weights[plugin.name]
    return found
