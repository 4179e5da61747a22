"""Which disruption budgets cover which pods, decided once per distinct labels."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.state import ClusterState
from kschedctl.cluster.store import ObjectStore
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.objects.selectors import Selector, SelectorError, parse_label_selector


class BudgetIndex:
    """The budgets of a cluster by the label groups of its pods; follows groups that come later.

    Attributes:
        budgets: every budget, in the order in which the cluster lists them.
        allowed: int64 (B,), how many disruptions each allows.
        notes_disrupted: bool (B,), whether it notes pods as disrupted.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self._objects: ObjectStore = cluster.objects
        self._groups = cluster.pods.classes.groups
        self.budgets = list(cluster.objects.all(PodDisruptionBudget).values())
        status = [budget.status for budget in self.budgets]
        self.allowed = np.array([each.disruptions_allowed for each in status], np.int64)
        self.notes_disrupted = np.array([bool(each.disrupted_pods) for each in status], bool)
        self._selectors: dict[str, list[tuple[int, Selector]]] = {}
        for number, budget in enumerate(self.budgets):
            selector = _selector(budget)
            if selector is not None:
                self._selectors.setdefault(budget.namespace, []).append((number, selector))
        self._covering: list[list[int]] = []

    @classmethod
    def of(cls, cluster: ClusterState) -> BudgetIndex:
        """The index of a cluster, up to date."""
        kept = cluster.extension(_Kept, _Kept)
        if kept.index is None or kept.index._objects is not cluster.objects:
            kept.index = cls(cluster)
        kept.index._follow()
        return kept.index

    def covering(self, group: int) -> list[int]:
        """Positions in `budgets` of those that cover the pods of a label group, ascending; not to be changed."""
        return self._covering[group]

    def _follow(self) -> None:
        """Take in the groups that came since the last time."""
        first, end = len(self._covering), len(self._groups)
        if first == end:
            return
        self._covering += [[] for _ in range(first, end)]
        in_namespace: dict[str, list[int]] = {}
        for group in range(first, end):
            if self._groups.labels(group):
                in_namespace.setdefault(self._groups.namespace(group), []).append(group)
        for namespace, groups in in_namespace.items():
            new = np.array(groups)
            for number, selector in self._selectors.get(namespace, ()):
                for group in new[self._groups.matching(selector)[new]].tolist():
                    self._covering[group].append(number)


class _Kept:
    """Where a cluster keeps its index."""

    def __init__(self, cluster: ClusterState) -> None:
        self.index: BudgetIndex | None = None


def _selector(budget: PodDisruptionBudget) -> Selector | None:
    """The selector of a budget; None where it covers no pod: it is bad, absent or empty."""
    try:
        selector = parse_label_selector(budget.spec.selector)
    except SelectorError:
        return None
    return None if selector.nothing or not selector.requirements else selector
