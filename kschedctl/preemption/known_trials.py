"""What dry runs found on nodes stays true for preemptors that plugins see alike, until something moves there.

Where plugins look at the pods of a row alone, what has to go from a node is a matter of its pods, of those nominated
to it and of the budgets. Preemptors of many apps ask for the same resources under the same priority; of thousands of
nodes, few have changed since the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.bounded_cache import MIB, BoundedCache
from kschedctl.cluster.change_log import Follower, PodMove
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.status import Status
from kschedctl.preemption.result import Candidates, DryRun

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_MOST: Final = 64 * MIB
_OF_A_ROW: Final = (Reads.USAGE, Reads.ROW)


class KnownTrials:
    """The dry runs of a cluster, by what decides them beside the rows."""

    def __init__(self) -> None:
        self._kept: BoundedCache[Hashable, _Trials] = BoundedCache(_MOST)

    def __reduce__(self) -> tuple[type[KnownTrials], tuple[()]]:
        """What is known stays behind when a cluster travels."""
        return type(self), ()

    @classmethod
    def of(cls, cluster: ClusterState) -> KnownTrials:
        """Those of a cluster."""
        return cluster.extension(cls, lambda _: cls())

    def dry_run(
        self,
        framework: Framework,
        phase: PreFilterPhase,
        pod: PodRecord,
        cluster: ClusterState,
        potential: Ints,
        tried: Callable[[Ints], DryRun],
    ) -> DryRun:
        """What a dry run finds on the potential nodes, int64 (R,) rows; `tried` tells of those not known."""
        key = framework.filters_seen(pod, phase, cluster, _OF_A_ROW)
        if key is None:
            return tried(potential)
        trials = self._kept.get(key)
        if trials is None or not trials.fit(cluster):
            trials = _Trials.none(cluster)
        suit = _suiting(framework, phase, pod, cluster, potential)
        found = trials.search(pod, cluster, potential, suit, tried)
        self._kept.put(key, trials, trials.nbytes)
        return found


def _suiting(
    framework: Framework, phase: PreFilterPhase, pod: PodRecord, cluster: ClusterState, potential: Ints
) -> Mask:
    """The nodes that filters pass which no pod changes, bool (R,): of the others nothing is kept."""
    rows, suit = Rows(cluster, potential), np.ones(len(potential), bool)
    for plugin in framework.at(ExtensionPoint.FILTER):
        if plugin.name in phase.skipped or plugin.spec.reads is not Reads.NODES:
            continue
        if not framework.is_prepared(plugin):
            return np.zeros(len(potential), bool)
        codes = plugin.filter(framework.filter_state(plugin, pod, phase, cluster), rows).codes
        if codes is not None:
            suit &= codes == 0
    return suit


class _Trials(Struct):
    """What was found for preemptors that plugins see alike.

    Attributes:
        nodes: the node table that it is about.
        objects: the other objects it is about, budgets among them.
        moves: tells where pods came and went.
        nominations: tells where nominations did.
        restated: how many versions of pods are taken in.
        known: bool (N,), rows of which it is known what a dry run finds.
        candidates: those of them that are candidates, and some of which that is not known any more.
        failed: row -> the status of one that is none.
    """

    nodes: NodeTable
    objects: object
    moves: Follower[PodMove]
    nominations: Follower[str]
    restated: int
    known: Mask
    candidates: Candidates
    failed: dict[int, Status] = field(default_factory=dict)

    @classmethod
    def none(cls, cluster: ClusterState) -> _Trials:
        """Nothing is known."""
        return cls(
            cluster.nodes,
            cluster.objects,
            cluster.changes.follow(),
            cluster.nominations.changes.follow(),
            len(cluster.pods.restated),
            np.zeros(cluster.nodes.count, bool),
            Candidates.none(),
        )

    @property
    def nbytes(self) -> int:
        """What its arrays take."""
        return self.known.nbytes + self.candidates.nbytes

    def fit(self, cluster: ClusterState) -> bool:
        """Whether it can be brought up to date for a cluster."""
        return self.moves.log is cluster.changes and self.objects is cluster.objects

    def search(
        self,
        pod: PodRecord,
        cluster: ClusterState,
        potential: Ints,
        suit: Mask,
        tried: Callable[[Ints], DryRun],
    ) -> DryRun:
        """A dry run for one more preemptor; `suit`: bool (R,), nodes of which something may be known and kept."""
        self._forget_changed(cluster)
        row_of = cluster.nodes.row_of
        # A pod makes no room for itself: where it is nominated, the node is another one to it than to others.
        own = [row_of[node] for node in cluster.nominations.of_uid(pod.pod.uid) if node in row_of]
        self.known[own] = False
        unknown = potential[~(suit & self.known[potential])]
        if len(unknown):
            self._enter(unknown, tried(unknown))
        self.known[own] = self.known[potential[~suit]] = False
        candidates = self.candidates.among(potential)
        if len(candidates) == len(potential):
            return DryRun(candidates, {})
        failed = self.failed
        return DryRun(candidates, {row: failed[row] for row in potential.tolist() if row in failed})

    def _forget_changed(self, cluster: ClusterState) -> None:
        """Take in what moved since the last time."""
        moves, nominations, pods = self.moves.news(), self.nominations.news(), cluster.pods
        if moves is None or nominations is None:
            self.known[:] = False
        else:
            row_of = cluster.nodes.row_of
            self.known[[move.row for move in moves]] = False
            self.known[[row_of[node] for node in nominations if node in row_of]] = False
        restated = [pod for pod in pods.restated[self.restated :] if pod < len(pods)]
        self.known[pods.node[restated]] = False
        self.restated = len(pods.restated)
        if self.nodes is not cluster.nodes:
            self.known[cluster.nodes.rows_unlike(self.nodes)] = False
            self.nodes = cluster.nodes

    def _enter(self, rows: Ints, tried: DryRun) -> None:
        """Note what was found on some rows."""
        self.candidates = self.candidates.with_rows(rows, tried.candidates)
        for row in rows.tolist():
            self.failed.pop(row, None)
        self.failed.update(tried.failed)
        self.known[rows] = True
