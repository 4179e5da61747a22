"""A sharper least: no pod is cut, but numbers of nodes are.

A *pattern* is what one node takes at a time. The cheapest mix of patterns costs no more than any mix of nodes.
Patterns are made as they are wanted (Gilmore and Gomory), each by what the pods in it are worth by then; however far
that has got, what the best pattern is worth for its price gives a bound (Farley).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct

from kschedctl.whatif.fleet.lower_bound import Floats, Ints, Problem, highspy, scaled

_MOST_ROUNDS: Final = 80
_MOST_BRANCHES: Final = 500
_CLOSE: Final = 1e-4
_ROUNDING: Final = 1e-6

_Kind = tuple[float, bytes, bytes, int | None]


class Patterns(Struct, frozen=True):
    """What patterns come to.

    Attributes:
        nodes: int64 (S,), whole numbers of nodes, about the cheapest.
        cost: no mix costs less.
        worth: float64 (S,), what the best pattern of a shape is worth for its price; about 1 where it is bought.
    """

    nodes: Ints
    cost: float
    worth: Floats


class _Pattern(Struct, frozen=True):
    column: int
    pods: Ints


def least_by_patterns(problem: Problem) -> Patterns | None:
    """The least by patterns, and whole numbers of nodes that are near it; None: nothing is known that way.

    Rules between pods are left out, and what the nodes that are there have left is one heap.

    Raises:
        UsageError: HiGHS is not installed.
    """
    if problem.evictable or not len(problem.count) or not len(problem.price) or (problem.price <= 0).any():
        return None
    request, room, free = scaled(problem)
    alike: dict[_Kind, int] = {}
    for at in range(len(problem.price)):
        alike.setdefault(_kind(problem, room, at), at)
    columns = list(alike.values())
    master = _Master(problem, request, free)
    knapsacks = [
        _Knapsack(request, room[at], np.minimum(problem.most[:, at], problem.count)) for at in columns
    ]
    for at, knapsack in zip(columns, knapsacks, strict=True):
        for kind in np.flatnonzero(knapsack.most).tolist():
            pods = np.zeros(len(problem.count), np.int64)
            pods[kind] = knapsack.most[kind]
            master.add(_Pattern(at, pods))
    best, ratio = 0.0, np.zeros(len(columns))
    for _ in range(_MOST_ROUNDS):
        found = master.solve()
        if found is None:
            return None
        cost, worth, toll = found
        most, wanted = 1.0, list[_Pattern]()
        for turn, (at, knapsack) in enumerate(zip(columns, knapsacks, strict=True)):
            price = float(problem.price[at])
            value, at_most, pods = knapsack.best(worth)
            extra = toll.get(int(problem.shape[at]), 0.0)
            ratio[turn] = value / price
            most = max(most, (at_most - extra) / price)
            if value - extra > price * (1 + _CLOSE):
                wanted.append(_Pattern(at, pods))
        best = max(best, cost / most)
        if not wanted or cost / most > cost * (1 - _CLOSE):
            break
        for pattern in wanted:
            master.add(pattern)
    nodes = np.zeros(len(problem.price), np.int64)
    for pattern, times in master.whole():
        nodes[pattern.column] += times
    worth_of = ratio[[list(alike).index(_kind(problem, room, at)) for at in range(len(problem.price))]]
    return Patterns(nodes, max(best - _ROUNDING, 0.0), worth_of)


def _kind(problem: Problem, room: Floats, column: int) -> _Kind:
    """What columns have in common of which one stands for all: the zones of a shape, as far as these are alike."""
    shape = int(problem.shape[column])
    limited = None if problem.limit[shape] is None else shape
    price = float(problem.price[column])
    return price, room[column].tobytes(), problem.most[:, column].tobytes(), limited


class _Master:
    """The cheapest mix of the patterns that are known."""

    def __init__(self, problem: Problem, request: Floats, free: Floats) -> None:
        self._problem = problem
        self._patterns: list[_Pattern] = []
        self._solver = solver = _quiet()
        classes, resources = request.shape
        for count in problem.count.tolist():
            _row(solver, float(count), solver.inf)
        for amount in free.tolist():
            _row(solver, -solver.inf, amount)
        self._limited = [shape for shape, limit in enumerate(problem.limit) if limit is not None]
        for shape in self._limited:
            _row(solver, -solver.inf, float(problem.limit[shape] or 0))
        self._limits = classes + resources
        self._at_home = np.flatnonzero(problem.at_home).tolist()
        for kind in self._at_home:
            asked = np.flatnonzero(request[kind])
            rows, values = [kind, *(classes + asked).tolist()], [1.0, *request[kind, asked].tolist()]
            _column(solver, 0.0, rows, values, float(problem.at_home[kind]))

    def add(self, pattern: _Pattern) -> None:
        """Let it be used."""
        kinds = np.flatnonzero(pattern.pods)
        rows, values = kinds.tolist(), pattern.pods[kinds].astype(np.float64).tolist()
        shape = int(self._problem.shape[pattern.column])
        if shape in self._limited:
            rows.append(self._limits + self._limited.index(shape))
            values.append(1.0)
        _column(self._solver, float(self._problem.price[pattern.column]), rows, values)
        self._patterns.append(pattern)

    def solve(self) -> tuple[float, Floats, dict[int, float]] | None:
        """The cost, what a pod of each class is worth, and what a limit adds to the price of a shape."""
        self._solver.run()
        if self._solver.getModelStatus() != highspy().HighsModelStatus.kOptimal:
            return None
        duals = self._solver.getSolution().row_dual
        worth = np.maximum(np.array(duals[: len(self._problem.count)]), 0)
        toll = {shape: -duals[self._limits + at] for at, shape in enumerate(self._limited)}
        return float(self._solver.getInfo().objective_function_value), worth, toll

    def whole(self) -> list[tuple[_Pattern, int]]:
        """Whole numbers of the patterns, about the cheapest."""
        first = len(self._at_home)
        kinds = [highspy().HighsVarType.kInteger] * len(self._patterns)
        places = np.arange(first, first + len(self._patterns), dtype=np.int32)
        self._solver.changeColsIntegrality(len(places), places, np.array(kinds))
        self._solver.setOptionValue("mip_max_nodes", _MOST_BRANCHES)
        self._solver.run()
        values = self._solver.getSolution().col_value[first:]
        counts = np.rint(np.array(values)).astype(np.int64).tolist()
        return [(pattern, count) for pattern, count in zip(self._patterns, counts, strict=True) if count]


class _Knapsack:
    """What one node takes that is worth most.

    Attributes:
        most: int64 (C,), pods of each class at most.
    """

    def __init__(self, request: Floats, room: Floats, most: Ints) -> None:
        self.most = most
        self._kinds = np.flatnonzero(most)
        self._solver = solver = _quiet()
        solver.setOptionValue("mip_max_nodes", _MOST_BRANCHES)
        for amount in room.tolist():
            _row(solver, -solver.inf, amount)
        for kind in self._kinds.tolist():
            asked = np.flatnonzero(request[kind])
            _column(solver, 0.0, asked.tolist(), request[kind, asked].tolist(), float(most[kind]), whole=True)

    def best(self, worth: Floats) -> tuple[float, float, Ints]:
        """What the best pattern that was found is worth, what none is worth more than, and the pattern."""
        pods = np.zeros(len(self.most), np.int64)
        if not len(self._kinds):
            return 0.0, 0.0, pods
        places = np.arange(len(self._kinds), dtype=np.int32)
        self._solver.changeColsCost(len(places), places, -worth[self._kinds])
        self._solver.run()
        pods[self._kinds] = np.rint(np.array(self._solver.getSolution().col_value)).astype(np.int64)
        return float(worth @ pods), -float(self._solver.getInfo().mip_dual_bound), pods


def _quiet() -> Any:
    solver = highspy().Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    return solver


def _row(solver: Any, low: float, high: float) -> None:
    solver.addRow(low, high, 0, np.array([], np.int32), np.array([], np.float64))


def _column(
    solver: Any,
    cost: float,
    rows: Sequence[int],
    values: Sequence[float],
    most: float | None = None,
    *,
    whole: bool = False,
) -> None:
    high = solver.inf if most is None else most
    solver.addCol(cost, 0.0, high, len(rows), np.array(rows, np.int32), np.array(values, np.float64))
    if whole:
        last = solver.getNumCol() - 1
        solver.changeColIntegrality(last, highspy().HighsVarType.kInteger)
