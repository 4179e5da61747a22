"""A tree of groups on the nodes: leaves place their members, composite groups their children (spec 07 §5, §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.placement import Placement
from kschedctl.framework.runtime import states_or_missing
from kschedctl.framework.status import Code
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.feasibility import feasibility
from kschedctl.gangs.group import Group
from kschedctl.gangs.members import place_while_possible
from kschedctl.gangs.placements import on_placements
from kschedctl.gangs.result import GroupResult, MemberAttempt
from kschedctl.gangs.status import UNSCHEDULABLE, GroupStatus, failed, unschedulable
from kschedctl.scheduling.effects import place

Ints = npt.NDArray[np.int64]


class Tree(Struct, eq=False):
    """What the algorithm found for a root and all below it.

    Attributes:
        root: the topmost group.
        results: by group; groups that were never reached have none until `complete`.
    """

    root: Group
    results: dict[Group, GroupResult] = field(default_factory=dict)

    def placed(self, group: Group | None = None) -> list[MemberAttempt]:
        """The members that have a place, in all leaves whose groups above are placed."""
        group = group or self.root
        result = self.results.get(group)
        if result is None or not result.status.succeeded:
            return []
        return result.assigned + [found for child in group.children or () for found in self.placed(child)]

    def found(self) -> list[MemberAttempt]:
        """The members that found a node, those included whose group then failed."""
        results = (self.results.get(group) for group in self.root.listed())
        return [attempt for result in results if result is not None for attempt in result.assigned]

    def states(self, plugin: str) -> list[tuple[PodRecord, Any]]:
        """The members that were evaluated, with the state of a plugin."""
        attempts = [attempt for result in self.results.values() for attempt in result.attempts]
        phases = [(attempt.pod, attempt.decision.phase) for attempt in attempts]
        return [(pod, states_or_missing(phase, plugin)) for pod, phase in phases if phase is not None]

    def complete(self) -> None:
        """Let groups share the status of the one above them that failed, or without which they were not tried."""
        self._complete(self.root, None)

    def _complete(self, group: Group, above: GroupResult | None) -> None:
        own = self.results.get(group)
        if own is None or (above is not None and not above.status.succeeded and own.status.succeeded):
            own = self.results[group] = GroupResult(group, above.status if above else GroupStatus())
        for child in group.children or ():
            self._complete(child, own)


def run_tree(context: GroupContext, root: Group) -> Tree:
    """Place a root group, and take that back."""
    with context.trial():
        tree = _place(context, root, None)
    own = tree.results[root]
    if own.status.succeeded and not own.any_placed:
        # kube-scheduler wants at least one pod for a success.
        own.status = unschedulable(error=UNSCHEDULABLE)
    return tree


def _place(context: GroupContext, group: Group, scope: Ints | None) -> Tree:
    """Place a group on the nodes of a scope; its members stay there where more groups follow."""
    if not context.by_placement:
        return Tree(group, {group: place_while_possible(context, group, scope)})
    trees: dict[int, Tree] = {}

    def trial(placement: Placement) -> GroupResult:
        tree = _place_on(context, group, placement)
        own = tree.results[group]
        trees[id(own)] = tree
        return own

    def assigned(result: GroupResult) -> Sequence[MemberAttempt]:
        return trees[id(result)].placed()

    rows = context.cluster.present.order if scope is None else scope
    best = on_placements(context, group, rows, trial, assigned)
    tree = trees.get(id(best)) or Tree(group, {group: best})
    if best.status.code is Code.ERROR:
        tree = Tree(group, {group: best})
    if context.enabled("CompositePodGroup") and best.status.succeeded:
        for attempt in tree.placed():
            place(attempt.decision)
    return tree


def _place_on(context: GroupContext, group: Group, placement: Placement) -> Tree:
    """Place a group on the nodes of one placement."""
    if not group.is_composite:
        return Tree(group, {group: place_while_possible(context, group, placement.rows)})
    return _place_children(context, group, placement.rows)


def _place_children(context: GroupContext, group: Group, rows: Ints) -> Tree:
    tree = Tree(group)
    assert group.children is not None
    scheduled, remaining = 0, len(group.children)
    status, goes_on = feasibility(context, group, scheduled, remaining)
    own = GroupResult(group, status)
    tree.results[group] = own
    if not goes_on:
        return tree
    mark = context.cluster.mark()
    for child in group.children:
        below = _place(context, child, rows)
        found = below.results[child]
        tree.results |= below.results
        if found.status.code is Code.ERROR:
            text = f"composite pod group evaluation failed due to child error: {found.status.cause}"
            own.status = failed(text)
            return tree
        own.any_placed = own.any_placed or found.any_placed
        remaining -= 1
        scheduled += found.status.succeeded
        own.status, goes_on = feasibility(context, group, scheduled, remaining)
        if not goes_on:
            break
    if goes_on and not own.status.succeeded:
        own.status = unschedulable(*own.status.reasons, error=UNSCHEDULABLE)
    if not own.status.succeeded:
        own.any_placed = False
        context.take_back(mark)
    return tree
