"""What the plugins say of a pod on every node, before the search walks the nodes (spec 01 §5.2 to §5.5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.rows import Rows
from kschedctl.framework.filter_phase import FilterPhase
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.scoring import ScorePhase, run_scores
from kschedctl.framework.status import Code, Status
from kschedctl.scheduling.node_search import confined_rows

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.cluster.state import ClusterState
    from kschedctl.scheduling.leaders import Leaders

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

Score = Callable[["PodRecord", "ClusterState", Ints], ScorePhase]
"""Scores a pod on the feasible nodes, int64 (F,)."""


class Evaluation(Struct, frozen=True, eq=False, weakref=True):
    """The answers for one pod, or for all pods of a class, on all nodes; where the search begins is not in it.

    Attributes:
        phase: what PreFilter left; with a status no node is looked at.
        order: int64 (n,), rows that the search may look at, in snapshot order.
        passed: bool (N,), nodes that pass all filters.
        score: the scores of feasible nodes.
        nominated: the row that is looked at before all others; None for none.
        absent: the status of the nodes that PreFilter left out; None where it left out none.
        filters: the verdicts behind `passed`; None where only the choice is kept, and no filter ended in an error.
        scope: int64 (n,), the only nodes that there are for this decision; None for all.
        leaders: the best nodes of them all, where they are known; a search that walks all nodes finds them.
        hinted: `nominated` is where an earlier cycle leads, and no nomination.
    """

    phase: PreFilterPhase
    order: Ints
    passed: Mask
    score: Score
    nominated: int | None = None
    absent: Status | None = None
    filters: FilterPhase | None = None
    scope: Ints | None = None
    leaders: Leaders | None = None
    hinted: bool = False


def evaluate(
    framework: Framework,
    pod: PodRecord,
    cluster: ClusterState,
    nominated: int | None,
    *,
    every: bool = False,
    scope: Ints | None = None,
    phase: PreFilterPhase | None = None,
) -> Evaluation:
    """Run PreFilter and Filter.

    Args:
        framework: the pod's profile.
        pod: the candidate.
        cluster: one with nodes.
        nominated: the row of the node that is nominated for the pod; None for none.
        every: ask every filter of every node, for people; else each node up to its first failure.
        scope: int64 (n,), the only nodes to look at, in snapshot order; None for all. Plugins still build their
            states from the whole cluster.
        phase: what PreFilter left, where it was run already.
    """
    phase = phase or framework.run_pre_filter(pod, cluster)
    score, count = partial(run_scores, framework), cluster.nodes.count
    if scope is not None and nominated not in scope:
        nominated = None
    if phase.status is not None:
        nowhere = np.zeros(0, np.int64)
        return Evaluation(phase, nowhere, np.zeros(count, bool), score, nominated, scope=scope)
    order = confined_rows(phase, cluster)
    if scope is not None:
        order = order[np.isin(order, scope)]
    considered = np.zeros(count, bool)
    considered[order] = True
    if nominated is not None:
        considered[nominated] = True
    filters = framework.run_filters_with_nominated(pod, phase, Rows(cluster), among=considered, every=every)
    absent = _absent(phase, filters, nominated)
    return Evaluation(phase, order, filters.feasible, score, nominated, absent, filters, scope)


def _absent(phase: PreFilterPhase, filters: FilterPhase, nominated: int | None) -> Status | None:
    """The status of the nodes that PreFilter left out; what rejects the nominated node counts as if it were there."""
    if phase.nodes is None:
        return None
    if nominated is not None:
        blocked = filters.status_of(nominated)
        if blocked is not None and blocked.code is not Code.ERROR:  # an error there is only logged
            phase.narrowed_by.add(blocked.plugin)
    text = f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(phase.narrowed_by))}]"
    return Status(Code.UNRESOLVABLE, (text,))
