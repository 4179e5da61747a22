"""The cheapest mix of nodes that kube-scheduler fills so that every pod finds one.

It begins with the relaxation, simulates, adds what is lacking, and takes away what is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Final

from msgspec import Struct

from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.capacity.headroom import Headroom, keep_free
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.demand import ShapeColumn, Showroom, columns_of
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.fleet.lower_bound import Bound, least_cost
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, SimulationResult, settled_session, simulate
from kschedctl.whatif.world.changes import Change
from kschedctl.whatif.world.world import World
from kschedctl.workloads.controllers import is_daemon

Mix = tuple[int, ...]
"""How many nodes of each column, in the order of the columns."""

_MOST_SWAPPED: Final = 4
_NOTHING: Final = 1e-9
_STEPS: Final = (1, 2, 4)
"""So many nodes at once, where fewer do not help."""
_NOBODY: Final = (0, 0)
_ANY: Final = 2**62
"""Failures are not tried while pods are without a node; more than any number."""


class Wish(Struct, frozen=True):
    """What a mix has to do.

    Attributes:
        plan: manifests, and changes before the nodes are added. Daemon sets come before other workloads: a daemon that
            finds a new node full would call for another node.
        shapes: what can be bought.
        headroom: kept free on every node.
        survive_nodes: so many nodes may fail at once.
        survive_zones: so many zones may fail at once.
        most_trials: so many mixes are simulated at most.
    """

    plan: Plan
    shapes: Sequence[Shape]
    headroom: Sequence[Headroom] = ()
    survive_nodes: int = 0
    survive_zones: int = 0
    most_trials: int = 200


class Fleet(Struct, frozen=True):
    """What is to be bought.

    Attributes:
        columns: a shape in a zone each.
        mix: how many of each.
        cost: of all of them.
        bound: no mix costs less; None: even the relaxation has no place for every pod.
        found: the simulation with these nodes.
        lacking: pods without a node, in the end or once something fails.
        homeless: of these, pods that no shape and no node that is there can ever take.
        failed: the nodes or zones whose failure leaves pods without a node.
        trials: how many mixes were simulated.
        all_tried: whether the search ended by itself.
    """

    columns: Sequence[ShapeColumn]
    mix: Mix
    cost: float
    bound: float | None
    found: SimulationResult
    lacking: Sequence[Task]
    homeless: Sequence[Task]
    failed: tuple[str, ...]
    trials: int
    all_tried: bool

    @property
    def possible(self) -> bool:
        """Whether every pod finds a node, whatever may fail."""
        return not self.lacking


class KeepFree(Change):
    """Room is taken away from every node."""

    def __init__(self, headroom: Sequence[Headroom]) -> None:
        self.headroom = headroom

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        keep_free(world, self.headroom)


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
        self._room = Showroom(loaded, options, wish.plan, wish.shapes, self._last)

    def fleet(self, inspect: Inspect | None) -> Fleet:
        nothing: Mix = (0,) * len(self._columns)
        first = self._try(nothing)
        wanted = [task for task in first.found.tasks if not is_daemon(task.pod)]
        bound, homeless = self._least(wanted, with_home=True)
        mix = nothing
        if first.lacking:
            mix = self._mended(self._rounded(bound) if bound is not None else nothing, homeless)
            if self._open(mix, homeless) == _NOBODY:
                mix = self._shrunk(mix, homeless)
        trial = self._try(mix)
        if trial.lacking and not trial.failed and inspect is not None:
            trial = self._simulated(mix, inspect)
        without = [task for task in trial.lacking if task.name in homeless]
        return Fleet(
            columns=self._columns,
            mix=mix,
            cost=self._cost(mix),
            bound=None if homeless or bound is None else bound.cost,
            found=trial.found,
            lacking=trial.lacking,
            homeless=without,
            failed=trial.failed,
            trials=len(self._trials),
            all_tried=len(self._trials) < self._wish.most_trials,
        )

    def _least(self, tasks: Sequence[Task], *, with_home: bool) -> tuple[Bound | None, set[str]]:
        """The relaxation for some pods, without those that have no place anywhere, which are named."""
        problem, classes = self._room.problem(tasks, with_home=with_home)
        can_be = problem.most.any(axis=1) | problem.at_home
        homeless = {task.name for place, alike in enumerate(classes) if not can_be[place] for task in alike}
        return least_cost(problem.only(can_be)), homeless

    def _rounded(self, bound: Bound) -> Mix:
        """The nodes of the relaxation, those of a shape spread evenly over its zones as far as these are alike."""
        mix = bound.nodes.tolist()
        for at in range(len(self._wish.shapes)):
            mine = [place for place, column in enumerate(self._columns) if column.shape == at]
            total = self._with_spare(sum(mix[place] for place in mine), mine)
            for turn, place in enumerate(mine):
                mix[place] = total // len(mine) + (turn < total % len(mine))
        return tuple(mix)

    def _with_spare(self, count: int, columns: Sequence[int]) -> int:
        """So many nodes that about as many are left once zones are lost."""
        zones = len({self._columns[place].zone for place in columns})
        lost = self._wish.survive_zones
        return -(-count * zones // (zones - lost)) if 0 < lost < zones else count

    def _mended(self, mix: Mix, homeless: set[str]) -> Mix:
        """A mix with so many nodes more that every pod which can have a node has one, as far as nodes help."""
        while self._may_go_on:
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
        bound, _ = self._least(lacking, with_home=False)
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

    def _shrunk(self, mix: Mix, homeless: set[str]) -> Mix:
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
            for less in self._cheaper(mix):
                if not self._may_go_on:
                    break
                if self._open(less, homeless) == _NOBODY:
                    mix, moved = less, True
                    break
        return mix

    def _cheaper(self, mix: Mix) -> Iterator[Mix]:
        """Mixes in which a few nodes of one column stand for a few of another and cost less, by what they save."""
        found: list[tuple[float, Mix]] = []
        for place, other in permutations(range(len(mix)), 2):
            for gone, come in product(
                range(1, min(mix[place], _MOST_SWAPPED) + 1), range(1, _MOST_SWAPPED + 1)
            ):
                saved = gone * self._price(place) - come * self._price(other)
                swapped = _changed(mix, {place: -gone, other: come})
                if saved > _NOTHING and self._is_to_be_had(swapped):
                    found.append((saved, swapped))
        yield from (swapped for _, swapped in sorted(found))

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
        return len(self._trials) < self._wish.most_trials


def _changed(mix: Mix, by: dict[int, int]) -> Mix:
    return tuple(count + by.get(place, 0) for place, count in enumerate(mix))
