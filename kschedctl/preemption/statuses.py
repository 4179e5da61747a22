"""The statuses of many rejected rows, each distinct one made once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kschedctl.framework.filter_phase import FilterPhase
from kschedctl.framework.status import Status
from kschedctl.framework.verdicts import Verdicts

Ints = npt.NDArray[np.int64]

_WIDE = 1 << 60
"""Patterns of so many reasons are numbered anew, which costs the import of numpy.ma."""


def statuses(phase: FilterPhase, rows: Ints) -> list[Status]:
    """What kube-scheduler reports for each of the rejected rows, int64 (k,), in their order.

    Rows that the same plugin refuses for the same texts share one status.
    """
    found = np.empty(len(rows), object)
    # The status of a node that pods are nominated to may come from a pass of its own.
    crowded, _ = phase.rows.cluster.nominations.by_row(phase.rows.cluster.nodes)
    own = np.isin(phase.rows.index[rows], crowded)
    left = ~own
    for _, verdicts in phase.verdicts:
        if verdicts.codes is None:
            continue
        here = np.flatnonzero(left & (verdicts.codes[rows] != 0))
        left[here] = False
        own[here] = True
        for alike in _groups(verdicts, rows[here]):
            found[here[alike]] = phase.status_of(int(rows[here[alike[0]]]))
            own[here[alike]] = False
    for at in np.flatnonzero(own | left).tolist():
        found[at] = phase.status_of(int(rows[at]))
    return list(found)


def _groups(verdicts: Verdicts, rows: Ints) -> list[Ints]:
    """Positions of the rows that have the same code and texts; rows whose text is made for them are in none."""
    assert verdicts.codes is not None
    pattern = verdicts.codes[rows].astype(np.int64)
    fixed = np.ones(len(rows), bool)
    for mask, reason in verdicts.reasons:
        pattern = 2 * pattern + mask[rows]
        if pattern.max(initial=0) > _WIDE:
            _, pattern = np.unique(pattern, return_inverse=True)
        if not isinstance(reason, str):
            fixed &= ~mask[rows]
    return [np.flatnonzero(fixed & (pattern == one)) for one in sorted(set(pattern[fixed].tolist()))]
