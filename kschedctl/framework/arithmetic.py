"""Go's integer arithmetic on columns: int64 that wraps, and division that truncates toward zero."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def truncated_divide(dividend: Ints, divisor: Ints | int) -> Ints:
    """`dividend / divisor` as Go divides int64: toward zero. Shapes broadcast; no divisor may be 0."""
    quotient: Ints = dividend // divisor
    signs = dividend ^ divisor
    if int(signs.min(initial=0)) >= 0:
        return quotient
    inexact = quotient * divisor != dividend
    return np.asarray(quotient + (inexact & (signs < 0)))
