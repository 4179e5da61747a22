"""Which of several nodes with the highest total is taken (spec 01 §5.8)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.framework.versions import Version

from .options import TieBreak

Ints = npt.NDArray[np.int64]


def heap_choice(totals: Ints) -> int:
    """Position of the winner in 1.36: the first maximum in pre-order of the list read as a binary tree.

    Args:
        totals: int64 (F,), F > 0, in the order of the search.
    """
    tied = np.flatnonzero(totals == totals.max()).tolist()
    return tied[0] if len(tied) == 1 else min(tied, key=_preorder_key)


def _preorder_key(position: int) -> str:
    """Sorts positions of a binary tree in pre-order: the path from the root, left before right.

    A node comes before all below it, as a string comes before those that it begins.
    """
    return bin(position + 1)[3:]


def break_tie(
    totals: Ints, names: Sequence[str], rule: TieBreak, version: Version, source: random.Random
) -> int:
    """Position of the node that is taken.

    Args:
        totals: int64 (F,), F > 0, in the order of the search.
        names: the F node names.
        rule: which of several equal ones.
        version: 1.34 has no order of its own: it picks at random.
        source: for the random rule.
    """
    if rule is TieBreak.UPSTREAM and version is not Version.V1_34:
        return heap_choice(totals)
    tied = sorted(np.flatnonzero(totals == totals.max()).tolist(), key=lambda i: names[i])
    return source.choice(tied) if rule is TieBreak.RANDOM else tied[0]
