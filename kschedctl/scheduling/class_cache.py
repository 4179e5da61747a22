"""Equal pods are decided once: after an assume only what it changed is asked again (design §3).

For pods that are equal up to labels the cache keeps which nodes pass and the part of the total that does not depend
on which other nodes pass. It is advanced by the cluster's change log: plugins that read a row's own pods are asked for
the changed rows. Plugins that read pods anywhere are asked anew, from counts that are themselves kept up to date; they
alone read labels, so members of a StatefulSet, each with its name in a label, share what is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.cluster.bounded_cache import MIB, BoundedCache, array_bytes
from kschedctl.cluster.change_log import Follower, PodMove
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.present_nodes import PresentNodes
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.scoring import MAX_SCORE, ScorePhase, sure_scores
from kschedctl.framework.status import Code
from kschedctl.framework.verdicts import Verdicts
from kschedctl.scheduling.evaluation import Evaluation
from kschedctl.scheduling.node_search import confined_rows

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_MOST = 64 * MIB
_STALE_SHARE = 4
"""With more changed rows than a quarter of all it is cheaper to ask for all rows."""


class ClassEvaluation(Struct):
    """What is kept for pods that are equal up to labels, in one profile.

    Attributes:
        framework: the profile.
        phase: what PreFilter left at first; the states of plugins that read pods are made anew for each decision.
        follower: of the pods on the rows it was made for.
        nodes: the node table it was made for.
        present: which of its nodes `order` is about.
        objects: the other objects it was made for.
        order: int64 (n,), rows that may be looked at, in snapshot order.
        fixed: bool (N,), nodes that pass the filters that read nodes only.
        own: bool (N,), nodes that pass the filters that read their own pods.
        kept_total: int64 (N,), weighted raw scores of plugins that do not normalise.
        row_filters: plugins to ask again for changed rows.
        pod_filters: plugins to ask again for all rows.
        row_scores: plugins that score a row by its own pods, with weight and state.
        node_scores: plugins that normalise scores of nodes as such, with weight and raw scores, int64 (N,).
        pod_scores: plugins that score by pods anywhere, with weight.
        fixed_total: int64 (N,), the part of `kept_total` that pods do not change.
        counts_nodes: whether something that is kept depends on which nodes there are.
        odd: whether a filter ended in an error or a raw score is out of range: to be decided in full.
    """

    framework: Framework
    phase: PreFilterPhase
    follower: Follower[PodMove]
    nodes: NodeTable
    present: PresentNodes
    objects: object
    order: Ints
    fixed: Mask
    own: Mask
    kept_total: Ints
    row_filters: list[AnyPlugin] = field(default_factory=list)
    pod_filters: list[AnyPlugin] = field(default_factory=list)
    row_scores: list[tuple[AnyPlugin, int, Any]] = field(default_factory=list)
    node_scores: list[tuple[AnyPlugin, int, Ints]] = field(default_factory=list)
    pod_scores: list[tuple[AnyPlugin, int]] = field(default_factory=list)
    fixed_total: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    counts_nodes: bool = False
    odd: bool = False

    @property
    def nbytes(self) -> int:
        """What its arrays take, states of plugins included."""
        rows = (self.order, self.fixed, self.own, self.kept_total, self.fixed_total)
        scores = [state for _, _, state in (*self.row_scores, *self.node_scores)]
        return array_bytes(rows, self.phase.states, scores)

    def advance(self, cluster: ClusterState) -> bool:
        """Take in the changes since the last time; False where everything has to be made anew."""
        if self.follower.log is not cluster.changes or self.nodes is not cluster.nodes:
            return False
        if self.objects is not cluster.objects:
            return False
        if self.present is not cluster.present:
            if self.counts_nodes:
                return False
            self.present, self.order = cluster.present, confined_rows(self.phase, cluster)
        self._follow(cluster)
        return True

    def _follow(self, cluster: ClusterState, patched: Ints | None = None) -> None:
        """Ask again where pods came or went, and for patched rows, int64 (k,)."""
        fresh = self.follower.news()
        changed = {change.row for change in fresh or ()}
        if patched is not None:
            changed.update(patched.tolist())
        rows = np.array(sorted(changed), np.int64)
        if fresh is None or len(rows) * _STALE_SHARE > cluster.nodes.count:
            rows = np.arange(cluster.nodes.count)
        if len(rows):
            self.refresh(Rows(cluster, rows), rows)

    def take_over(self, before: ClassEvaluation, cluster: ClusterState) -> bool:
        """Take the answers about a row's own pods from an evaluation of the class for other versions of nodes.

        Returns:
            False where they do not fit.
        """
        if before.follower.log is not self.follower.log or before.objects is not self.objects or before.odd:
            return False
        if before.row_filters != self.row_filters or _scorers(before) != _scorers(self):
            return False
        self.own, self.follower = before.own, replace(before.follower)
        self.kept_total = before.kept_total - before.fixed_total + self.fixed_total
        self._follow(cluster, self.nodes.rows_unlike(before.nodes))
        return True

    def merge(self, verdicts: Verdicts, passes: Mask) -> None:
        """Take rows that a filter rejects out of `passes`, bool (R,)."""
        if verdicts.codes is not None:
            passes &= verdicts.codes == Code.SUCCESS
            self.odd = self.odd or bool((verdicts.codes == Code.ERROR).any())

    def refresh(self, rows: Rows, index: Ints) -> None:
        """Ask again for some rows, int64 (R,): own pods changed there."""
        passes = np.ones(len(index), bool)
        for plugin in self.row_filters:
            self.merge(plugin.filter(self.phase.states[plugin.name], rows), passes)
        self.own[index] = passes
        total = self.fixed_total[index]
        for plugin, weight, state in self.row_scores:
            raw = sure_scores(plugin, state, rows)
            self.odd = self.odd or int(raw.min()) < 0 or int(raw.max()) > MAX_SCORE
            total += weight * raw
        self.kept_total[index] = total

    def evaluate(self, pod: PodRecord, cluster: ClusterState) -> Evaluation | None:
        """What the plugins say of a pod of the class; None where it fits nowhere: why, only a full look tells."""
        phase = replace(self.phase, states=dict(self.phase.states), skipped=set(self.phase.skipped))
        passes = self.fixed & self.own
        if not cluster.present.all:
            passes &= cluster.present.mask
        for plugin in self.pod_filters:
            result = plugin.pre_filter(pod, cluster)
            if result.status is not None:
                return None
            if result.skip:
                phase.skipped.add(plugin.name)
                continue
            phase.skipped.discard(plugin.name)
            phase.states[plugin.name] = result.state
            self.merge(plugin.filter(result.state, Rows(cluster)), passes)
        if cluster.nominations:
            for refusal in self.framework.nominated_refusals(pod, phase, Rows(cluster)):
                passes[refusal.row] = False
                self.odd = self.odd or refusal.status.code is Code.ERROR
        if self.odd:
            return None
        possible = passes if len(self.order) == len(passes) else passes[self.order]
        return Evaluation(phase, self.order, passes, self.score) if possible.any() else None

    def score(self, pod: PodRecord, cluster: ClusterState, feasible: Ints) -> ScorePhase:
        """Totals of the pod on the feasible nodes, int64 (F,), without the columns that they are made of."""
        total = self.kept_total[feasible]
        for plugin, weight, raw in self.node_scores:
            total += weight * plugin.normalize(None, raw[feasible], feasible)
        for plugin, weight in self.pod_scores:
            result = plugin.pre_score(pod, cluster, feasible)
            if not result.skip:
                raw = sure_scores(plugin, result.state, Rows(cluster, feasible))
                total += weight * plugin.normalize(result.state, raw, feasible)
        return ScorePhase(feasible, (), total)


class ClassCache:
    """Evaluations by profile and class up to labels; for one cluster."""

    def __init__(self) -> None:
        self._kept: BoundedCache[tuple[str, int], ClassEvaluation | None] = BoundedCache(_MOST)

    def evaluate(self, framework: Framework, pod: PodRecord, cluster: ClusterState) -> Evaluation | None:
        """What the plugins say of a pod that fits somewhere; None where they have to be asked in full."""
        kept = self._class_of(framework, pod, cluster)
        return None if kept is None or kept.odd else kept.evaluate(pod, cluster)

    def _class_of(
        self, framework: Framework, pod: PodRecord, cluster: ClusterState
    ) -> ClassEvaluation | None:
        """What is kept of the pod's class, up to date; None where nothing can be."""
        if pod.pod.node_name:
            return None
        key = (framework.profile.scheduler_name, pod.pod_class.template)
        kept: ClassEvaluation | None = None
        if key in self._kept:
            kept = self._kept.get(key)
            if kept is None or kept.advance(cluster):
                return kept
        made = make_evaluation(framework, pod, cluster, kept)
        self._kept.put(key, made, 0 if made is None else made.nbytes)
        return made


