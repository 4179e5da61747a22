"""Go's integer arithmetic on columns: int64 that wraps, and division that truncates toward zero."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def truncated_divide(dividend: Ints, divisor: Ints | int) -> Ints:
    """`dividend / divisor` as Go divides int64: toward zero. Shapes broadcast; no divisor may be 0."""
    quotient = dividend // divisor
    inexact = quotient * divisor != dividend
    return np.asarray(quotient + (inexact & ((dividend < 0) != (np.asarray(divisor) < 0))))
