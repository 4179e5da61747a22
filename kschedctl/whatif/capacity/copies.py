"""How many equal pods a node takes, asked of many worlds in one pass: each has other numbers of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import HypotheticalRows, Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.scoring import sure_scores
from kschedctl.scheduling.node_search import confined_rows
from kschedctl.scheduling.options import Sampling, TieBreak
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
    worlds.non_zero = cluster.usage.non_zero[
        index
    ]  # scores read it, which look at hypothetical rows here alone
    for pod, times in more.items():
        worlds.non_zero += times[:, np.newaxis] * cluster.pods.classes.non_zero[cluster.pods.pod_class[pod]]
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

    A lower number, down to 0, where it cannot be told from the worlds of this node alone: what comes there changes
    which other nodes fit, or how they compare.

    Args:
        session: the cluster, which took a set like these just now.
        kinds: the pods of a set, in the order in which they are placed.
        row: the node.
        most: count up to so many.
    """
    sets = min(most, max(MOST_WORLDS // max(kind.share for kind in kinds), 1))
    cluster = session.cluster
    start = cluster.mark()
    for kind in kinds:
        pod = cluster.add_pod(kind.model)
        asked = _Asked.of(session, pod, row)
        if asked is None or not sets:
            sets = 0
            break
        before = np.arange(sets).repeat(kind.share)
        more = {other.placed.id: before * other.share for other in kinds}
        more[kind.placed.id] += np.tile(np.arange(kind.share), sets)
        worlds = worlds_with(asked.framework, asked.phase, cluster, np.full(len(before), row), more)
        sets = asked.how_long_alike(pod, worlds) // kind.share
        cluster.assume_copies([kind.placed.id], [kind.model] * kind.share)
    cluster.undo_to(start)
    return sets


def leading(passes: npt.NDArray[np.bool_]) -> Ints:
    """How many are true from the beginning of each row on, bool (A, m) -> int64 (A,)."""
    return np.asarray(np.logical_and.accumulate(passes, axis=1).sum(axis=1))


class _Asked(Struct, frozen=True):
    """A pod that comes to a node now, and to which only that node's own pods matter.

    Attributes:
        framework: its profile.
        phase: what PreFilter left.
        scorers: plugins with their states whose scores compare the node to others; none where no other fits.
    """

    framework: Framework
    phase: PreFilterPhase
    scorers: Sequence[tuple[AnyPlugin, Any]] = ()

    @classmethod
    def of(cls, session: Session, pod: PodRecord, row: int) -> _Asked | None:
        """The pod and its node; None where it comes to another one, or more than the pods of this one matters."""
        cluster, scheduler = session.cluster, session.scheduler
        framework = scheduler.framework(pod.pod.spec.scheduler_name)
        if framework is None or not framework.is_known or not framework.at(ExtensionPoint.SCORE):
            return None  # without scores a search ends at the first node that fits
        if cluster.nominations or scheduler.extenders.interested(pod.pod):
            return None
        if scheduler.decide(pod, cluster).selected != row:
            return None
        phase = framework.run_pre_filter(pod, cluster)
        if not _is_about_pods(framework, phase) or len(confined_rows(phase, cluster)) < cluster.present.count:
            return None  # with fewer nodes to look at, the next search begins elsewhere
        found = framework.run_filters(pod, phase, Rows(cluster), among=cluster.present.mask)
        if any(plugin.spec.reads not in OF_THE_ROW for plugin, _ in found.first_rejections()):
            return None
        feasible = np.flatnonzero(found.feasible)
        if len(feasible) == 1:
            return cls(framework, phase)
        scorers = _scorers(session, framework, phase, pod, feasible)
        if scorers is None or any(p.spec.reads not in OF_THE_ROW for p in _filters(framework, phase)):
            return None
        return cls(framework, phase, scorers)

    def how_long_alike(self, pod: PodRecord, worlds: HypotheticalRows) -> int:
        """In how many worlds, of which the first is the present, the pod fits and its node has the same scores."""
        alike = self.framework.run_filters(pod, self.phase, worlds).feasible
        for plugin, state in self.scorers:
            raw = sure_scores(plugin, state, worlds)
            alike &= raw == raw[0]
        return int(leading(alike[np.newaxis, :])[0])


def _filters(framework: Framework, phase: PreFilterPhase) -> list[AnyPlugin]:
    return [plugin for plugin in framework.at(ExtensionPoint.FILTER) if plugin.name not in phase.skipped]


def _is_about_pods(framework: Framework, phase: PreFilterPhase) -> bool:
    """Whether all that plugins say of hypothetical rows follows from how many pods of which kinds were added."""
    binders = (*framework.at(ExtensionPoint.RESERVE), *framework.at(ExtensionPoint.PRE_BIND))
    return (
        framework.counts_pods(phase)
        and all(plugin.name in phase.skipped for plugin in binders)
        and all(
            plugin.spec.reads in OF_THE_ROW or framework.follows_pods(plugin, phase)
            for plugin in _filters(framework, phase)
        )
    )


def _scorers(
    session: Session, framework: Framework, phase: PreFilterPhase, pod: PodRecord, feasible: Ints
) -> list[tuple[AnyPlugin, Any]] | None:
    """The plugins whose scores of a node its own pods change, with states; None where others do, or chance."""
    options = session.scheduler.options
    if options.sampling is not Sampling.OFF or options.tie_break is TieBreak.RANDOM:
        return None
    found, prepared = [], framework.at(ExtensionPoint.PRE_SCORE)
    for plugin in framework.at(ExtensionPoint.SCORE):
        result = plugin.pre_score(pod, session.cluster, feasible)
        if result.skip and plugin in prepared:
            continue
        if result.reads_devices or (plugin not in prepared and plugin.score_state_missing is not None):
            return None
        if plugin.spec.reads in (Reads.USAGE, Reads.ROW):
            found.append((plugin, result.state))
        elif plugin.spec.reads is not Reads.NODES and (
            plugin.spec.reads is Reads.PODS or plugin.name not in phase.skipped
        ):
            return None
    return found
