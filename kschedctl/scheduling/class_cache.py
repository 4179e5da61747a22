"""Equal pods are decided once: after an assume only what it changed is asked again (design §3).

For pods that are equal up to labels the cache keeps which nodes pass and the part of the total that does not depend
on which other nodes pass. It is advanced by the cluster's change log: plugins that read a row's own pods are asked for
the changed rows. Plugins that read pods anywhere are asked anew, from counts that are themselves kept up to date; they
alone read labels, so members of a StatefulSet, each with its name in a label, share what is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.cluster.bounded_cache import MIB, BoundedCache, array_bytes
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.present_nodes import PresentNodes
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import AnyPlugin, PreScoreResult
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.scoring import ScorePhase, sure_scores
from kschedctl.scheduling.evaluation import Evaluation
from kschedctl.scheduling.leaders import KnownLeaders, Leaders
from kschedctl.scheduling.node_search import confined_rows
from kschedctl.scheduling.row_answers import RowAnswers, has_error, passing

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_Scalar = TypeVar("_Scalar", bound=np.generic)

_MOST = 64 * MIB


class _Asked(Struct):
    """The plugins that read pods anywhere and may have something to say of the pods of one class.

    Attributes:
        filters: plugins to ask again for all rows.
        scores: plugins that score, with weight.
        with_affinity: how many templates with inter-pod affinity terms there were.
    """

    filters: list[AnyPlugin]
    scores: list[tuple[AnyPlugin, int]]
    with_affinity: int

    def __post_init__(self) -> None:
        self.filters, self.scores = list(self.filters), list(self.scores)

    def pre_scores(
        self, pod: PodRecord, cluster: ClusterState, feasible: Ints
    ) -> Iterator[tuple[AnyPlugin, int, PreScoreResult[Any]]]:
        """PreScore of each, with its weight; who skips for good is not asked again."""
        for plugin, weight in tuple(self.scores):
            result = plugin.pre_score(pod, cluster, feasible)
            if result.for_good:
                self.scores.remove((plugin, weight))
            yield plugin, weight, result


class _Passing(Struct, frozen=True):
    """Which nodes pass, bool (N,), the same as bytes, and whether one of those passes that are looked at."""

    mask: Mask
    key: bytes
    possible: bool

    @classmethod
    def of(cls, mask: Mask, order: Ints) -> _Passing:
        looked_at = mask if len(order) == len(mask) else mask[order]
        return cls(mask, mask.tobytes(), bool(looked_at.any()))


class ClassEvaluation(Struct):
    """What is kept for pods that are equal up to labels, in one profile.

    Attributes:
        framework: the profile.
        phase: what PreFilter left at first, without the states of plugins that read pods: each decision makes them.
        nodes: the node table it was made for.
        present: which of its nodes `order` is about.
        objects: the other objects it was made for.
        order: int64 (n,), rows that may be looked at, in snapshot order.
        fixed: bool (N,), nodes that pass the filters that read nodes only.
        fixed_total: int64 (N,), weighted raw scores of plugins that read nodes only and do not normalise.
        rows: the answers of plugins that read the pods of a row.
        leaders: the best of all nodes by these totals.
        pod_filters: plugins to ask again for all rows.
        node_scores: plugins that normalise scores of nodes as such, with weight and raw scores, int64 (N,).
        pod_scores: plugins that score by pods anywhere, with weight.
        counts_nodes: whether something that is kept depends on which nodes there are.
        odd: whether a filter ended in an error or a raw score is out of range: to be decided in full.
    """

    framework: Framework
    phase: PreFilterPhase
    nodes: NodeTable
    present: PresentNodes
    objects: object
    order: Ints
    fixed: Mask
    fixed_total: Ints
    rows: RowAnswers
    leaders: KnownLeaders
    pod_filters: list[AnyPlugin] = field(default_factory=list)
    node_scores: list[tuple[AnyPlugin, int, Ints]] = field(default_factory=list)
    pod_scores: list[tuple[AnyPlugin, int]] = field(default_factory=list)
    counts_nodes: bool = False
    odd: bool = False
    _scored_by_pods: bool = False
    """Whether the last pod of the class had scores that pods anywhere give."""
    _asked: dict[int, _Asked] = field(default_factory=dict)
    """By class of pods."""
    _passes: _Passing | None = None
    _at: tuple[int, PresentNodes] | None = None
    """What `_passes` was made for."""

    @property
    def nbytes(self) -> int:
        """What its own arrays take, states of plugins included; not `order`, `rows` and those that are shared."""
        scores = [state for _, _, state in self.node_scores]
        return 2 * self.fixed.nbytes + array_bytes(self.phase.states, scores)

    def advance(self, cluster: ClusterState) -> bool:
        """Take in the changes since the last time; False where everything has to be made anew."""
        if self.rows.follower.log is not cluster.changes or self.nodes is not cluster.nodes:
            return False
        if self.objects is not cluster.objects:
            return False
        if self.present is not cluster.present:
            if self.counts_nodes:
                return False
            self.present, self.order = cluster.present, confined_rows(self.phase, cluster)
        self.rows.advance(cluster)
        return True

    def evaluate(self, pod: PodRecord, cluster: ClusterState) -> Evaluation | None:
        """What the plugins say of a pod of the class; None where it fits nowhere: why, only a full look tells."""
        asked = self._asked_for(pod, cluster)
        if not asked.filters and not cluster.nominations:
            phase, passes = self.phase, self._passing(cluster)
        else:
            found = self._asked_of_pods(asked, pod, cluster)
            if found is None:
                return None
            phase, passes = found
        if self.odd or self.rows.odd:
            return None
        if not passes.possible:
            return None
        leaders = self._known_leaders(asked, pod, cluster, passes)
        return Evaluation(phase, self.order, passes.mask, self.score, leaders=leaders)

    def _asked_for(self, pod: PodRecord, cluster: ClusterState) -> _Asked:
        index, with_affinity = pod.pod_class.index, cluster.pods.classes.templates_with_affinity
        asked = self._asked.get(index)
        if asked is None or asked.with_affinity != with_affinity:
            asked = self._asked[index] = _Asked(self.pod_filters, self.pod_scores, with_affinity)
        return asked

    def _passing(self, cluster: ClusterState) -> _Passing:
        """Which nodes pass the filters that are kept; the same value as long as they are the same."""
        if self._passes is None or self._at != (self.rows.turns, cluster.present):
            mask = self.fixed & self.rows.own
            if not cluster.present.all:
                mask &= cluster.present.mask
            self._passes, self._at = _Passing.of(mask, self.order), (self.rows.turns, cluster.present)
        return self._passes

    def _asked_of_pods(
        self, asked: _Asked, pod: PodRecord, cluster: ClusterState
    ) -> tuple[PreFilterPhase, _Passing] | None:
        """Ask the plugins that read pods anywhere; None where one ends the cycle."""
        results = [(plugin, plugin.pre_filter(pod, cluster)) for plugin in asked.filters]
        skipped = self.phase.skipped
        if any(result.for_good for _, result in results):
            asked.filters = [p for p, result in results if not (result.for_good and p.name in skipped)]
        if not cluster.nominations and all(result.skip and p.name in skipped for p, result in results):
            return self.phase, self._passing(cluster)
        phase = replace(self.phase, states=dict(self.phase.states), skipped=set(skipped))
        passes = self._passing(cluster).mask.copy()
        for plugin, result in results:
            if result.status is not None:
                return None
            if result.skip:
                phase.skipped.add(plugin.name)
                continue
            phase.skipped.discard(plugin.name)
            phase.states[plugin.name] = result.state
            verdicts = plugin.filter(result.state, Rows(cluster))
            passes &= passing(verdicts)
            self.odd = self.odd or has_error(verdicts)
        if cluster.nominations:
            refusals = self.framework.refusals_for_rivals(pod, phase, Rows(cluster), among=passes)
            if refusals is not None:
                passes[refusals.rows] = False
                self.odd = self.odd or refusals.filters.has_errors
        return phase, _Passing.of(passes, self.order)

    def _known_leaders(
        self, asked: _Asked, pod: PodRecord, cluster: ClusterState, passes: _Passing
    ) -> Leaders | None:
        """The best nodes, where their totals are kept and the search walks all nodes."""
        count = cluster.present.count
        if self._scored_by_pods or len(self.order) < count or cluster.next_start >= count:
            return None
        leaders = self.leaders.among(passes.mask, self.order, cluster.next_start, passes.key)
        if leaders is None:
            return None
        scored = any(not result.skip for _, _, result in asked.pre_scores(pod, cluster, leaders.feasible))
        return None if scored else leaders

    def score(self, pod: PodRecord, cluster: ClusterState, feasible: Ints) -> ScorePhase:
        """Totals of the pod on the feasible nodes, int64 (F,), without the columns that they are made of."""
        total = (self.rows.total + self.fixed_total)[feasible]
        for plugin, weight, raw in self.node_scores:
            total += weight * plugin.normalize(None, raw[feasible], feasible)
        self._scored_by_pods = False
        for plugin, weight, result in self._asked_for(pod, cluster).pre_scores(pod, cluster, feasible):
            if not result.skip:
                self._scored_by_pods = True
                raw = sure_scores(plugin, result.state, Rows(cluster, feasible))
                total += weight * plugin.normalize(result.state, raw, feasible)
        return ScorePhase(feasible, (), total)


class ClassCache:
    """Evaluations by profile and class up to labels; for one cluster."""

    def __init__(self) -> None:
        self._kept: BoundedCache[tuple[str, int], ClassEvaluation | None] = BoundedCache(_MOST)
        self._rows: BoundedCache[Hashable, RowAnswers] = BoundedCache(_MOST)
        self._masks, self._totals = _Shared[np.bool_](), _Shared[np.int64]()
        self._leaders: BoundedCache[Hashable, KnownLeaders] = BoundedCache(_MOST)

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
        if key in self._kept:
            kept = self._kept.get(key)
            if kept is None or kept.advance(cluster):
                return kept
        made = self._made(framework, pod, cluster)
        self._kept.put(key, made, 0 if made is None else made.nbytes)
        return made

    def _made(self, framework: Framework, pod: PodRecord, cluster: ClusterState) -> ClassEvaluation | None:
        """Evaluate a class; None where some plugin's answer cannot be kept."""
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
        scores = _sorted_scores(framework, phase, pod, cluster)
        if scores is None:
            return None
        passes, odd = np.ones(cluster.nodes.count, bool), scores.odd
        for plugin in filters:
            if plugin.spec.reads is Reads.NODES:
                verdicts = plugin.filter(framework.filter_state(plugin, pod, phase, cluster), Rows(cluster))
                passes &= passing(verdicts)
                odd |= has_error(verdicts)
        own = [
            (p, framework.filter_state(p, pod, phase, cluster))
            for p in filters
            if p.spec.reads in (Reads.USAGE, Reads.ROW)
        ]
        rows = self._answers(cluster, own, scores.by_row)
        of_pods = [p for p in filters if p.spec.reads is Reads.PODS]
        states = phase.states | dict.fromkeys(p.name for p in of_pods)
        return ClassEvaluation(
            framework=framework,
            phase=replace(phase, states=states),
            nodes=cluster.nodes,
            present=cluster.present,
            objects=cluster.objects,
            order=confined_rows(phase, cluster),
            fixed=self._masks.of(passes),
            fixed_total=self._totals.of(scores.fixed),
            rows=rows,
            leaders=self._leaders_by(rows, scores),
            pod_filters=of_pods,
            node_scores=scores.by_nodes,
            pod_scores=scores.by_pods,
            counts_nodes=scores.counts_nodes,
            odd=odd,
        )

    def _answers(
        self,
        cluster: ClusterState,
        filters: Sequence[tuple[AnyPlugin, Any]],
        scorers: Sequence[tuple[AnyPlugin, int, Any]],
    ) -> RowAnswers:
        """The answers of plugins with these states, shared with other classes where the states can be compared."""
        key = (tuple(filters), tuple(scorers))
        try:
            known = self._rows.get(key)
        except TypeError:  # a state that has no hash
            return RowAnswers.of(cluster, filters, scorers)
        if known is not None and known.fits(cluster):
            known.advance(cluster)
            return known
        made = RowAnswers.of(cluster, filters, scorers)
        self._rows.put(key, made, made.nbytes)
        return made

    def _leaders_by(self, rows: RowAnswers, scores: _Scores) -> KnownLeaders:
        """Who leads by the totals of rows with what is added to them, shared with the classes that add the same."""
        by_nodes = tuple((plugin, weight, raw.tobytes()) for plugin, weight, raw in scores.by_nodes)
        key = (rows, scores.fixed.tobytes(), by_nodes)
        known = self._leaders.get(key)
        if known is None:
            known = KnownLeaders(rows, scores.fixed, scores.by_nodes)
            self._leaders.put(key, known, known.nbytes)
        return known


