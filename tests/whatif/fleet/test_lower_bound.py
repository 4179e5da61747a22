"""The relaxation never costs more than a packing that works."""

import random
from itertools import product

import numpy as np
import pytest

from kschedctl.whatif.fleet.lower_bound import Problem, least_cost


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


def packs(room, counts, requests):
    """Whether pods fit on nodes, each tried on every node."""
    if not any(counts):
        return True
    at = next(i for i, count in enumerate(counts) if count)
    left = [count - (i == at) for i, count in enumerate(counts)]
    return any(
        packs([*room[:n], room[n] - requests[at], *room[n + 1 :]], left, requests)
        for n in range(len(room))
        if room[n] >= requests[at]
    )


@pytest.mark.parametrize("seed", range(20))
def test_no_packing_is_cheaper(seed):
    rng = random.Random(seed)
    rooms, prices = [rng.randint(3, 6), rng.randint(7, 12)], [rng.randint(2, 4), rng.randint(4, 8)]
    requests, counts = [rng.randint(1, 3), rng.randint(2, 3)], [rng.randint(1, 3), rng.randint(1, 3)]
    costs = [
        a * prices[0] + b * prices[1]
        for a, b in product(range(5), repeat=2)
        if packs([rooms[0]] * a + [rooms[1]] * b, counts, requests)
    ]
    bound = least_cost(
        problem(
            price=np.array(prices, float),
            room=np.array([[room, 110] for room in rooms], float),
            count=np.array(counts),
            request=np.array([[request, 1] for request in requests], float),
            most=np.array([[room // request for room in rooms] for request in requests]),
            at_home=np.zeros(2, np.int64),
        )
    )

    assert bound.cost <= min(costs) + 1e-6
    assert bound.cost > 0
