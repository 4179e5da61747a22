"""PodTopologySpread: matching pods evenly over topology domains (spec 03 §1)."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.domains import spread_over
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.configuration.args import PodTopologySpreadArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import (
    Plugin,
    PluginContext,
    PreFilterResult,
    PreScoreResult,
    RowState,
    Scores,
)
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.scoring import MAX_SCORE
from kschedctl.framework.status import Background, Code, Detail, Status
from kschedctl.framework.verdicts import Verdicts, first_of
from kschedctl.objects.selectors import SelectorError
from kschedctl.objects.well_known import HOSTNAME
from kschedctl.plugins.explanations.spread import (
    hard_background,
    soft_backgrounds,
    spread_details,
    spread_gap,
)
from kschedctl.plugins.hints.spread import SpreadHints
from kschedctl.plugins.signatures import Fragments
from kschedctl.plugins.spread_constraints import HARD, ConstraintBuilder, SpreadConstraint
from kschedctl.plugins.spread_counts import (
    PLUGIN,
    REASON_LABEL,
    REASON_SKEW,
    HardCounts,
    SoftCounts,
    SoftState,
    SpreadRowCounts,
)

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class PodTopologySpread(Plugin[tuple[HardCounts, ...], SoftState]):
    """Counts are arrays over domains; selectors are decided once per distinct label set."""

    spec = PluginSpec(
        name=PLUGIN,
        points=frozenset(
            {ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER, ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE}
        ),
        args=PodTopologySpreadArgs,
        reads=Reads.PODS,
        keeps_scores=False,
        has_row_state=True,
        filter_state_missing='reading "PreFilterPodTopologySpread" from cycleState: not found',
        score_state_missing='reading "PreScorePodTopologySpread" from cycleState: not found',
        score_title="Spread",
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._constraints = ConstraintBuilder(context)

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments | None:
        """Nothing, where no constraint applies to any pod."""
        return None if self._constraints.may_apply(pod) else {}

    def interests(self) -> tuple[Interest, ...]:
        """Pods that count for a constraint, and nodes of its topology."""
        return SpreadHints(
            partial(self._constraints.applying, action=HARD),
            nominations=self.context.facts.nominations_wake_by_topology,
        ).interests()

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[tuple[HardCounts, ...]]:
        """State: the hard constraints with their counts. Skips where there are none."""
        try:
            ground = self._constraints.ground(pod, cluster)
        except SelectorError as error:
            text = f"get constraints from pod: obtaining pod's hard topology spread constraints: {error}"
            return PreFilterResult(status=Status(Code.ERROR, (text,)))
        if ground is None:
            return PreFilterResult(skip=True, for_good=True)
        each = zip(ground.constraints, ground.eligible, ground.domains, strict=True)
        return PreFilterResult(
            tuple(
                _hard_counts(constraint, eligible, domains, ground.labelled, pod, cluster)
                for constraint, eligible, domains in each
            )
        )

    def filter(self, state: tuple[HardCounts, ...], rows: Rows) -> Verdicts:
        """Per constraint in order: the label must be there, and the skew must stay within bounds."""
        row_counts: SpreadRowCounts | None = rows.row_states.get(self.name)
        steps: list[Verdicts] = []
        for i, hard in enumerate(state):
            missing = rows.column(hard.constraint.column.codes) < 0
            skewed = hard.is_skewed(rows, None if row_counts is None else row_counts.deltas[:, i])
            steps.append(Verdicts.reject(missing, Code.UNRESOLVABLE, REASON_LABEL))
            steps.append(Verdicts.reject(skewed, Code.UNSCHEDULABLE, REASON_SKEW))
        return first_of(*steps)

    def row_state(self, state: tuple[HardCounts, ...], rows: Rows) -> SpreadRowCounts:
        """No change yet."""
        return SpreadRowCounts(np.zeros((len(rows), len(state)), np.int64))

    def change(
        self, state: tuple[HardCounts, ...], row_state: RowState, rows: Rows, pods: Ints, sign: int
    ) -> None:
        """A pod of the namespace that matches counts in its row's domain; terminating or not is not looked at."""
        assert isinstance(row_state, SpreadRowCounts)
        at = np.flatnonzero(pods >= 0)
        pod_class = rows.cluster.pods.pod_class[pods[at]]
        for i, hard in enumerate(state):
            counted = (hard.weights[pod_class] != 0) & hard.eligible[rows.index[at]]
            row_state.deltas[at, i] += sign * counted

    def pre_score(self, pod: PodRecord, cluster: ClusterState, feasible: Ints) -> PreScoreResult[SoftState]:
        """State: the soft constraints with their weights and counts. Skips where there are none."""
        try:
            ground = self._constraints.scoring_ground(pod, cluster)
        except SelectorError as error:
            text = f"calculating preScoreState: obtaining pod's soft topology spread constraints: {error}"
            return PreScoreResult(status=Status(Code.ERROR, (text,)))
        if ground is None:
            return PreScoreResult(skip=True, for_good=True)
        weights = ground.weights(feasible)
        each = zip(ground.constraints, weights, ground.counted, strict=True)
        counts = tuple(
            SoftCounts(constraint, weight, _soft_counts(constraint, counted, pod, cluster))
            for constraint, weight, counted in each
        )
        return PreScoreResult(SoftState(counts, ground.ignored, ground.ignores))

    def score(self, state: SoftState, rows: Rows) -> Scores:
        """The lower, the better; ignored rows get 0."""
        total: Floats = np.zeros(len(rows))
        for soft in state.counts:
            counts = rows.column(soft.counts)
            if rows.emptied and soft.constraint.key == HOSTNAME:
                counts = np.zeros_like(counts)  # these are the node's own pods, and nothing is known of them
            added = counts * soft.weight + float(soft.constraint.max_skew - 1)
            there = rows.column(soft.constraint.column.codes) >= 0
            total += added if there.all() else np.where(there, added, 0.0)
        whole = np.trunc(total)
        rounded = (whole + (total - whole >= 0.5)).astype(np.int64)
        return np.where(rows.column(state.ignored), 0, rounded) if state.ignores else rounded

    def normalize(self, state: SoftState, scores: Scores, feasible: Ints) -> Scores:
        """The best gets 100, ignored nodes 0."""
        ignored = state.ignored[feasible] if state.ignores else np.zeros(len(scores), bool)
        counted = scores[~ignored] if state.ignores else scores
        if not len(counted):
            return np.zeros(len(scores), np.int64)
        lowest, highest = int(counted.min()), int(counted.max(initial=0))
        if highest == 0:
            return np.where(ignored, 0, MAX_SCORE)
        normalized: Scores = MAX_SCORE * (highest + lowest - scores) // highest
        return np.where(ignored, 0, normalized) if state.ignores else normalized

    def details(self, state: tuple[HardCounts, ...], rows: Rows, row: int) -> tuple[Detail, ...]:
        """The count of the node's domain, the minimum, and the skew that would follow."""
        return tuple(spread_details(state, rows, row))

    def details_of(self, state: tuple[HardCounts, ...], rows: Rows, index: Ints) -> list[tuple[Detail, ...]]:
        """The same of many rows: once for those that are in the same domains and in a world that is no other."""
        if rows.row_states or not state:
            return super().details_of(state, rows, index)
        made: dict[tuple[int, ...], tuple[Detail, ...]] = {}
        found = []
        columns = [rows.column(hard.constraint.column.codes)[index].tolist() for hard in state]
        for row, domains in zip(index.tolist(), zip(*columns, strict=True), strict=True):
            if domains not in made:
                made[domains] = self.details(state, rows, row)
            found.append(made[domains])
        return found

    def score_gap(self, pod: PodRecord, cluster: ClusterState, feasible: Ints, row: int, other: int) -> str:
        """How many pods count for either node."""
        state = self.pre_score(pod, cluster, feasible).state
        assert state is not None
        return spread_gap(state, row, other, cluster)

    def background(
        self,
        pod: PodRecord,
        cluster: ClusterState,
        state: tuple[HardCounts, ...] | None,
        feasible: Ints | None,
    ) -> tuple[Background, ...]:
        """The domains of every constraint with their counts, and which of them count."""
        tolerated = self._constraints.tolerated(pod, cluster)
        found = [hard_background(hard, pod, cluster, tolerated) for hard in state or ()]
        if feasible is not None:
            scoring = self.pre_score(pod, cluster, feasible)
            if scoring.state is not None:
                found += soft_backgrounds(scoring.state, pod, cluster)
        return tuple(found)


