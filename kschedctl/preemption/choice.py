"""Which of the candidate nodes is taken (spec 01 §9.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kschedctl.cluster.pods import PodTable
from kschedctl.cluster.start_times import NO_START, start_times

from .result import Candidate

_PRIORITY_OFFSET = 2**31
"""Makes every priority positive, so that more victims never make a smaller sum."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One step of the choice: the nodes with the largest value go on."""

    name: str
    value: Callable[[PodTable, Candidate], int]


def _first_priority(table: PodTable, candidate: Candidate) -> int:
    return -table.records[candidate.victims[0]].priority


def _priority_sum(table: PodTable, candidate: Candidate) -> int:
    return -sum(table.records[pod].priority + _PRIORITY_OFFSET for pod in candidate.victims)


def _earliest_start(table: PodTable, candidate: Candidate) -> int:
    """The earliest start among the victims of the highest priority; none at all counts as now."""
    highest = max(table.records[pod].priority for pod in candidate.victims)
    top = [pod for pod in candidate.victims if table.records[pod].priority == highest]
    return min(start_times(table, top).tolist(), default=NO_START)


CRITERIA: tuple[Criterion, ...] = (
    Criterion("PDB violations", lambda _, candidate: -candidate.violations),
    Criterion("highest victim priority", _first_priority),
    Criterion("sum of victim priorities", _priority_sum),
    Criterion("number of victims", lambda _, candidate: -len(candidate.victims)),
    Criterion("start of the most important victim", _earliest_start),
)


def choose(table: PodTable, candidates: Mapping[int, Candidate]) -> tuple[list[int], dict[int, str]]:
    """The rows on which the choice can fall, and for each other row the criterion by which it lost."""
    left = list(candidates)
    lost: dict[int, str] = {}
    for criterion in CRITERIA:
        if len(left) <= 1:
            break
        values = {row: criterion.value(table, candidates[row]) for row in left}
        best = max(values.values())
        lost.update((row, criterion.name) for row in left if values[row] != best)
        left = [row for row in left if values[row] == best]
    return left, lost
