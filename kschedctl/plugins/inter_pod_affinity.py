"""InterPodAffinity: pods that attract and repel each other (spec 03 §2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.affinity_terms import AffinityTerm, AffinityTerms
from kschedctl.cluster.counts import PodCount
from kschedctl.cluster.domains import spread_over
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.configuration.args import InterPodAffinityArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult, PreScoreResult, RowState, Scores
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.scoring import MAX_SCORE
from kschedctl.framework.status import Background, Code, Detail, Status
from kschedctl.framework.verdicts import Mask, Verdicts, first_of
from kschedctl.framework.versions import Facts
from kschedctl.plugins.affinity_counts import (
    PLUGIN,
    REASON_AFFINITY,
    REASON_ANTI_AFFINITY,
    REASON_EXISTING,
    AffinityRowCounts,
    FilterState,
    TermCounter,
)
from kschedctl.plugins.existing_terms import ExistingTerms
from kschedctl.plugins.explanations.affinity import (
    affinity_details,
    filter_backgrounds,
    score_backgrounds,
)
from kschedctl.plugins.hints.affinity import AffinityHints
from kschedctl.plugins.signatures import Fragments
from kschedctl.plugins.term_namespaces import TermNamespaces

Ints = npt.NDArray[np.int64]


class InterPodAffinity(Plugin[FilterState, Ints]):
    """Terms are decided once per distinct label set and class, and counted over domains."""

    spec = PluginSpec(
        name=PLUGIN,
        points=frozenset(
            {ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER, ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE}
        ),
        args=InterPodAffinityArgs,
        reads=Reads.PODS,
        keeps_scores=False,
        has_row_state=True,
        filter_state_missing='error reading "PreFilterInterPodAffinity" from cycleState: not found',
        score_state_missing='reading "PreScoreInterPodAffinity" from cycleState: not found',
        score_title="Affinity",
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments | None:
        """The labels, by which others may mean the pod; a pod with terms of its own is alone."""
        if pod.pod_class.terms.has_affinity:
            return None
        ignored = self.context.args.ignore_preferred_terms_of_existing_pods
        return {} if ignored else {"Labels": dict(sorted(pod.pod.labels.items()))}

    def interests(self) -> tuple[Interest, ...]:
        """Pods that come, go or change labels, and nodes that change their domain."""
        return AffinityHints(self.context.facts).interests()

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[FilterState]:
        """State: the counters. Skips where nothing could reject a node."""
        terms, keeps = pod.pod_class.terms, self.context.facts.terms_keep_their_namespace_selector
        if terms.errors:
            listed = terms.errors[0] if len(terms.errors) == 1 else f"[{', '.join(terms.errors)}]"
            return PreFilterResult(status=Status(Code.UNRESOLVABLE, (f"parsing pod: {listed}",)))
        towards = cluster.extension(ExistingTerms, ExistingTerms).towards(pod)
        if not (terms.required or terms.required_anti or towards.anti_keys()):
            return PreFilterResult(skip=True, for_good=True)
        state = FilterState(
            affinity=tuple(
                TermCounter.of(term.key, _pods_meant(terms.required, cluster, keeps), cluster)
                for term in terms.required
            ),
            anti=tuple(
                TermCounter.of(term.key, _pods_meant((term,), cluster, keeps), cluster, met=True)
                for term in terms.required_anti
            ),
            existing=tuple(
                TermCounter.of(key, towards.anti(key), cluster, met=True) for key in towards.anti_keys()
            ),
            self_match=all(_means_pod(term, pod, cluster, keeps) for term in terms.required),
            terms=terms,
            towards=towards,
            keeps_namespace_selector=keeps,
        )
        repelled = any(counter.counts.any() for counter in state.existing)
        return PreFilterResult(state, skip=not (repelled or terms.required or terms.required_anti))

    def filter(self, state: FilterState, rows: Rows) -> Verdicts:
        """The candidate's affinity, its anti-affinity, then that of the existing pods."""
        row_counts: AffinityRowCounts | None = rows.row_states.get(self.name)
        deltas = None if row_counts is None else row_counts.deltas
        steps = []
        if state.affinity:
            attracted = self._attracted(state, rows, deltas)
            steps.append(Verdicts.reject(~attracted, Code.UNRESOLVABLE, REASON_AFFINITY))
        if state.anti:
            met = _any_met(state.anti, len(state.affinity), rows, deltas)
            steps.append(Verdicts.reject(met, Code.UNSCHEDULABLE, REASON_ANTI_AFFINITY))
        if state.existing:
            met = _any_met(state.existing, len(state.affinity) + len(state.anti), rows, deltas)
            steps.append(Verdicts.reject(met, Code.UNSCHEDULABLE, REASON_EXISTING))
        return first_of(*steps)

    def _attracted(self, state: FilterState, rows: Rows, deltas: Ints | None) -> Mask:
        """Rows that have every key and, in each, a pod that matches all terms; or the pod is the first of its kind."""
        labelled = np.ones(len(rows), bool)
        satisfied = np.ones(len(rows), bool)
        total = np.zeros(len(rows), np.int64)
        for i, counter in enumerate(state.affinity):
            labelled &= counter.labelled(rows)
            satisfied &= counter.on(rows, None if deltas is None else deltas[:, i]) > 0
            total += counter.counts.sum()
            if deltas is not None:
                total += deltas[:, i]
        if state.self_match:
            satisfied |= total == 0
        return labelled & satisfied

    def row_state(self, state: FilterState, rows: Rows) -> AffinityRowCounts:
        """No change yet."""
        return AffinityRowCounts(np.zeros((len(rows), len(state.counters)), np.int64))

    def change(self, state: FilterState, row_state: RowState, rows: Rows, pods: Ints, sign: int) -> None:
        """A pod counts in its row's domain by the weights of its class."""
        assert isinstance(row_state, AffinityRowCounts)
        at = np.flatnonzero(pods >= 0)
        pod_class = rows.cluster.pods.pod_class[pods[at]]
        for i, counter in enumerate(state.counters):
            labelled = counter.column.codes[rows.index[at]] >= 0
            row_state.deltas[at, i] += sign * np.where(labelled, counter.weights[pod_class], 0)

    def pre_score(self, pod: PodRecord, cluster: ClusterState, feasible: Ints) -> PreScoreResult[Ints]:
        """State: raw scores of all nodes, int64 (N,). Skips where no term was met anywhere."""
        args = self.context.args
        terms = pod.pod_class.terms
        wishes = bool(terms.preferred or terms.preferred_anti)
        if args.ignore_preferred_terms_of_existing_pods and not wishes:
            return PreScoreResult(skip=True, for_good=True)
        towards = cluster.extension(ExistingTerms, ExistingTerms).towards(pod)
        hard = args.hard_pod_affinity_weight
        keys = towards.preferred_keys(hard)
        if not (wishes or keys):
            return PreScoreResult(skip=True, for_good=True)
        met = False
        by_key: dict[str, Ints] = {}
        for sign, term, counter in _wishes(terms, cluster, self.context.facts):
            met = met or bool(counter.counts.any())
            by_key[term.key] = by_key.get(term.key, 0) + sign * term.weight * counter.counts
        for key in keys:
            score = TermCounter.of(key, towards.score(key, hard, everywhere=wishes), cluster)
            by_key[key] = by_key.get(key, 0) + score.counts
            touched = TermCounter.of(key, towards.touched(key, hard, everywhere=wishes), cluster)
            met = met or bool(touched.counts.any())
        raw = np.zeros(cluster.nodes.count, np.int64)
        for key, sums in by_key.items():
            raw += spread_over(cluster.nodes.column(key), sums)
        return PreScoreResult(raw, skip=not met)

    def score(self, state: Ints, rows: Rows) -> Scores:
        """Sum of the weights in the row's domains; may be negative."""
        return np.asarray(rows.column(state))

    def normalize(self, state: Ints, scores: Scores, feasible: Ints) -> Scores:
        """Linear between the worst and the best; all equal gives 0. Divides first, as Go does."""
        lowest, highest = int(scores.min()), int(scores.max())
        if lowest == highest:
            return np.zeros(len(scores), np.int64)
        share = (scores - lowest).astype(np.float64) / float(highest - lowest)
        return (float(MAX_SCORE) * share).astype(np.int64)

    def details(self, state: FilterState, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which pod attracts or repels, in which direction, by which topology."""
        return tuple(affinity_details(state, rows, row))

    def score_gap(self, pod: PodRecord, cluster: ClusterState, feasible: Ints, row: int, other: int) -> str:
        """The sums of the weights of the terms that are met, of both sides."""
        raw = self.pre_score(pod, cluster, feasible).state
        assert raw is not None
        return f"weights met {int(raw[row])}, {cluster.nodes.names[other]} {int(raw[other])}"

    def background(
        self, pod: PodRecord, cluster: ClusterState, state: FilterState | None, feasible: Ints | None
    ) -> tuple[Background, ...]:
        """Where the pods are that attract or repel, by which terms."""
        found = [] if state is None else [*filter_backgrounds(state, cluster)]
        if feasible is not None and not self.pre_score(pod, cluster, feasible).skip:
            hard_weight = self.context.args.hard_pod_affinity_weight
            towards = cluster.extension(ExistingTerms, ExistingTerms).towards(pod)
            points = [
                TermCounter.of(key, towards.score(key, hard_weight, everywhere=True), cluster)
                for key in towards.preferred_keys(hard_weight)
            ]
            facts = self.context.facts
            wishes = _wishes(pod.pod_class.terms, cluster, facts)
            keeps = facts.terms_keep_their_namespace_selector
            found += score_backgrounds(wishes, points, towards, cluster, keeps)
        return tuple(found)


def _wishes(
    terms: AffinityTerms, cluster: ClusterState, facts: Facts
) -> list[tuple[int, AffinityTerm, TermCounter]]:
    """The candidate's preferred terms, with the sign of their weight and where the pods are that they mean."""
    signed = [(1, term) for term in terms.preferred] + [(-1, term) for term in terms.preferred_anti]
    keeps = facts.terms_keep_their_namespace_selector
    return [
        (sign, term, TermCounter.of(term.key, _pods_meant((term,), cluster, keeps), cluster))
        for sign, term in signed
    ]


def _pods_meant(terms: tuple[AffinityTerm, ...], cluster: ClusterState, keeps: bool) -> PodCount:
    """How many pods of each node are meant by all of the candidate's terms."""

    def weights() -> Ints:
        meant = np.logical_and.reduce([_means(term, cluster, keeps) for term in terms])
        return np.asarray(meant).astype(np.int64)

    return cluster.counts.get(("meant", terms, keeps), weights)


def _means(term: AffinityTerm, cluster: ClusterState, keeps: bool) -> Mask:
    """Classes of existing pods that a term of the candidate means, bool (C,) (direction A of spec 03 §2.2)."""
    groups = cluster.pods.classes.groups
    here = groups.in_namespaces(TermNamespaces.of(cluster).reached(term, keeps_selector=keeps).__contains__)
    return cluster.pods.classes.matching(groups.matching(term.selector) & here)


def _means_pod(term: AffinityTerm, pod: PodRecord, cluster: ClusterState, keeps: bool) -> bool:
    """Whether a term of the candidate means the candidate itself, by the same rules."""
    reached = TermNamespaces.of(cluster).reached(term, keeps_selector=keeps)
    return pod.namespace in reached and term.selector.matches(pod.pod.labels)


def _any_met(counters: tuple[TermCounter, ...], offset: int, rows: Rows, deltas: Ints | None) -> Mask:
    """Rows in whose domain any of the counters is above zero, bool (R,); their columns begin at `offset`."""
    each = [
        counter.is_met(rows, None if deltas is None else deltas[:, i])
        for i, counter in enumerate(counters, offset)
    ]
    return each[0] if len(each) == 1 else np.logical_or.reduce(each)
