"""The least that could do: a relaxation of the packing, solved by HiGHS, that no mix can be cheaper than.

What is relaxed: pods may be cut, the nodes of a shape are one heap (but a node holds so many pods of a class at most),
and rules between pods are left out. Nodes are whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import UsageError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_MOST_BRANCHES: Final = 5_000
"""Bounds the search by a count, not by a clock: the same answer on every machine."""
_ROUNDING: Final = 1e-6

_SMALLEST = 1e-8


class Problem(Struct, frozen=True):
    """Pods of C classes, nodes of S columns (a shape in a zone), R resources; the number of pods is one of them.

    Attributes:
        price: float64 (S,).
        shape: int64 (S,), which shape a column is of.
        limit: how many nodes of each shape can be had; None: any number.
        room: float64 (S, R), what an empty node of a shape has left once its daemons are there.
        count: int64 (C,), pods of each class.
        request: float64 (C, R).
        most: int64 (C, S), so many of a class fit on one node of a shape by themselves; 0: it does not go there.
        free: float64 (R,), what the nodes that are there have left.
        at_home: int64 (C,), so many of a class fit on these by themselves, each node for itself; 0: none goes there.
        evictable: whether pods that run there may be evicted, and then need room elsewhere.
    """

    price: Floats
    shape: Ints
    limit: Sequence[int | None]
    room: Floats
    count: Ints
    request: Floats
    most: Ints
    free: Floats
    at_home: Ints
    evictable: bool

    def only(self, classes: Mask) -> Problem:
        """The problem of some classes, bool (C,)."""
        return replace(
            self,
            count=self.count[classes],
            request=self.request[classes],
            most=self.most[classes],
            at_home=self.at_home[classes],
        )


class Bound(Struct, frozen=True):
    """What the relaxation comes to.

    Attributes:
        nodes: int64 (S,), how many nodes of each shape it takes.
        cost: no mix costs less.
    """

    nodes: Ints
    cost: float


def least_cost(problem: Problem) -> Bound | None:
    """The cheapest number of nodes by the relaxation; None: not even that has a place for every pod.

    Raises:
        UsageError: HiGHS is not installed.
    """
    solver = _solver()
    shapes, classes = len(problem.price), len(problem.count)
    request, room, free = scaled(problem)
    integer = highspy().HighsVarType.kInteger
    total = int(problem.count.sum())
    nodes = [solver.addVariable(0, total, price, integer) for price in problem.price.tolist()]
    for shape, limit in enumerate(problem.limit):
        if limit is not None:
            mine = np.flatnonzero(problem.shape == shape).tolist()
            solver.addConstr(sum(nodes[column] for column in mine) <= limit)
    placed = {
        (c, s): solver.addVariable(0, int(problem.count[c]))
        for c in range(classes)
        for s in range(shapes)
        if problem.most[c, s]
    }
    home = {
        c: solver.addVariable(0, min(int(problem.count[c]), int(problem.at_home[c])))
        for c in np.flatnonzero(problem.at_home).tolist()
    }
    moved = [solver.addVariable(0, solver.inf if problem.evictable else 0) for _ in range(request.shape[1])]
    for c in range(classes):
        parts = [placed[c, s] for s in range(shapes) if (c, s) in placed] + ([home[c]] if c in home else [])
        if not parts:
            return None
        solver.addConstr(sum(parts) == int(problem.count[c]))
    for (c, s), variable in placed.items():
        solver.addConstr(variable <= int(problem.most[c, s]) * nodes[s])
    for r in range(request.shape[1]):
        here = [float(request[c, r]) * home[c] for c in home if request[c, r]]
        if here:
            solver.addConstr(sum(here) - moved[r] <= float(free[r]))
        for s in range(shapes):
            there = [
                float(request[c, r]) * placed[c, s]
                for c in range(classes)
                if (c, s) in placed and request[c, r]
            ]
            if there:
                solver.addConstr(sum(there) <= float(room[s, r]) * nodes[s])
        if problem.evictable:
            everywhere = [float(request[c, r]) * int(problem.count[c]) for c in range(classes)]
            bought = [float(room[s, r]) * nodes[s] for s in range(shapes)]
            solver.addConstr(sum(bought) >= sum(everywhere) - float(free[r]))
    solver.minimize()
    if solver.getModelStatus() == highspy().HighsModelStatus.kInfeasible:
        return None
    values = solver.getSolution().col_value[:shapes]
    cost = max(float(solver.getInfo().mip_dual_bound) - _ROUNDING, 0.0)
    return Bound(np.rint(np.array(values)).astype(np.int64), cost)


def scaled(problem: Problem) -> tuple[Floats, Floats, Floats]:
    """Requests (C, R), room (S, R) and what is left at home (R,), in parts of the largest amount of each resource."""
    scale = np.maximum(
        np.maximum(problem.room.max(axis=0, initial=0), problem.request.max(axis=0, initial=0)), 1
    )
    request, free = problem.request / scale, problem.free / scale
    # HiGHS takes no smaller coefficients; as a request none, and more room, it stays a bound.
    request = np.where(request < _SMALLEST, 0, request)
    room = np.where(problem.room > 0, np.maximum(problem.room / scale, _SMALLEST), 0)
    return request, room, free


def highspy() -> Any:
    """The library, imported when it is used.

    Raises:
        UsageError: HiGHS is not installed.
    """
    try:
        import highspy as library
    except ImportError:
        raise UsageError(
            "the least cost is worked out by HiGHS, which is not installed",
            hint="pip install 'highspy>=1.9,<1.16'",
        ) from None
    return library


def _solver() -> Any:
    solver = highspy().Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_max_nodes", _MOST_BRANCHES)
    return solver