class _Shared(Generic[_Scalar]):
    """Arrays of nodes that are the same for most classes: what is equal is kept once, and is not to be changed."""

    def __init__(self) -> None:
        self._known: BoundedCache[bytes, npt.NDArray[_Scalar]] = BoundedCache(_MOST // 4)

    def of(self, array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
        """The array that was kept first of those that are equal."""
        key = array.tobytes()
        known = self._known.get(key)
        if known is not None:
            return known
        self._known.put(key, array, 2 * array.nbytes)
        return array


class _Scores(Struct):
    """The Score plugins of a profile, by what their scores for a class depend on.

    Attributes:
        fixed: int64 (N,), weighted raw scores of plugins that read nodes only and do not normalise.
        by_nodes: plugins that normalise scores of nodes as such, with weight and raw scores, int64 (N,).
        by_row: plugins that score a row by its own pods, with weight and state.
        by_pods: plugins that score by pods anywhere, with weight.
        counts_nodes: whether one of them counts nodes.
        odd: whether a raw score is out of range.
    """

    fixed: Ints
    by_nodes: list[tuple[AnyPlugin, int, Ints]] = field(default_factory=list)
    by_row: list[tuple[AnyPlugin, int, Any]] = field(default_factory=list)
    by_pods: list[tuple[AnyPlugin, int]] = field(default_factory=list)
    counts_nodes: bool = False
    odd: bool = False

    def keep(self, plugin: AnyPlugin, weight: int, raw: Ints) -> None:
        """Keep scores that pods do not change, int64 (N,)."""
        if plugin.spec.keeps_scores or not raw.any():
            # All equal normalises to all equal: what is added everywhere decides nothing, but the total shows it.
            self.fixed += weight * plugin.normalize(None, raw, np.arange(len(raw)))
        else:
            self.odd = self.odd or int(raw.min()) < 0
            self.by_nodes.append((plugin, weight, raw))


def _sorted_scores(
    framework: Framework, phase: PreFilterPhase, pod: PodRecord, cluster: ClusterState
) -> _Scores | None:
    """Put every Score plugin where it is kept; None where one cannot be kept."""
    found, rows = _Scores(np.zeros(cluster.nodes.count, np.int64)), np.arange(cluster.nodes.count)
    prepared = {plugin.name for plugin in framework.at(ExtensionPoint.PRE_SCORE)}
    for plugin in framework.at(ExtensionPoint.PRE_SCORE):
        if plugin.pre_score(pod, cluster, rows).status is not None:
            return None
    for plugin in framework.at(ExtensionPoint.SCORE):
        weight = framework.profile.weight(plugin.name)
        if plugin.spec.reads is Reads.PODS:
            if plugin.name not in prepared:
                return None
            found.by_pods.append((plugin, weight))
            continue
        result = plugin.pre_score(pod, cluster, rows)
        if plugin.name in prepared and result.skip:
            continue
        if result.reads_devices or (plugin.name not in prepared and plugin.score_state_missing is not None):
            return None
        found.counts_nodes |= result.counts_nodes
        if plugin.spec.reads in (Reads.USAGE, Reads.ROW):
            found.by_row.append((plugin, weight, result.state))
        elif plugin.spec.reads is Reads.NODES or plugin.name in phase.skipped:
            found.keep(plugin, weight, sure_scores(plugin, result.state, Rows(cluster)))
        else:
            return None
    return found
