"""Scores of nodes that an extender sent back as objects (spec 01 §11.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import EmptiedRows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.runtime import Framework
from kschedctl.framework.scoring import ScorePhase, run_scores
from kschedctl.objects.node import Node


def score_rebuilt(
    framework: Framework,
    pod: PodRecord,
    cluster: ClusterState,
    feasible: npt.NDArray[np.int64],
    nodes: Sequence[Node],
) -> ScorePhase:
    """Score nodes as they came back: kube-scheduler knows nothing of what runs there any more.

    Args:
        framework: the pod's profile.
        pod: the candidate.
        cluster: unchanged by this.
        feasible: int64 (F,), the rows; nodes that the cluster does not have come after those of the node table.
        nodes: the objects that came back for them, which may be others than those of the cluster.
    """
    table = cluster.nodes
    by_row = dict(sorted(zip(feasible.tolist(), nodes, strict=True)))
    changed = {
        row: node for row, node in by_row.items() if row >= table.count or not _same(node, table.objects[row])
    }
    start = cluster.mark()
    if changed:
        absent = np.flatnonzero(~cluster.present.mask).tolist()
        made_up = [node for row, node in changed.items() if row >= table.count]
        known = [changed.get(row, table.objects[row]) for row in table.addition]
        cluster.set_nodes(known + made_up, [*table.names, *(node.name for node in made_up)])
        cluster.lose_nodes([*absent, *range(table.count, table.count + len(made_up))])
    try:
        return run_scores(framework, pod, cluster, feasible, rows_of=EmptiedRows)
    finally:
        cluster.undo_to(start)


def _same(node: Node, other: Node) -> bool:
    return (node.metadata, node.spec, node.status) == (other.metadata, other.spec, other.status)
