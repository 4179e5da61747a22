"""Distinct `(namespace, labels)` of pods as columns that grow, so that a selector costs what is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kschedctl.cluster.labels import Ints, Mask, accepted, encode
from kschedctl.objects.selectors import Selector


class LabelledGroups:
    """Groups of pods that label selectors cannot tell apart.

    A label is read when a selector first asks for its key; groups that come later are added to what is there.
    """

    def __init__(self) -> None:
        self._labels: list[Mapping[str, str]] = []
        self._namespaces: list[str] = []
        self._namespace_codes = _GrowingColumn()
        self._columns: dict[str, _GrowingColumn] = {}
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

    def labels(self, group: int) -> Mapping[str, str]:
        """Labels of a group; not to be changed."""
        return self._labels[group]

    def matching(self, selector: Selector) -> Mask:
        """Groups whose labels match, bool (G,), whatever their namespace; not to be changed."""
        known = self._masks.get(selector, np.zeros(0, bool))
        if len(known) < len(self._labels):
            known = self._masks[selector] = np.append(known, self._match(selector, len(known)))
        return known

    def in_namespaces(self, accepts: Callable[[str], bool]) -> Mask:
        """Groups whose namespace is accepted, bool (G,); each distinct namespace is asked once."""
        column = self._namespace_codes
        column.extend(self._namespaces[column.size :])
        return np.fromiter(map(accepts, column.code_of), bool, len(column.code_of))[column.codes]

    def _match(self, selector: Selector, start: int) -> Mask:
        """Which groups from `start` on match."""
        matches = np.full(len(self._labels) - start, not selector.nothing)
        for requirement in selector.requirements:
            column = self._column(requirement.key)
            matches &= accepted(requirement, column.codes[start:], column.code_of)
        return matches

    def _column(self, key: str) -> _GrowingColumn:
        column = self._columns.setdefault(key, _GrowingColumn())
        column.extend([labels.get(key) for labels in self._labels[column.size :]])
        return column


class _GrowingColumn:
    """Values as codes in order of appearance, -1 for none."""

    def __init__(self) -> None:
        self.codes: Ints = np.zeros(0, np.int64)
        self.code_of: dict[str, int] = {}

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.codes)

    def extend(self, cells: Sequence[str | None]) -> None:
        """Add cells at the end."""
        if cells:
            self.codes = np.append(self.codes, encode(cells, self.code_of))
