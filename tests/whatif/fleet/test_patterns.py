"""The least by patterns is never above a packing that works, and sharper than one that cuts pods."""

import numpy as np
import pytest

from kschedctl.whatif.fleet.lower_bound import Problem, least_cost
from kschedctl.whatif.fleet.patterns import least_by_patterns

from .packings import random_packing


def problem(**changes):
    """One shape of 4 cores that takes one pod of 3 at a time, ten of these, nothing at home."""
    known = {
        "price": np.array([1.0]),
        "shape": np.array([0]),
        "limit": [None],
        "room": np.array([[4.0, 110.0]]),
        "count": np.array([10]),
        "request": np.array([[3.0, 1.0]]),
        "most": np.array([[1]]),
        "free": np.zeros(2),
        "at_home": np.array([0]),
        "evictable": False,
    }
    return Problem(**known | changes)


TWO = {
    "price": np.array([1.0, 1.9]),
    "shape": np.array([0, 1]),
    "limit": [None, None],
    "room": np.array([[4.0, 110.0], [8.0, 110.0]]),
    "most": np.array([[1, 2]]),
}
ONE_BY_ONE = {"most": np.array([[2]]), "request": np.array([[1.5, 1.0]])}


@pytest.mark.parametrize(
    ("changes", "nodes", "cost"),
    [
        pytest.param({}, [10], 10, id="pods are not cut"),
        pytest.param(ONE_BY_ONE, [5], 5, id="two on each node and a rest of nothing"),
        pytest.param(TWO, [0, 5], 9.5, id="the larger shape is cheaper"),
        pytest.param(TWO | {"limit": [None, 2]}, [6, 2], 9.8, id="and has a limit"),
        pytest.param(
            {"free": np.array([6.0, 9.0]), "at_home": np.array([2])}, [8], 8, id="room that is there"
        ),
        pytest.param(
            {"free": np.array([6.0, 9.0]), "at_home": np.array([1])},
            [9],
            9,
            id="of which one pod is too many",
        ),
    ],
)
def test_what_it_comes_to(changes, nodes, cost):
    found = least_by_patterns(problem(**changes))

    assert found.nodes.tolist() == nodes
    assert found.cost == pytest.approx(cost, abs=1e-3)
    bought = [at for at, count in enumerate(nodes) if count]
    assert found.worth[bought] == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"evictable": True}, id="pods that may be evicted"),
        pytest.param({"price": np.array([0.0])}, id="a shape that costs nothing"),
        pytest.param({"limit": [3]}, id="too few nodes to be had"),
    ],
)
def test_nothing_is_known_that_way(changes):
    assert least_by_patterns(problem(**changes)) is None


@pytest.mark.parametrize("seed", range(20))
def test_no_packing_is_cheaper(seed):
    fields, cheapest = random_packing(seed, 7)
    asked = problem(**fields)
    found = least_by_patterns(asked)

    assert 0 < found.cost <= cheapest + 1e-6
    assert found.nodes @ asked.price >= cheapest - 1e-6
    assert least_cost(asked).cost <= cheapest + 1e-6
