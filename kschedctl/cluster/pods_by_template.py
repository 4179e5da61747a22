"""Which pods are of which templates: pods get other labels when they are bound, and stay of their template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_MOST_LATE: Final = 4096
_MANY: Final = 64


class PodsByTemplate:
    """The pods of a table in the order of their templates, but for the few that came or changed lately."""

    def __init__(self) -> None:
        self._order: Ints = np.zeros(0, np.int64)
        self._begins: Ints = np.zeros(1, np.int64)
        self._sorted = 0
        self._changed: list[int] = []

    def change(self, pod: int) -> None:
        """A pod is of another template now."""
        self._changed.append(pod)

    def keep(self, pods: int) -> None:
        """Forget all pods but the first so many."""
        self._sorted = min(self._sorted, pods)

    def of(self, templates: Sequence[int], template: Ints, pod_class: Ints) -> Ints:
        """All pods of some templates, and others maybe.

        Args:
            templates: their indices.
            template: int64 (C,), that of each class.
            pod_class: int64 (P,), the class of each pod.

        Returns:
            int64 (k,), their ids, each once.
        """
        if len(templates) > _MANY:
            return np.arange(len(pod_class))
        if len(pod_class) - self._sorted + len(self._changed) > _MOST_LATE:
            self._sort(template[pod_class])
        known = [t for t in templates if t < len(self._begins) - 1]
        found = [self._order[self._begins[t] : self._begins[t + 1]] for t in known]
        if self._changed:
            found = [np.unique(np.concatenate([*found, self._changed]))]
        late = np.arange(self._sorted, len(pod_class))
        return np.concatenate([*(pods[pods < self._sorted] for pods in found), late])

    def _sort(self, template: Ints) -> None:
        self._order = np.argsort(template, kind="stable")
        self._begins = np.append(0, np.cumsum(np.bincount(template)))
        self._sorted, self._changed = len(template), []
