"""The normalisation that several plugins share (spec 02 D.0)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .scoring import MAX_SCORE

Ints = npt.NDArray[np.int64]


def share_of_maximum(scores: Ints) -> Ints:
    """Scores as whole percents of the largest, int64 (F,); all 0 stays all 0. Scores are never negative."""
    top = int(scores.max(initial=0))
    return scores * MAX_SCORE // top if top else scores


def reversed_share_of_maximum(scores: Ints) -> Ints:
    """100 minus the share of the maximum, int64 (F,): the fewer the better, and all 0 gives 100 everywhere."""
    return MAX_SCORE - share_of_maximum(scores)
