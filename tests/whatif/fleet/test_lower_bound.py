"""The relaxation never costs more than a packing that works."""

import numpy as np
import pytest

from kschedctl.whatif.fleet.lower_bound import Problem, least_cost

from .packings import random_packing


def problem(**changes):
    """Two shapes with cpu and pods, one class of ten pods, nothing at home."""
    known = {
        "price": np.array([1.0, 3.0]),
        "shape": np.array([0, 1]),
        "limit": [None, None],
        "room": np.array([[4.0, 110.0], [16.0, 110.0]]),
        "count": np.array([10]),
        "request": np.array([[2.0, 1.0]]),
        "most": np.array([[2, 8]]),
        "free": np.zeros(2),
        "at_home": np.array([0]),
        "evictable": False,
    }
    return Problem(**known | changes)


@pytest.mark.parametrize(
    ("changes", "nodes", "cost"),
    [
        pytest.param({}, [1, 1], 4, id="one large for eight, one small for two"),
        pytest.param({"limit": [None, 0]}, [5, 0], 5, id="a shape that cannot be had"),
        pytest.param({"most": np.array([[1, 1]])}, [10, 0], 10, id="pods that keep away from their kind"),
        pytest.param({"most": np.array([[0, 8]])}, [0, 2], 6, id="pods that do not go to a shape"),
        pytest.param(
            {"at_home": np.array([9]), "free": np.array([4.0, 9.0])}, [0, 1], 3, id="room that is there"
        ),
        pytest.param(
            {"at_home": np.array([9]), "free": np.array([4.0, 9.0]), "evictable": True},
            [0, 1],
            3,
            id="room that is there, and pods that may be evicted",
        ),
        pytest.param({"price": np.array([1.0, 9.0])}, [5, 0], 5, id="a dear shape"),
    ],
)
def test_what_it_comes_to(changes, nodes, cost):
    bound = least_cost(problem(**changes))

    assert bound.nodes.tolist() == nodes
    assert bound.cost == pytest.approx(cost, abs=1e-4)


def test_pods_without_a_place():
    assert least_cost(problem(most=np.array([[0, 0]]))) is None
    assert least_cost(problem(limit=[1, 0])) is None


@pytest.mark.parametrize("seed", range(20))
def test_no_packing_is_cheaper(seed):
    fields, cheapest = random_packing(seed, 5)
    bound = least_cost(problem(**fields))

    assert 0 < bound.cost <= cheapest + 1e-6
