"""Small problems whose cheapest packing is found by trying every one."""

import random
from itertools import product

import numpy as np


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


def random_packing(seed, most):
    """Two shapes and two kinds of pods, as fields of a problem, and what the cheapest packing costs.

    Args:
        seed: of what is random.
        most: fewer nodes than this of each shape.
    """
    rng = random.Random(seed)
    rooms, prices = [rng.randint(3, 6), rng.randint(7, 12)], [rng.randint(2, 4), rng.randint(4, 8)]
    requests, counts = [rng.randint(1, 3), rng.randint(2, 3)], [rng.randint(1, 3), rng.randint(1, 3)]
    cheapest = min(
        a * prices[0] + b * prices[1]
        for a, b in product(range(most), repeat=2)
        if packs([rooms[0]] * a + [rooms[1]] * b, counts, requests)
    )
    fields = {
        "price": np.array(prices, float),
        "shape": np.array([0, 1]),
        "limit": [None, None],
        "room": np.array([[room, 110] for room in rooms], float),
        "count": np.array(counts),
        "request": np.array([[request, 1] for request in requests], float),
        "most": np.array([[room // request for room in rooms] for request in requests]),
        "at_home": np.zeros(2, np.int64),
    }
    return fields, cheapest
