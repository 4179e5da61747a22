"""Topology domains: the values of a node label, and sums over them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.labels import LabelColumn

Ints = npt.NDArray[np.int64]


def domain_sums(column: LabelColumn, per_node: Ints) -> Ints:
    """Sum a figure of each node, int64 (N,), over the domains of a label: int64 (D,)."""
    has = column.codes >= 0
    total = np.zeros(len(column.values), np.int64)
    np.add.at(total, column.codes[has], per_node[has])
    return total


def spread_over(column: LabelColumn, per_domain: Ints) -> Ints:
    """The figure of each node's domain, int64 (N,), 0 for nodes without the label."""
    return np.append(per_domain, 0)[column.codes]