def make_evaluation(
    framework: Framework, pod: PodRecord, cluster: ClusterState, before: ClassEvaluation | None = None
) -> ClassEvaluation | None:
    """Evaluate a class; None where some plugin's answer cannot be kept.

    What was known `before` of rows whose nodes are still the same is taken over.
    """
    phase = framework.run_pre_filter(pod, cluster)
    if phase.status is not None:
        return None
    filters = [
        p
        for p in framework.at(ExtensionPoint.FILTER)
        if p.name not in phase.skipped or p.spec.reads is Reads.PODS
    ]
    if any(p.spec.reads is Reads.ANYTHING or not framework.is_prepared(p) for p in filters):
        return None
    count = cluster.nodes.count
    evaluation = ClassEvaluation(
        framework=framework,
        phase=phase,
        follower=cluster.changes.follow(),
        nodes=cluster.nodes,
        present=cluster.present,
        objects=cluster.objects,
        order=confined_rows(phase, cluster),
        fixed=np.ones(count, bool),
        own=np.ones(count, bool),
        kept_total=np.zeros(count, np.int64),
        row_filters=[p for p in filters if p.spec.reads is Reads.ROW],
        pod_filters=[p for p in filters if p.spec.reads is Reads.PODS],
        fixed_total=np.zeros(count, np.int64),
    )
    everything = Rows(cluster)
    for plugin in filters:
        if plugin.spec.reads is Reads.NODES:
            state = framework.filter_state(plugin, pod, phase, cluster)
            evaluation.merge(plugin.filter(state, everything), evaluation.fixed)
    if not _sort_scores(evaluation, pod, cluster):
        return None
    if before is None or not evaluation.take_over(before, cluster):
        evaluation.refresh(everything, np.arange(count))
    return evaluation


