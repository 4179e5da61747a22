"""What one evaluation of a selector may cost, and interrupts on their way through the library that evaluates it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from kschedctl.dra.cel_costs import cost_of
from kschedctl.dra.cel_text import Token, tokens

COST_LIMIT: Final = 1_000_000
"""The runtime cost that kube-scheduler allows an expression."""
EXCEEDED: Final = "operation cancelled: actual cost limit exceeded"

_MOST_WORK: Final = 10_000_000
"""Steps that one evaluation takes here, whatever kube-scheduler says that they cost: two seconds."""
_MOST_BITS: Final = 26
_BITS_OF_UNKNOWN: Final = 13
"""What a text or a list may be multiplied by where that is not written there: 10,000 iterations, or characters."""
_LOOPS = re.compile(r"\.\s*(?:map|filter|all|exists|existsOne|exists_one)\s*\(|\blists\s*\.\s*range\b")
_BINDS = re.compile(r"\bcel\s*\.\s*bind\b")


class CostBudget:
    """What is left of one evaluation at a time.

    Attributes:
        interruption: what came up while the library was at work, which cannot pass it on.
    """

    def __init__(self) -> None:
        self._left: float = COST_LIMIT
        self._work_left = _MOST_WORK
        self.interruption: BaseException | None = None

    def begin(self) -> None:
        """Start another evaluation."""
        self._left = COST_LIMIT
        self._work_left = _MOST_WORK
        self.interruption = None

    def charge(self, cost: float) -> None:
        """Take the cost of something that is about to be done.

        Raises:
            ValueError: there is not so much left; the message is that of the scheduler.
        """
        self._left -= cost
        if self._left < 0:
            raise ValueError(EXCEEDED)

    def work(self, steps: int) -> None:
        """Note what a function is about to do that costs less than it takes.

        Raises:
            MemoryError: it would take too long.
        """
        self._work_left -= steps
        if self._work_left < 0:
            raise MemoryError

    def end(self) -> None:
        """Raise what came up meanwhile."""
        if self.interruption is not None:
            raise self.interruption

    def charged(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The function of a name, each call of which has its cost."""

        @wraps(call)
        def paid(*arguments: Any) -> Any:
            try:
                self.charge(cost_of(name, arguments))
                return call(*arguments)
            except MemoryError as error:
                self.interruption = error
                raise ValueError(EXCEEDED) from None
            except Exception:
                raise
            except BaseException as error:
                self.interruption = error
                raise ValueError(EXCEEDED) from None

        return paid


BUDGET: Final = CostBudget()
"""That of the evaluation under way: the library calls functions back without saying for whom."""


def may_grow_beyond_memory(expression: str) -> bool:
    """Whether texts or lists of an expression could grow to more than 64 MB, which nothing stops in the library."""
    found = [token for token in tokens(expression) if token[0] not in ("space", "comment")]
    loops, binds = _LOOPS.search(expression) is not None, _BINDS.search(expression) is not None
    bits = math.log2(len(expression) + 1)
    for i, (kind, text) in enumerate(found):
        if kind == "name" and text == "replace":
            bits += _bits_of_replacement(found[i + 1 : i + 5])
        elif kind == "name" and text in ("join", "format") and (loops or binds):
            bits += _BITS_OF_UNKNOWN
        elif text == "+" and binds:
            bits += 1
    return bits > _MOST_BITS


def _bits_of_replacement(following: list[Token]) -> float:
    """By how much `replace("old", "new")` can lengthen a text, as a power of two."""
    kinds = [kind for kind, _ in following]
    if kinds != ["other", "string", "other", "string"]:
        return _BITS_OF_UNKNOWN
    old, new = (len(text) for kind, text in following if kind == "string")
    return math.log2(max(new / max(old - 2, 1), 1))
