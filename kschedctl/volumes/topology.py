"""Where storage is reachable: one normal form for affinities, class topologies and capacities.

A set of terms is decided once over all nodes. Local volumes give thousands of distinct terms that name one
host each, so `In` is answered from an index by value and results are kept as rows, not as masks.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.labels import LabelColumn
from kschedctl.objects.meta import LabelSelector, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.selectors import Requirement, SelectorError, lenient_node_terms, parse_label_selector
from kschedctl.objects.storage import StorageClass

Mask: TypeAlias = npt.NDArray[np.bool_]
Ints: TypeAlias = npt.NDArray[np.int64]

Terms: TypeAlias = tuple[tuple[Requirement, ...], ...]
"""Requirements on node labels, ANDed within a term; the terms are ORed."""

EVERYWHERE: Terms = ((),)
NOWHERE: Terms = ()


class NodeLabelColumns(Protocol):
    """What is read of a node table with N rows."""

    @property
    def names(self) -> list[str]:
        """Node names by row."""

    @property
    def row_of(self) -> dict[str, int]:
        """Node name -> row."""

    def column(self, key: str) -> LabelColumn:
        """A label key over all nodes."""

    def mask_of(self, requirement: Requirement) -> Mask:
        """Which nodes meet a requirement, bool (N,)."""


def affinity_terms(required: NodeSelector | None) -> Terms:
    """Where a volume with this required node affinity is reachable (spec 04 §0.4).

    Only labels count: the node's name is not given to the matcher, so a term of fields alone matches every
    node. A malformed term matches nothing.
    """
    if required is None:
        return EVERYWHERE
    return tuple(term.expressions for term in lenient_node_terms(required))


def class_terms(storage_class: StorageClass) -> Terms:
    """Where a class provisions (spec 04 §3.6): anywhere without topologies; a malformed term is void."""
    if not storage_class.allowed_topologies:
        return EVERYWHERE
    terms = tuple(
        NodeSelectorTerm(
            match_expressions=tuple(
                NodeSelectorRequirement(key=e.key, operator="In", values=e.values)
                for e in term.match_label_expressions
            )
        )
        for term in storage_class.allowed_topologies
    )
    return affinity_terms(NodeSelector(node_selector_terms=terms))


def selector_terms(selector: LabelSelector | None) -> Terms:
    """Nodes that a capacity's topology selects: none without a selector or with a malformed one."""
    try:
        parsed = parse_label_selector(selector)
    except SelectorError:
        return NOWHERE
    return NOWHERE if parsed.nothing else (parsed.requirements,)


class NodeTopology:
    """Decides terms over the N nodes of one node table and remembers the answers."""

    def __init__(self, nodes: NodeLabelColumns) -> None:
        self._nodes = nodes
        self._count = len(nodes.names)
        self._rows: dict[Terms, Ints] = {}
        self._rows_by_value: dict[str, dict[str, Ints]] = {}

    @property
    def count(self) -> int:
        """Number of nodes N."""
        return self._count

    def rows(self, terms: Terms) -> Ints:
        """Rows that match one of the terms, int64, ascending, read-only."""
        known = self._rows.get(terms)
        if known is None:
            found = [self._rows_of_term(term) for term in terms]
            known = found[0] if len(found) == 1 else np.unique(np.concatenate([_NONE, *found]))
            self._rows[terms] = known
        return known

    def mask(self, terms: Terms) -> Mask:
        """Which nodes match one of the terms, bool (N,)."""
        mask = np.zeros(self._count, bool)
        mask[self.rows(terms)] = True
        return mask

    def _rows_of_term(self, term: tuple[Requirement, ...]) -> Ints:
        if len(term) == 1 and term[0].operator == "In":
            by_value = self._by_value(term[0].key)
            found = [by_value[value] for value in sorted(set(term[0].values)) if value in by_value]
            return found[0] if len(found) == 1 else np.sort(np.concatenate([_NONE, *found]))
        mask = np.ones(self._count, bool)
        for requirement in term:
            mask &= self._nodes.mask_of(requirement)
        return np.flatnonzero(mask)

    def _by_value(self, key: str) -> dict[str, Ints]:
        """Value of a label -> rows that carry it, ascending."""
        known = self._rows_by_value.get(key)
        if known is None:
            column = self._nodes.column(key)
            order = np.argsort(column.codes, kind="stable")
            starts = np.searchsorted(column.codes[order], np.arange(len(column.values) + 1))
            known = {
                value: order[starts[code] : starts[code + 1]] for code, value in enumerate(column.values)
            }
            self._rows_by_value[key] = known
        return known


_NONE: Ints = np.zeros(0, np.int64)
