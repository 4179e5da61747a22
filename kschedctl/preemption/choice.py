"""Which of the candidate nodes is taken (spec 01 §9.4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.start_times import NO_START, start_times
from kschedctl.cluster.state import ClusterState
from kschedctl.preemption.result import Candidates

Ints = npt.NDArray[np.int64]

_PRIORITY_OFFSET = 2**31
"""Makes every priority positive, so that more victims never make a smaller sum."""


class Criterion(Struct, frozen=True):
    """One step of the choice: the nodes with the largest value, int64 (C,), go on."""

    name: str
    values: Callable[[ClusterState, Candidates], Ints]


def _priorities(cluster: ClusterState, candidates: Candidates) -> Ints:
    """int64 (V,)."""
    return np.asarray(cluster.pods.classes.priority[cluster.pods.pod_class[candidates.victims]])


def _first_priority(cluster: ClusterState, candidates: Candidates) -> Ints:
    return -_priorities(cluster, candidates)[candidates.bounds[:-1]]


def _priority_sum(cluster: ClusterState, candidates: Candidates) -> Ints:
    return -candidates.total(_priorities(cluster, candidates) + _PRIORITY_OFFSET)


def _earliest_start(cluster: ClusterState, candidates: Candidates) -> Ints:
    """The earliest start among the victims of the highest priority; none at all counts as now."""
    priorities, begins = _priorities(cluster, candidates), candidates.bounds[:-1]
    highest = np.repeat(priorities[begins], np.diff(candidates.bounds))
    starts = start_times(cluster, candidates.victims)
    return np.minimum.reduceat(np.where(priorities == highest, starts, NO_START), begins)


CRITERIA: tuple[Criterion, ...] = (
    Criterion("PDB violations", lambda _, candidates: -candidates.violations),
    Criterion("highest victim priority", _first_priority),
    Criterion("sum of victim priorities", _priority_sum),
    Criterion("number of victims", lambda _, candidates: -np.diff(candidates.bounds)),
    Criterion("start of the most important victim", _earliest_start),
)


def choose(cluster: ClusterState, candidates: Candidates) -> tuple[list[int], dict[int, str]]:
    """The rows on which the choice can fall, and for each other row the criterion by which it lost."""
    left = np.arange(len(candidates))
    lost: dict[int, str] = {}
    for criterion in CRITERIA:
        if len(left) <= 1:
            break
        values = criterion.values(cluster, candidates)[left]
        best = values == values.max()
        lost.update(dict.fromkeys(candidates.rows[left[~best]].tolist(), criterion.name))
        left = left[best]
    return candidates.rows[left].tolist(), lost
