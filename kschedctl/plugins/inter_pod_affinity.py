"""InterPodAffinity: pods that attract and repel each other (spec 03 §2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.counts import PodCount
from kschedctl.cluster.domains import domain_sums, spread_over
from kschedctl.cluster.labels import LabelColumn
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import Plugin, PreFilterResult, PreScoreResult, Reads, Scores
from kschedctl.framework.scoring import MAX_SCORE
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.verdicts import Mask, Verdicts, first_of
from kschedctl.objects.core import Namespace

from .existing_terms import ExistingTerms

Ints = npt.NDArray[np.int64]

REASON_AFFINITY = "node(s) didn't match pod affinity rules"
REASON_ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
REASON_EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"


@dataclass(frozen=True, slots=True)
class Counter:
    """How many times a term is met in each domain of its topology key.

    Attributes:
        key: topology key.
        column: its label over all nodes.
        weights: int64 (C,), what a pod of each class adds.
        counts: int64 (D,), sums over the domains.
    """

    key: str
    column: LabelColumn
    weights: Ints
    counts: Ints

    @classmethod
    def of(cls, key: str, count: PodCount, cluster: ClusterState) -> Counter:
        """Sum over the domains of a key what pods count on their nodes."""
        column = cluster.nodes.column(key)
        return cls(key, column, count.weights, domain_sums(column, count.by_node))

    def on(self, rows: Rows, delta: Ints | None) -> Ints:
        """The count of each row's domain, int64 (R,), 0 without the label; with the change in its world."""
        found = rows.column(spread_over(self.column, self.counts))
        return found if delta is None else found + delta

    def labelled(self, rows: Rows) -> Mask:
        """Rows that have the key, bool (R,)."""
        return np.asarray(rows.column(self.column.codes) >= 0)


@dataclass(frozen=True, slots=True)
class FilterState:
    """What the filters read: a counter per term.

    Attributes:
        affinity: one per required term of the candidate; they count pods that match all of them.
        anti: one per required anti-affinity term of the candidate.
        existing: one per topology key of existing pods' anti-affinity terms that mean the candidate.
        self_match: whether the candidate matches all its own required terms.
    """

    affinity: tuple[Counter, ...]
    anti: tuple[Counter, ...]
    existing: tuple[Counter, ...]
    self_match: bool

    @property
    def counters(self) -> tuple[Counter, ...]:
        """All of them, in the order of the columns of RowCounts."""
        return (*self.affinity, *self.anti, *self.existing)


@dataclass(frozen=True, slots=True)
class RowCounts:
    """What changed in the own domain of each hypothetical row, int64 (R, counters)."""

    deltas: Ints

    def take(self, at: Ints) -> RowCounts:
        """An independent copy for some rows."""
        return RowCounts(self.deltas[at])