def _hard_counts(
    constraint: SpreadConstraint,
    eligible: Mask,
    domains: Mask,
    labelled: Mask,
    pod: PodRecord,
    cluster: ClusterState,
) -> HardCounts:
    pods = constraint.pods(pod, cluster)
    nothing = constraint.counts_nothing
    return HardCounts(
        constraint=constraint,
        counts=np.zeros(len(domains), np.int64) if nothing else pods.by_domain(constraint.column, eligible),
        present=domains,
        labelled=labelled,
        eligible=eligible,
        weights=pods.weights,
        own=int(constraint.selector.matches(pod.pod.labels)),
    )


def _soft_counts(constraint: SpreadConstraint, counted: Mask, pod: PodRecord, cluster: ClusterState) -> Ints:
    """What counts for each node, int64 (N,): pods of its domain, or of the node itself for the host name."""
    column, count = constraint.column, cluster.nodes.count
    if constraint.counts_nothing:
        return np.zeros(count, np.int64)
    pods = constraint.pods(pod, cluster)
    if constraint.key == HOSTNAME:
        return pods.by_node
    sums = pods.by_domain(column, counted)
    if (blank := column.code_of.get("")) is not None:
        sums[blank] += pods.by_node[counted & (column.codes < 0)].sum()
    return spread_over(column, sums)
