"""How a decision is taken where the real scheduler leaves room."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from kschedctl.framework.timings import Timings


class TieBreak(StrEnum):
    """Which of several nodes with the highest total is taken."""

    UPSTREAM = "upstream"
    """1.36: the node that the real one takes if it has read the nodes in list order; it reads them in another
    one at each start. 1.34 picks at random: the first by name."""
    FIRST = "first"
    """The first by name."""
    RANDOM = "random"
    """One of them, by the seed."""


class Sampling(StrEnum):
    """How many nodes are looked at."""

    OFF = "off"
    """All of them."""
    UPSTREAM = "upstream"
    """As many as the real one looks at, from where its last search ended (spec 01 §5.4)."""


class SchedulingOptions(Struct, frozen=True):
    """Options of a run; those that choose stand in every report.

    Attributes:
        tie_break: which node of several equal ones.
        sampling: which nodes are looked at.
        seed: for what is random.
        every_failure: ask every filter of every node, for people; else each node up to its first failure.
        score_single: score also when one node is feasible; the real one takes it unscored.
        preemption: run PostFilter.
        reuse: decide equal pods from what is known of their class, where nobody asks for verdicts and scores.
        timings: where it is noted how long plugins take; None: nobody measures.
    """

    tie_break: TieBreak = TieBreak.UPSTREAM
    sampling: Sampling = Sampling.OFF
    seed: int = 0
    every_failure: bool = False
    score_single: bool = False
    preemption: bool = True
    reuse: bool = True
    timings: Timings | None = None
