"""The cheapest mix of nodes that kube-scheduler fills so that every pod finds one.

It begins with the relaxation, simulates, adds what is lacking, and takes away what is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import ceil, inf
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.fleet.demand import SampleCluster, columns_of
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.fleet.lower_bound import Floats, Problem, least_cost
from kschedctl.whatif.fleet.patterns import least_by_patterns
from kschedctl.whatif.fleet.wish import Fleet, KeepFree, Mix, Wish
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, SimulationResult, settled_session, simulate
from kschedctl.whatif.world.changes import Change
from kschedctl.workloads.controllers import is_daemon

_MOST_SWAPPED: Final = 4
_MOST_COMING: Final = 16
_NOTHING: Final = 1e-9
_STEPS: Final = (1, 2, 4)
"""So many nodes at once, where fewer do not help."""
_NOBODY: Final = (0, 0)
_ANY: Final = 2**62
"""Failures are not tried while pods are without a node; more than any number."""


class _Trial(Struct, frozen=True):
    """A mix that was simulated.

    Attributes:
        found: what came of it.
        lacking: pods without a node.
        failed: what had to fail for that.
    """

    found: SimulationResult
    lacking: list[Task]
    failed: tuple[str, ...] = ()


def cheapest_fleet(
    loaded: Session,
    options: SchedulingOptions,
    wish: Wish,
    inspect: Inspect | None = None,
    observer: Observer = SILENT,
) -> Fleet:
    """The cheapest mix that was found.

    Args:
        loaded: the cluster as loaded; not changed.
        options: what to do where the real scheduler leaves room.
        wish: what it has to do.
        inspect: applied to the decisions for pods without a node, in the end.
        observer: is told how many mixes were simulated.

    Raises:
        UsageError: HiGHS is not installed, or a node of which shapes are copies is not there.
        InputError: objects cannot be used.
    """
    return _Purchase(loaded, options, wish, observer).fleet(inspect)


class _Purchase:
    def __init__(self, loaded: Session, options: SchedulingOptions, wish: Wish, observer: Observer) -> None:
        self._loaded = loaded
        self._options = options
        self._wish = wish
        self._observer = observer
        self._last: list[Change] = [KeepFree(wish.headroom)] if wish.headroom else []
        self._survival = Survival(wish.survive_nodes, wish.survive_zones)
        self._columns = columns_of(wish.shapes)
        self._trials: dict[Mix, _Trial] = {}
        self._until = wish.most_trials
        self._room = SampleCluster(loaded, options, wish.plan, wish.shapes, self._last)

    def fleet(self, inspect: Inspect | None) -> Fleet:
        nothing: Mix = (0,) * len(self._columns)
        first = self._try(nothing)
        wanted = [task for task in first.found.tasks if not is_daemon(task.pod)]
        problem, homeless = self._problem(wanted, with_home=True)
        bound, patterns = least_cost(problem), least_by_patterns(problem)
        least = max((found.cost for found in (bound, patterns) if found is not None), default=None)
        mix = nothing
        if first.lacking:
            starts = [found.nodes.tolist() for found in (patterns, bound) if found is not None] or [nothing]
            starts += self._of_one_shape(problem)
            worth = np.ones(len(self._columns)) if patterns is None else patterns.worth
            mix = self._best(starts, homeless, least or 0.0, worth)
        trial = self._try(mix)
        if trial.lacking and not trial.failed and inspect is not None:
            trial = self._simulated(mix, inspect)
        without = [task for task in trial.lacking if task.name in homeless]
        return Fleet(
            columns=self._columns,
            mix=mix,
            cost=self._cost(mix),
            bound=None if homeless else least,
            found=trial.found,
            lacking=trial.lacking,
            homeless=without,
            failed=trial.failed,
            trials=len(self._trials),
            all_tried=len(self._trials) < self._wish.most_trials,
        )

    def _best(self, starts: Sequence[Sequence[int]], homeless: set[str], least: float, worth: Floats) -> Mix:
        """The best mix that comes of some beginnings."""
        best: tuple[tuple[int, int], float, Mix] | None = None
        for at, start in enumerate(starts):
            # What is left is shared by the beginnings that are left; the last one has all of it.
            left = self._wish.most_trials - len(self._trials)
            self._until = self._wish.most_trials - left * (len(starts) - at - 1) // (len(starts) - at)
            most = best[1] if best is not None and best[0] == _NOBODY else inf
            mix = self._rounded(start)
            if self._cost(mix) >= most:
                continue
            mix = self._mended(mix, homeless, most)
            if self._open(mix, homeless) == _NOBODY:
                mix = self._shrunk(mix, homeless, worth)
            found = self._open(mix, homeless), self._cost(mix), mix
            best = found if best is None or found < best else best
            if best[0] == _NOBODY and best[1] <= least + _NOTHING:
                break
        assert best is not None
        self._until = self._wish.most_trials
        return self._shrunk(best[2], homeless, worth) if best[0] == _NOBODY else best[2]

    def _problem(self, tasks: Sequence[Task], *, with_home: bool) -> tuple[Problem, set[str]]:
        """The relaxation for some pods, without those that have no place anywhere, which are named."""
        problem, classes = self._room.problem(tasks, with_home=with_home)
        can_be = problem.most.any(axis=1) | (problem.at_home > 0)
        homeless = {task.name for place, alike in enumerate(classes) if not can_be[place] for task in alike}
        return problem.only(can_be), homeless

    def _rounded(self, nodes: Sequence[int]) -> Mix:
        """Nodes of which those of a shape are spread evenly over its zones, as far as these are alike."""
        mix, spent = list(nodes), dict.fromkeys((column.zone for column in self._columns), 0.0)
        for at, shape in enumerate(self._wish.shapes):
            mine = [place for place, column in enumerate(self._columns) if column.shape == at]
            total = self._with_spare(sum(mix[place] for place in mine), mine)
            # What cannot be shared evenly goes where the least has been spent.
            by_zone = sorted(mine, key=lambda place: spent[self._columns[place].zone])
            for turn, place in enumerate(by_zone):
                mix[place] = total // len(mine) + (turn < total % len(mine))
                spent[self._columns[place].zone] += mix[place] * shape.price
        return tuple(mix)

    def _with_spare(self, count: int, columns: Sequence[int]) -> int:
        """So many nodes that about as many are left once zones are lost."""
        zones = len({self._columns[place].zone for place in columns})
        lost = self._wish.survive_zones
        return -(-count * zones // (zones - lost)) if 0 < lost < zones else count

    def _of_one_shape(self, problem: Problem) -> Iterator[list[int]]:
        """Beginnings with the nodes of one shape alone: large ones waste less, small ones are cheaper to round."""
        for at in range(len(self._wish.shapes)):
            others = [0 if other != at else limit for other, limit in enumerate(problem.limit)]
            bound = least_cost(replace(problem, limit=others))
            if bound is not None:
                yield bound.nodes.tolist()

    def _mended(self, mix: Mix, homeless: set[str], most: float) -> Mix:
        """A mix with so many nodes more that every pod which can have a node has one, as far as nodes help.

        One that costs so much that nobody wants it any more is left as it is.
        """
        while self._may_go_on and self._cost(mix) < most:
            if self._open(mix, homeless) == _NOBODY:
                return mix
            more = self._more(mix, homeless)
            if more is None:
                return mix
            mix = more
        return mix

    def _more(self, mix: Mix, homeless: set[str]) -> Mix | None:
        """A mix with more nodes that leaves fewer pods without one; None: no node helps."""
        now = self._open(mix, homeless)
        lacking = [task for task in self._try(mix).lacking if task.name not in homeless]
        bound = least_cost(self._problem(lacking, with_home=False)[0])
        if bound is not None and bound.nodes.any():
            more = tuple(a + b for a, b in zip(mix, bound.nodes.tolist(), strict=True))
            if self._is_to_be_had(more) and self._open(more, homeless) < now:
                return more
        # By the relaxation there is room, or in the wrong zone: the node that helps most for its price.
        for many in _STEPS:
            best: tuple[tuple[float, float], Mix] | None = None
            for place in range(len(self._columns)):
                more = _changed(mix, {place: many})
                if not self._is_to_be_had(more) or not self._may_go_on:
                    continue
                then, price = self._open(more, homeless), max(self._price(place), _NOTHING)
                worth = (now[0] - then[0]) / price, (now[1] - then[1]) / price
                if then < now and (best is None or worth > best[0]):
                    best = worth, more
            if best is not None:
                return best[1]
        return None

    def _shrunk(self, mix: Mix, homeless: set[str], worth: Floats) -> Mix:
        """A mix without the nodes that are not needed, the dearest first, and with cheaper ones where these do."""
        by_price = sorted(range(len(mix)), key=lambda place: -self._price(place))
        moved = True
        while moved and self._may_go_on:
            moved = False
            for place in by_price:
                step = max(mix[place] // 2, 1)
                while mix[place] and step and self._may_go_on:
                    less = _changed(mix, {place: -min(step, mix[place])})
                    if self._open(less, homeless) == _NOBODY:
                        mix, moved = less, True
                    else:
                        step //= 2
            for less in self._cheaper(mix, worth):
                if not self._may_go_on:
                    break
                if self._open(less, homeless) == _NOBODY:
                    mix, moved = less, True
                    break
        return mix

    def _cheaper(self, mix: Mix, worth: Floats) -> Iterator[Mix]:
        """Mixes in which nodes of one column stand for a few of another, as many as cost less.

        Those come first that by their patterns are worth most for their price, in the place of those worth least.
        """
        found: list[tuple[float, float, Mix]] = []
        for place, other in permutations(range(len(mix)), 2):
            for gone in range(1, min(mix[place], _MOST_SWAPPED) + 1):
                price = max(self._price(other), _NOTHING)
                come = min(ceil(gone * self._price(place) / price - _NOTHING) - 1, _MOST_COMING)
                swapped = _changed(mix, {place: -gone, other: come})
                if come > 0 and self._is_to_be_had(swapped):
                    saved = gone * self._price(place) - come * self._price(other)
                    found.append((float(worth[place] - worth[other]), saved, swapped))
        yield from (swapped for _, _, swapped in sorted(found))

    def _open(self, mix: Mix, homeless: set[str]) -> tuple[int, int]:
        """How many pods that might have a node have none: at once, and over all failures that are to be survived."""
        trial = self._try(mix)
        count = sum(task.name not in homeless for task in trial.lacking)
        return (0, count) if trial.failed else (count, _ANY if count else 0)

    def _try(self, mix: Mix) -> _Trial:
        if mix not in self._trials:
            self._observer.progress("mixes simulated", len(self._trials), None)
            self._trials[mix] = self._simulated(mix)
        return self._trials[mix]

    def _simulated(self, mix: Mix, inspect: Inspect | None = None) -> _Trial:
        plan = self._wish.plan
        added = [
            self._wish.shapes[column.shape].bought(column.zone, count)
            for column, count in zip(self._columns, mix, strict=True)
            if count
        ]
        changes = (*plan.changes, *added, *self._last)
        found = simulate(
            self._loaded,
            self._options,
            Plan(plan.manifests, plan.rollout, changes, plan.single_pass, plan.effects),
            inspector=None if inspect is None else lambda _: inspect,
        )
        lacking = [task for task in found.tasks if not task.placed]
        if lacking or not self._survival.asked:
            return _Trial(found, lacking)
        fatal = self._survival.fatal(settled_session(found), found.world.workload_of, found.tasks)
        if fatal:
            return _Trial(found, [task for loss in fatal for task in loss.pending], fatal[0].failed)
        return _Trial(found, [])

    def _is_to_be_had(self, mix: Mix) -> bool:
        counts = [0] * len(self._wish.shapes)
        for column, count in zip(self._columns, mix, strict=True):
            counts[column.shape] += count
        limits = (shape.limit for shape in self._wish.shapes)
        return all(limit is None or count <= limit for count, limit in zip(counts, limits, strict=True))

    def _price(self, place: int) -> float:
        return self._wish.shapes[self._columns[place].shape].price

    def _cost(self, mix: Mix) -> float:
        return sum(self._price(place) * count for place, count in enumerate(mix))

    @property
    def _may_go_on(self) -> bool:
        return len(self._trials) < self._until


def _changed(mix: Mix, by: dict[int, int]) -> Mix:
    return tuple(count + by.get(place, 0) for place, count in enumerate(mix))
