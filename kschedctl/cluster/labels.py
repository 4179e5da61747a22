"""Node labels as interned columns: a selector is decided once per distinct value, never per node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kschedctl.objects.selectors import NodeTerm, Requirement, Selector

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """One label key over all nodes.

    Attributes:
        codes: int64 (N,), index into `values`, -1 where the node lacks the key.
        values: the distinct values in order of first appearance.
    """

    codes: npt.NDArray[np.int64]
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        self.codes.flags.writeable = False


class NodeLabels:
    """Labels of N nodes, columns made when first asked for and kept."""

    def __init__(self, names: Sequence[str], labels: Sequence[Mapping[str, str]]) -> None:
        self._names = names
        self._labels = labels
        self._columns: dict[str, LabelColumn] = {}
        self._requirements: dict[Requirement, Mask] = {}
        self._terms: dict[NodeTerm, Mask] = {}

    def column(self, key: str) -> LabelColumn:
        """The column of a key, all -1 where no node has it."""
        column = self._columns.get(key)
        if column is None:
            column = self._columns[key] = _encode([labels.get(key) for labels in self._labels])
        return column

    def mask(self, requirement: Requirement) -> Mask:
        """Which nodes meet a requirement, bool (N,), read-only."""
        known = self._requirements.get(requirement)
        if known is None:
            known = self._requirements[requirement] = _accepts(self.column(requirement.key), requirement)
        return known

    def mask_of_terms(self, terms: Sequence[NodeTerm]) -> Mask:
        """Which nodes match at least one term, bool (N,); no term matches nothing."""
        matches = np.zeros(len(self._names), bool)
        for term in terms:
            matches |= self._term(term)
        return matches

    def mask_of_equalities(self, pairs: Mapping[str, str]) -> Mask:
        """Which nodes have all these labels, bool (N,); no pair matches everything."""
        matches = np.ones(len(self._names), bool)
        for key, value in pairs.items():
            column = self.column(key)
            if value not in column.values:
                return np.zeros(len(self._names), bool)
            matches &= column.codes == column.values.index(value)
        return matches

    def _term(self, term: NodeTerm) -> Mask:
        known = self._terms.get(term)
        if known is None:
            known = np.ones(len(self._names), bool)
            for requirement in term.expressions:
                known &= self.mask(requirement)
            for field in term.fields:
                known &= self._field_mask(field)
            self._terms[term] = known
        return known

    def _field_mask(self, field: Requirement) -> Mask:
        """`metadata.name` is the only field a node has; any other reads as empty."""
        if field.key != "metadata.name":
            return np.full(len(self._names), field.accepts(""))
        return np.fromiter((field.accepts(name) for name in self._names), bool, len(self._names))


def _encode(cells: Sequence[str | None]) -> LabelColumn:
    codes_of: dict[str, int] = {}
    codes = np.fromiter(
        (-1 if cell is None else codes_of.setdefault(cell, len(codes_of)) for cell in cells),
        np.int64,
        len(cells),
    )
    return LabelColumn(codes, tuple(codes_of))


def _accepts(column: LabelColumn, requirement: Requirement) -> Mask:
    """Which rows meet a requirement: decided per distinct value; code -1 finds the answer for "absent"."""
    by_code = [requirement.accepts(value) for value in column.values]
    return np.array([*by_code, requirement.accepts(None)], bool)[column.codes]


class LabelledGroups:
    """Distinct `(namespace, labels)` of pods as columns that grow, for label selectors."""

    def __init__(self) -> None:
        self._namespaces: list[str] = []
        self._labels: list[Mapping[str, str]] = []
        self._columns: dict[str, LabelColumn] = {}
        self._masks: dict[Selector, Mask] = {}

    def __len__(self) -> int:
        return len(self._labels)

    def add(self, namespace: str, labels: Mapping[str, str]) -> int:
        """Enter a new group; returns its index."""
        self._namespaces.append(namespace)
        self._labels.append(labels)
        return len(self._labels) - 1

    def namespace(self, group: int) -> str:
        """Namespace of a group."""
        return self._namespaces[group]

    def matching(self, selector: Selector) -> Mask:
        """Groups whose labels match, bool (G,), whatever their namespace; not to be changed."""
        known = self._masks.get(selector)
        if known is None or len(known) < len(self._labels):
            known = self._masks[selector] = self._match(selector)
        return known

    def in_namespaces(self, accepts: Callable[[str], bool]) -> Mask:
        """Groups whose namespace is accepted, bool (G,); each distinct namespace is asked once."""
        decided = {namespace: accepts(namespace) for namespace in set(self._namespaces)}
        return np.fromiter((decided[n] for n in self._namespaces), bool, len(self._namespaces))

    def labelled(self) -> Mask:
        """Groups that have any label, bool (G,)."""
        return np.fromiter(map(bool, self._labels), bool, len(self._labels))

    def _match(self, selector: Selector) -> Mask:
        if selector.nothing:
            return np.zeros(len(self._labels), bool)
        matches = np.ones(len(self._labels), bool)
        for requirement in selector.requirements:
            matches &= _accepts(self._column(requirement.key), requirement)
        return matches

    def _column(self, key: str) -> LabelColumn:
        column = self._columns.get(key)
        if column is None or len(column.codes) < len(self._labels):
            column = self._columns[key] = _encode([labels.get(key) for labels in self._labels])
        return column
