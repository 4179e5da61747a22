"""The normalisation that several plugins share (spec 02 D.0)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kschedctl.framework.arithmetic import truncated_divide
from kschedctl.framework.scoring import MAX_SCORE

Ints = npt.NDArray[np.int64]


def share_of_maximum(scores: Ints) -> Ints:
    """Scores as whole percents of the largest, int64 (F,); without any above 0 they stay as they are."""
    top = int(scores.max(initial=0))
    return truncated_divide(scores * MAX_SCORE, top) if top else scores


def reversed_share_of_maximum(scores: Ints) -> Ints:
    """100 minus the share of the maximum, int64 (F,): the fewer the better, and all 0 gives 100 everywhere."""
    return MAX_SCORE - share_of_maximum(scores)
