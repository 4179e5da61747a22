"""What the constraints of a pod count in each domain, and the words with which they refuse a node (spec 03 §1)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.rows import Rows
from kschedctl.plugins.spread_constraints import SpreadConstraint

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

PLUGIN: Final = "PodTopologySpread"
REASON_SKEW: Final = "node(s) didn't match pod topology spread constraints"
REASON_LABEL: Final = f"{REASON_SKEW} (missing required label)"

_FAR = np.iinfo(np.int64).max // 2
"""Stands for the minimum over no domain at all."""


class HardCounts(Struct, frozen=True):
    """One hard constraint with its counts.

    Attributes:
        constraint: the constraint.
        counts: int64 (D,), matching pods of each domain on eligible nodes.
        present: bool (D,), domains that have an eligible node.
        labelled: bool (N,), nodes that carry the keys of all hard constraints.
        eligible: bool (N,), nodes whose pods count.
        weights: int64 (C,), not 0 for classes of pods that a hypothetical change counts.
        own: 1 where the candidate itself matches, else 0.
    """

    constraint: SpreadConstraint
    counts: Ints
    present: Mask
    labelled: Mask
    eligible: Mask
    weights: Ints
    own: int

    @property
    def minimum(self) -> int:
        """The smallest count; 0 where there are too few domains."""
        present = self.counts[self.present]
        return 0 if len(present) < max(self.constraint.min_domains, 1) else int(present.min())

    def minimum_without(self) -> Ints:
        """For each domain the smallest count of the others, int64 (D,)."""
        counts = np.where(self.present, self.counts, _FAR)
        if len(counts) < 2:
            return np.full(len(counts), _FAR)
        lowest = int(counts.argmin())
        others = np.full(len(counts), counts[lowest])
        others[lowest] = np.delete(counts, lowest).min()
        return others

    def is_skewed(self, rows: Rows, delta: Ints | None) -> Mask:
        """Rows on which the candidate would cause too much skew, bool (R,); for the arguments see `skew`."""
        if delta is not None:
            return self.skew(rows, delta) > self.constraint.max_skew
        # Decided once a domain, since there are few of them.
        skewed = np.append(self.counts, 0) + self.own - self.minimum > self.constraint.max_skew
        return skewed[rows.column(self.constraint.column.codes)]

    def skew(self, rows: Rows, delta: Ints | None) -> Ints:
        """The skew that the candidate would cause on each row, int64 (R,); meaningless without the label.

        Args:
            rows: the rows.
            delta: int64 (R,), how much the row's own domain differs in its world; None for the real one.
        """
        codes = rows.column(self.constraint.column.codes)
        count = np.append(self.counts, 0)[codes]
        if delta is None:
            return count + self.own - self.minimum
        count = count + delta
        if int(self.present.sum()) < max(self.constraint.min_domains, 1):
            return count + self.own
        others = np.append(self.minimum_without(), self.minimum)[codes]
        counted = np.append(self.present, False)[codes]
        return count + self.own - np.where(counted, np.minimum(count, others), self.minimum)


class SpreadRowCounts(Struct, frozen=True):
    """What changed in the own domain of each hypothetical row, int64 (R, constraints)."""

    deltas: Ints

    def take(self, at: Ints) -> SpreadRowCounts:
        """An independent copy for some rows."""
        return SpreadRowCounts(self.deltas[at])


class SoftCounts(Struct, frozen=True):
    """One soft constraint, ready to score.

    Attributes:
        constraint: the constraint.
        weight: logarithm of the number of domains.
        counts: int64 (N,), what counts for each node: pods of its domain, or of the node itself for the hostname.
    """

    constraint: SpreadConstraint
    weight: float
    counts: Ints


class SoftState(Struct, frozen=True):
    """The soft constraints, and which nodes are not scored.

    Attributes:
        counts: the constraints.
        ignored: bool (N,), nodes that get nothing.
        ignores: whether there are any.
    """

    counts: tuple[SoftCounts, ...]
    ignored: Mask
    ignores: bool
