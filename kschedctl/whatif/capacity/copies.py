"""How many equal pods a node takes, asked of many worlds in one pass: each has other numbers of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import HypotheticalRows, Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.scheduling.node_search import confined_rows
from kschedctl.whatif.session import Session

Ints = npt.NDArray[np.int64]

MOST_WORLDS: Final = 4096
"""So many are looked at in one pass."""
OF_THE_ROW: Final = (Reads.NODES, Reads.USAGE, Reads.ROW)
"""What plugins read whose answer for a node changes with its own pods alone."""


def worlds_with(
    framework: Framework,
    phase: PreFilterPhase,
    cluster: ClusterState,
    index: Ints,
    more: Mapping[int, Ints],
) -> HypotheticalRows:
    """Nodes with more pods on them.

    Args:
        framework: the profile.
        phase: what PreFilter left.
        cluster: the cluster.
        index: int64 (W,), the nodes' rows.
        more: pod id -> how many pods that are equal to it each world has more, int64 (W,); above 1 where the
            framework `counts_pods`.
    """
    worlds = framework.hypothetical(phase, cluster, index)
    for pod, times in more.items():
        for bit in range(int(times.max(initial=0)).bit_length()):
            framework.change(phase, worlds, np.where(times >> bit & 1, pod, -1), 1 << bit)
    return worlds


class KindInSet(Struct, frozen=True):
    """The pods of one kind in a set, all on one node.

    Attributes:
        model: what a further one is a copy of before it is bound.
        placed: one that is on the node.
        share: how many are in a set.
    """

    model: AdmittedPod
    placed: PodRecord
    share: int


def sets_that_fit(session: Session, kinds: Sequence[KindInSet], row: int, most: int) -> int:
    """How many more sets are placed, one after another, all of their pods on one node.

    A lower number, down to 0, where it cannot be told from the worlds of this node alone: another one fits too, or
    is in the way of one of them for what pods elsewhere do.

    Args:
        session: the cluster, which took a set like these just now.
        kinds: the pods of a set, in the order in which they are placed.
        row: the node.
        most: count up to so many.
    """
    sets = min(most, max(MOST_WORLDS // max(kind.share for kind in kinds), 1))
    start = session.cluster.mark()
    for place, kind in enumerate(kinds):
        pod = session.cluster.add_pod(kind.model)
        phase = _confined_to(session, pod, row)
        if phase is None:
            sets = 0
            break
        before, own = np.arange(sets).repeat(kind.share), np.tile(np.arange(kind.share), sets)
        more = {
            other.placed.id: before * other.share + (other.share if i < place else 0)
            for i, other in enumerate(kinds)
        }
        more[kind.placed.id] += own
        framework = session.scheduler.frameworks[pod.pod.spec.scheduler_name]
        worlds = worlds_with(framework, phase, session.cluster, np.full(len(own), row), more)
        passes = framework.run_filters(pod, phase, worlds).feasible
        sets = int(leading(passes[np.newaxis, :])[0]) // kind.share
    session.cluster.undo_to(start)
    return sets


def leading(passes: npt.NDArray[np.bool_]) -> Ints:
    """How many are true from the beginning of each row on, bool (A, m) -> int64 (A,)."""
    return np.asarray(np.logical_and.accumulate(passes, axis=1).sum(axis=1))


def _confined_to(session: Session, pod: PodRecord, row: int) -> PreFilterPhase | None:
    """What PreFilter leaves for a pod that can be nowhere else, however many come to this node; None: it may."""
    cluster = session.cluster
    framework = session.scheduler.framework(pod.pod.spec.scheduler_name)
    if framework is None or not framework.is_known or not framework.at(ExtensionPoint.SCORE):
        return None  # without scores a search ends at the first node that fits
    if cluster.nominations or session.scheduler.extenders.interested(pod.pod):
        return None
    if framework.pre_enqueue(pod, cluster) is not None:
        return None
    phase = framework.run_pre_filter(pod, cluster)
    binders = (*framework.at(ExtensionPoint.RESERVE), *framework.at(ExtensionPoint.PRE_BIND))
    filters = [p for p in framework.at(ExtensionPoint.FILTER) if p.name not in phase.skipped]
    if phase.status is not None or not framework.counts_pods(phase):
        return None
    if any(plugin.name not in phase.skipped for plugin in binders):
        return None
    if not all(p.spec.reads in OF_THE_ROW or framework.follows_pods(p, phase) for p in filters):
        return None
    if len(confined_rows(phase, cluster)) < cluster.present.count:
        return None  # the next search would begin elsewhere
    found = framework.run_filters(pod, phase, Rows(cluster), among=cluster.present.mask)
    if found.has_errors or np.flatnonzero(found.feasible).tolist() != [row]:
        return None
    if any(plugin.spec.reads not in OF_THE_ROW for plugin, _ in found.first_rejections()):
        return None
    return phase
