"""What a filter says of many nodes at once: a code per row, and reasons whose text is made on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kschedctl.framework.status import Code

Mask: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.uint8]
Reason: TypeAlias = str | Callable[[int], str]
"""A text, or a function that makes the text for one row."""


class Verdicts:
    """The verdicts of one filter over R rows.

    Attributes:
        codes: uint8 (R,) of `Code`, or None where every row passes.
        reasons: `(mask, reason)` pairs, mask bool (R,); a row has the reasons whose mask is set, in this order.
    """

    __slots__ = ("codes", "reasons")

    def __init__(self, codes: Codes | None, reasons: tuple[tuple[Mask, Reason], ...] = ()) -> None:
        self.codes = codes
        self.reasons = reasons

    @classmethod
    def reject(cls, mask: Mask, code: Code, reason: Reason) -> Verdicts:
        """Reject the rows of `mask` (bool (R,)) for one reason; the others pass."""
        if not mask.any():
            return PASS
        return cls(mask.view(np.uint8) * np.uint8(code), ((mask, reason),))

    def reasons_of(self, row: int) -> tuple[str, ...]:
        """The texts for one row, in the order in which kube-scheduler lists them."""
        return tuple(
            reason if isinstance(reason, str) else reason(row) for mask, reason in self.reasons if mask[row]
        )


PASS = Verdicts(None)
"""Every row passes."""


def first_of(*steps: Verdicts) -> Verdicts:
    """Several tests of one filter, of which each row reports the first that fails.

    Args:
        steps: verdicts over the same R rows, in the order of the tests.
    """
    failing = [step for step in steps if step.codes is not None]
    if len(failing) < 2:
        return failing[0] if failing else PASS
    codes, reasons = np.asarray(failing[0].codes), list(failing[0].reasons)
    for step in failing[1:]:
        fresh = codes == 0
        codes = codes | np.asarray(step.codes) * fresh
        reasons.extend((mask & fresh, reason) for mask, reason in step.reasons)
    return Verdicts(codes, tuple(reasons))
