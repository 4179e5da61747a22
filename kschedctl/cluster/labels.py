"""Node labels as interned columns: a selector is decided once per distinct value, never per node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.objects.selectors import NodeTerm, Requirement

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class LabelColumn(Struct, frozen=True):
    """One label key over all nodes.

    Attributes:
        codes: int64 (N,), index into `values`, -1 where the node lacks the key.
        values: the distinct values in order of first appearance.
        code_of: value -> its index.
    """

    codes: Ints
    values: tuple[str, ...]
    code_of: Mapping[str, int]


class NodeLabels:
    """Labels of N nodes, columns made when first asked for and kept."""

    def __init__(self, names: Sequence[str], labels: Sequence[Mapping[str, str]]) -> None:
        self._names = names
        self._row_of = {name: row for row, name in enumerate(names)}
        self._labels = labels
        self._columns: dict[str, LabelColumn] = {}
        self._requirements: dict[Requirement, Mask] = {}
        self._terms: dict[NodeTerm, Mask] = {}

    def patched(self, changed: Mapping[int, Mapping[str, str]]) -> NodeLabels:
        """The same with other labels on some rows; what no changed key is in is taken over."""
        labels = list(self._labels)
        keys: set[str] = set()
        for row, now in changed.items():
            keys |= {key for key in labels[row].keys() | now.keys() if labels[row].get(key) != now.get(key)}
            labels[row] = now
        twin = NodeLabels(self._names, labels)
        twin._columns = {key: column for key, column in self._columns.items() if key not in keys}
        twin._requirements = {
            wanted: mask for wanted, mask in self._requirements.items() if wanted.key not in keys
        }
        twin._terms = {
            term: mask
            for term, mask in self._terms.items()
            if keys.isdisjoint(e.key for e in term.expressions)
        }
        return twin

    def column(self, key: str) -> LabelColumn:
        """The column of a key, all -1 where no node has it."""
        column = self._columns.get(key)
        if column is None:
            code_of: dict[str, int] = {}
            codes = encode([labels.get(key) for labels in self._labels], code_of)
            codes.flags.writeable = False
            column = self._columns[key] = LabelColumn(codes, tuple(code_of), code_of)
        return column

    def mask(self, requirement: Requirement) -> Mask:
        """Which nodes meet a requirement, bool (N,), read-only."""
        known = self._requirements.get(requirement)
        if known is None:
            column = self.column(requirement.key)
            known = self._requirements[requirement] = accepted(requirement, column.codes, column.code_of)
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
            matches &= self.mask(Requirement(key, "In", (value,)))
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
        return accepted(field, np.arange(len(self._names)), self._row_of)


def encode(cells: Sequence[str | None], code_of: dict[str, int]) -> Ints:
    """The code of each cell, int64 (cells,), -1 for None; values that are new get the next codes."""
    for value in dict.fromkeys(cells):
        if value is not None:
            code_of.setdefault(value, len(code_of))
    return np.array([-1 if value is None else code_of[value] for value in cells], np.int64)


def accepted(requirement: Requirement, codes: Ints, code_of: Mapping[str, int]) -> Mask:
    """Which of some values meet a requirement; decided for the values that it names, not for each there is.

    Args:
        requirement: on the value of one key.
        codes: int64 (n,), the values as codes, -1 where the key is absent.
        code_of: value -> code.
    """
    match requirement.operator:
        case "In" | "NotIn":
            named = np.zeros(len(code_of) + 1, bool)
            named[[code_of[value] for value in requirement.values if value in code_of]] = True
            return named[codes] if requirement.operator == "In" else ~named[codes]
        case "Exists":
            return np.asarray(codes >= 0)
        case "DoesNotExist":
            return np.asarray(codes < 0)
    by_code = [requirement.accepts(value) for value in code_of]
    return np.array([*by_code, requirement.accepts(None)], bool)[codes]
