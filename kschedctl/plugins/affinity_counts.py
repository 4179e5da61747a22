"""Where the pods are that terms mean, and the words with which they refuse a node (spec 03 §2)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.affinity_terms import AffinityTerms
from kschedctl.cluster.counts import PodCount
from kschedctl.cluster.domains import spread_over
from kschedctl.cluster.labels import LabelColumn
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.verdicts import Mask
from kschedctl.plugins.existing_terms import TermsTowards

Ints = npt.NDArray[np.int64]

PLUGIN: Final = "InterPodAffinity"
REASON_AFFINITY: Final = "node(s) didn't match pod affinity rules"
REASON_ANTI_AFFINITY: Final = "node(s) didn't match pod anti-affinity rules"
REASON_EXISTING: Final = "node(s) didn't satisfy existing pods anti-affinity rules"


class TermCounter(Struct, frozen=True):
    """How many times a term is met in each domain of its topology key.

    Attributes:
        key: topology key.
        column: its label over all nodes.
        weights: int64 (C,), what a pod of each class adds.
        counts: int64 (D,), sums over the domains.
        met: bool (N,), nodes with the key in whose domain it is met at all; None where nobody asks.
    """

    key: str
    column: LabelColumn
    weights: Ints
    counts: Ints
    met: Mask | None = None
    _examples: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, key: str, count: PodCount, cluster: ClusterState, *, met: bool = False) -> TermCounter:
        """Sum over the domains of a key what pods count on their nodes; `met`: and say where it is met."""
        column = cluster.nodes.column(key)
        counts = count.by_domain(column)
        return cls(key, column, count.weights, counts, count.met(column) if met else None)

    def on(self, rows: Rows, delta: Ints | None) -> Ints:
        """The count of each row's domain, int64 (R,), 0 without the label; with the change in its world."""
        found = rows.column(spread_over(self.column, self.counts))
        return found if delta is None else found + delta

    def is_met(self, rows: Rows, delta: Ints | None) -> Mask:
        """Rows with the key in whose domain it is met at all, bool (R,); with the change in their world."""
        if delta is None and self.met is not None:
            return rows.column(self.met)
        return self.labelled(rows) & (self.on(rows, delta) > 0)

    def labelled(self, rows: Rows) -> Mask:
        """Rows that have the key, bool (R,)."""
        return np.asarray(rows.column(self.column.codes) >= 0)

    def example(self, code: int, cluster: ClusterState) -> int | None:
        """The first pod that counts in a domain, for people; all domains are looked up at once."""
        if not self._examples:
            table = cluster.pods
            there = np.flatnonzero((table.node >= 0) & (self.weights != 0)[table.pod_class])[::-1]
            codes = self.column.codes[table.node[there]]
            self._examples.update(zip(codes.tolist(), there.tolist(), strict=True))
        return self._examples.get(code)


class FilterState(Struct, frozen=True):
    """What the filters read: a counter per term.

    Attributes:
        affinity: one per required term of the candidate; they count pods that match all of them.
        anti: one per required anti-affinity term of the candidate.
        existing: one per topology key of existing pods' anti-affinity terms that mean the candidate.
        self_match: whether the candidate matches all its own required terms.
        terms: the candidate's terms.
        towards: the terms of existing pods that mean the candidate.
        keeps_namespace_selector: whether a namespace selector is held against unknown namespaces too.
    """

    affinity: tuple[TermCounter, ...]
    anti: tuple[TermCounter, ...]
    existing: tuple[TermCounter, ...]
    self_match: bool
    terms: AffinityTerms
    towards: TermsTowards
    keeps_namespace_selector: bool

    @property
    def counters(self) -> tuple[TermCounter, ...]:
        """All of them, in the order of the columns of RowCounts."""
        return (*self.affinity, *self.anti, *self.existing)


class AffinityRowCounts(Struct, frozen=True):
    """What changed in the own domain of each hypothetical row, int64 (R, counters)."""

    deltas: Ints

    def take(self, at: Ints) -> AffinityRowCounts:
        """An independent copy for some rows."""
        return AffinityRowCounts(self.deltas[at])
