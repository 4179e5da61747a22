"""Which of several nodes with the highest total is taken (spec 01 §5.8)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from kschedctl.scheduling.options import TieBreak

Ints = npt.NDArray[np.int64]


def heap_choice(tied: Ints, count: int) -> int:
    """Position of the winner since 1.35: the first maximum in pre-order of the list read as a binary tree.

    Args:
        tied: int64 (T,), T > 0, the positions of the maximum.
        count: how many nodes there are.
    """
    if len(tied) == 1:
        return int(tied[0])
    return int(tied[preorder_rank(count.bit_length())[tied].argmin()])


@lru_cache(maxsize=32)
def preorder_rank(depth: int) -> Ints:
    """For each position of a binary tree of `depth` levels its place in pre-order, int64 (2**depth - 1,).

    A node's path from the root, padded to full depth, orders the tree left to right; of those that share it the
    one nearer to the root comes first. Which of two positions comes first does not depend on the size of the tree.
    """
    heap_index = np.arange(1, 2**depth, dtype=np.int64)
    level = np.floor(np.log2(heap_index)).astype(np.int64)
    order = np.lexsort((level, heap_index << (depth - 1 - level)))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank


def break_tie(
    tied: Ints,
    feasible: Ints,
    names: Sequence[str],
    rule: TieBreak,
    by_chance: bool,
    source: Callable[[], random.Random],
) -> int:
    """Position of the node that is taken.

    Args:
        tied: int64 (T,), T > 0, positions of the nodes with the highest total, in the order of the search.
        feasible: int64 (F,), the rows of all of them.
        names: node names by row.
        rule: which of several equal ones.
        by_chance: whether kube-scheduler draws one; else it has an order of its own.
        source: makes the source for the random rule, asked only where there is a tie.
    """
    if rule is TieBreak.UPSTREAM and not by_chance:
        return heap_choice(tied, len(feasible))
    by_name = sorted(tied.tolist(), key=lambda position: names[int(feasible[position])])
    return int(source().choice(by_name) if rule is TieBreak.RANDOM and by_name[1:] else by_name[0])