class InterPodAffinity(Plugin):
    """Terms are decided once per distinct label set and class, and counted over domains."""

    name = "InterPodAffinity"
    reads = Reads.PODS
    keeps_scores = False
    filter_state_missing = 'reading "PreFilterInterPodAffinity" from cycleState: not found'
    score_state_missing = 'reading "PreScoreInterPodAffinity" from cycleState: not found'
    has_row_state = True

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult:
        """State: the counters. Skips where nothing could reject a node."""
        terms = pod.klass.terms
        if terms.errors:
            listed = terms.errors[0] if len(terms.errors) == 1 else f"[{', '.join(terms.errors)}]"
            return PreFilterResult(status=Status(Code.UNRESOLVABLE, (f"parsing pod: {listed}",)))
        state = FilterState(
            affinity=tuple(
                Counter.of(term.key, _pods_meant(terms.required, cluster), cluster) for term in terms.required
            ),
            anti=tuple(
                Counter.of(term.key, _pods_meant((term,), cluster), cluster) for term in terms.required_anti
            ),
            existing=_existing_anti(pod, cluster),
            self_match=all(_means_pod(term, pod, cluster) for term in terms.required),
        )
        repelled = any(counter.counts.any() for counter in state.existing)
        return PreFilterResult(state, skip=not (repelled or terms.required or terms.required_anti))

    def filter(self, state: Any, rows: Rows) -> Verdicts:
        """The candidate's affinity, its anti-affinity, then that of the existing pods."""
        row_counts: RowCounts | None = rows.row_states.get(self.name)
        deltas = None if row_counts is None else row_counts.deltas
        count = len(rows)
        return first_of(
            count,
            Verdicts.reject(~self._attracted(state, rows, deltas), Code.UNRESOLVABLE, REASON_AFFINITY),
            Verdicts.reject(
                _any_met(state.anti, len(state.affinity), rows, deltas),
                Code.UNSCHEDULABLE,
                REASON_ANTI_AFFINITY,
            ),
            Verdicts.reject(
                _any_met(state.existing, len(state.affinity) + len(state.anti), rows, deltas),
                Code.UNSCHEDULABLE,
                REASON_EXISTING,
            ),
        )

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

    def row_state(self, state: Any, rows: Rows) -> RowCounts:
        """No change yet."""
        return RowCounts(np.zeros((len(rows), len(state.counters)), np.int64))

    def change(self, state: Any, row_state: Any, rows: Rows, pods: Ints, sign: int) -> None:
        """A pod counts in its row's domain by the weights of its class."""
        at = np.flatnonzero(pods >= 0)
        klass = rows.cluster.pods.klass[pods[at]]
        for i, counter in enumerate(state.counters):
            labelled = counter.column.codes[rows.index[at]] >= 0
            row_state.deltas[at, i] += sign * np.where(labelled, counter.weights[klass], 0)

    def pre_score(self, pod: PodRecord, cluster: ClusterState, feasible: Ints) -> PreScoreResult:
        """State: raw scores of all nodes, int64 (N,). Skips where no term was met anywhere."""
        args = self.context.args
        terms = pod.klass.terms
        wishes = bool(terms.preferred or terms.preferred_anti)
        raw = np.zeros(cluster.nodes.count, np.int64)
        if args.ignore_preferred_terms_of_existing_pods and not wishes:
            return PreScoreResult(raw, skip=True)
        met = False
        for sign, listed in ((1, terms.preferred), (-1, terms.preferred_anti)):
            for term in listed:
                counter = Counter.of(term.key, _pods_meant((term,), cluster), cluster)
                met = met or bool(counter.counts.any())
                raw += sign * term.weight * spread_over(counter.column, counter.counts)
        existing = cluster.extension(ExistingTerms, ExistingTerms).towards(pod)
        for key in existing.preferred_keys(args.hard_pod_affinity_weight):
            score = Counter.of(key, existing.score(key, args.hard_pod_affinity_weight), cluster)
            raw += spread_over(score.column, score.counts)
            met = met or bool(
                Counter.of(key, existing.touched(key, args.hard_pod_affinity_weight), cluster).counts.any()
            )
        return PreScoreResult(raw, skip=not met)

    def score(self, state: Any, rows: Rows) -> Scores:
        """Sum of the weights in the row's domains; may be negative."""
        return np.asarray(rows.column(state))

    def normalize(self, state: Any, scores: Scores, feasible: Ints) -> Scores:
        """Linear between the worst and the best; all equal gives 0. Divides first, as Go does."""
        lowest, highest = int(scores.min()), int(scores.max())
        if lowest == highest:
            return np.zeros(len(scores), np.int64)
        share = (scores - lowest).astype(np.float64) / float(highest - lowest)
        return (float(MAX_SCORE) * share).astype(np.int64)

    def details(self, state: Any, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which pod attracts or repels, in which direction, by which topology."""
        found: list[Detail] = []
        if not self._attracted(state, rows, None)[row]:
            keys = list(dict.fromkeys(counter.key for counter in state.affinity))
            text = f"no pod that its pod affinity asks for in the node's {' and '.join(keys)}"
            found.append(Detail(self.name, REASON_AFFINITY, text, text))
        for counter in state.anti:
            if (other := _pod_behind(counter, rows, row)) is not None:
                subject = f"its own pod anti-affinity over {counter.key}"
                text = f"{other} is there, which its own anti-affinity over {counter.key} excludes"
                found.append(Detail(self.name, REASON_ANTI_AFFINITY, subject, text))
        for counter in state.existing:
            if (other := _pod_behind(counter, rows, row)) is not None:
                subject = f"anti-affinity of existing pods over {counter.key}"
                text = f"{other} repels it by its anti-affinity over {counter.key}"
                found.append(Detail(self.name, REASON_EXISTING, subject, text))
        return tuple(found)


def _existing_anti(pod: PodRecord, cluster: ClusterState) -> tuple[Counter, ...]:
    """A counter per topology key of the required anti-affinity terms that mean the candidate."""
    existing = cluster.extension(ExistingTerms, ExistingTerms).towards(pod)
    return tuple(Counter.of(key, existing.anti(key), cluster) for key in existing.anti_keys())


def _pods_meant(terms: tuple[AffinityTerm, ...], cluster: ClusterState) -> PodCount:
    """How many pods of each node are meant by all of the candidate's terms."""

    def weights() -> Ints:
        meant = np.logical_and.reduce([_means(term, cluster) for term in terms])
        return np.asarray(meant).astype(np.int64)

    return cluster.counts.get(("meant", terms), weights)


def _means(term: AffinityTerm, cluster: ClusterState) -> Mask:
    """Classes of existing pods that a term of the candidate means, bool (C,) (direction A of spec 03 §2.2)."""
    groups = cluster.pods.groups
    here = groups.in_namespaces(_namespace_test(term, cluster))
    return cluster.pods.classes_matching(groups.matching(term.selector) & here)


def _means_pod(term: AffinityTerm, pod: PodRecord, cluster: ClusterState) -> bool:
    """Whether a term of the candidate means the candidate itself, by the same rules."""
    return _namespace_test(term, cluster)(pod.namespace) and term.selector.matches(pod.pod.labels)


class _NamespaceTest:
    """Namespaces that a term of the candidate reaches.

    kube-scheduler expands the selector to names, but then still holds it against an empty label set: a selector
    of NotIn and DoesNotExist alone therefore reaches every namespace.
    """

    def __init__(self, names: frozenset[str], everywhere: bool) -> None:
        self._names = names
        self._everywhere = everywhere

    def __call__(self, namespace: str) -> bool:
        return self._everywhere or namespace in self._names


def _namespace_test(term: AffinityTerm, cluster: ClusterState) -> _NamespaceTest:
    selector = term.namespace_selector
    expanded = {
        name
        for (_, name), namespace in cluster.objects.all(Namespace).items()
        if selector.matches(namespace.metadata.labels)
    }
    return _NamespaceTest(term.namespaces | expanded, selector.matches({}))


def _any_met(counters: tuple[Counter, ...], offset: int, rows: Rows, deltas: Ints | None) -> Mask:
    """Rows in whose domain any of the counters is above zero, bool (R,); their columns begin at `offset`."""
    met = np.zeros(len(rows), bool)
    for i, counter in enumerate(counters, offset):
        met |= counter.labelled(rows) & (counter.on(rows, None if deltas is None else deltas[:, i]) > 0)
    return met


def _pod_behind(counter: Counter, rows: Rows, row: int) -> str | None:
    """A pod that makes a counter positive in the domain of a row, with its node."""
    code = int(rows.column(counter.column.codes)[row])
    if code < 0 or counter.counts[code] <= 0:
        return None
    table = rows.cluster.pods
    placed = (table.node >= 0) & (counter.weights[table.klass] > 0)
    there = np.flatnonzero(placed)
    there = there[counter.column.codes[table.node[there]] == code]
    if not len(there):
        return None
    own = there[table.node[there] == rows.index[row]]
    pod = int((own if len(own) else there)[0])
    return f"{table.records[pod].full_name} on {rows.cluster.nodes.names[int(table.node[pod])]}"