def _scorers(evaluation: ClassEvaluation) -> list[AnyPlugin]:
    """The plugins that score a row by its own pods."""
    return [plugin for plugin, _, _ in evaluation.row_scores]


def _sort_scores(evaluation: ClassEvaluation, pod: PodRecord, cluster: ClusterState) -> bool:
    """Put every Score plugin where it is kept; False where one cannot be kept."""
    framework, rows = evaluation.framework, np.arange(cluster.nodes.count)
    prepared = {plugin.name for plugin in framework.at(ExtensionPoint.PRE_SCORE)}
    for plugin in framework.at(ExtensionPoint.PRE_SCORE):
        if plugin.pre_score(pod, cluster, rows).status is not None:
            return False
    for plugin in framework.at(ExtensionPoint.SCORE):
        weight = framework.profile.weight(plugin.name)
        if plugin.spec.reads is Reads.PODS:
            if plugin.name not in prepared:
                return False
            evaluation.pod_scores.append((plugin, weight))
            continue
        result = plugin.pre_score(pod, cluster, rows)
        if plugin.name in prepared and result.skip:
            continue
        if result.reads_devices or (plugin.name not in prepared and plugin.score_state_missing is not None):
            return False
        evaluation.counts_nodes |= result.counts_nodes
        if plugin.spec.reads is Reads.ROW:
            evaluation.row_scores.append((plugin, weight, result.state))
        elif plugin.spec.reads is Reads.NODES or plugin.name in evaluation.phase.skipped:
            _keep_scores(evaluation, plugin, weight, sure_scores(plugin, result.state, Rows(cluster)))
        else:
            return False
    return True


def _keep_scores(evaluation: ClassEvaluation, plugin: AnyPlugin, weight: int, raw: Ints) -> None:
    if plugin.spec.keeps_scores or not raw.any():
        # All equal normalises to all equal: what is added everywhere decides nothing, but the total shows it.
        evaluation.fixed_total += weight * plugin.normalize(None, raw, np.arange(len(raw)))
    else:
        evaluation.odd = evaluation.odd or int(raw.min()) < 0
        evaluation.node_scores.append((plugin, weight, raw))
