"""Disruption budgets: which victims break one (spec 01 §9.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodTable
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.versions import Facts
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.preemption.budget_index import BudgetIndex
from kschedctl.preemption.importance import Victims

Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Charges(Struct, frozen=True):
    """What one budget is charged for.

    Attributes:
        budget: the budget.
        covered: int64 (k,), positions of the victims that it selects, ascending, whether they count or not.
        charged: bool (k,), which of them count: those not yet noted as disrupted.
        used: int64 (k,), how many victims of the same row are charged up to and including each one.
    """

    budget: PodDisruptionBudget
    covered: Ints
    charged: Mask
    used: Ints

    @property
    def broken(self) -> Mask:
        """Which of the covered victims find the budget used up, bool (k,)."""
        return np.asarray(self.charged & (self.used > self.budget.status.disruptions_allowed))


def breaking_budgets(cluster: ClusterState, victims: Victims, facts: Facts) -> Mask:
    """Which of the victims, in order of importance per row, find a budget used up: bool (V,)."""
    breaking = np.zeros(len(victims.pods), bool)
    for charges in budget_charges(cluster, victims, facts):
        breaking[charges.covered[charges.broken]] = True
    return breaking


def budget_charges(cluster: ClusterState, victims: Victims, facts: Facts) -> Iterator[Charges]:
    """The charges of every budget that covers any of the victims, which are in order of importance per row.

    Matching budgets are charged for every victim of the row, whether the victim is reprieved later or not: all of
    them, or those up to the first one that is exceeded (spec 06 §3.3).
    """
    table, index = cluster.pods, BudgetIndex.of(cluster)
    broken = np.zeros(len(victims.pods), bool)
    for number, covered in _covered(cluster, victims, index):
        budget = index.budgets[number]
        charged = ~_already_disrupted(table, budget, victims.pods[covered])
        if not facts.every_budget_is_charged:
            charged &= ~broken[covered]
        charges = Charges(budget, covered, charged, _running_count(charged, victims.rows[covered]))
        broken[covered[charges.broken]] = True
        yield charges


def _covered(cluster: ClusterState, victims: Victims, index: BudgetIndex) -> Iterator[tuple[int, Ints]]:
    """Budgets that cover any of the victims, in their order, each with the positions of these, ascending."""
    table = cluster.pods
    groups, group_of = np.unique(table.classes.group[table.pod_class[victims.pods]], return_inverse=True)
    by_group = np.argsort(group_of, kind="stable")
    bounds = np.searchsorted(group_of[by_group], np.arange(len(groups) + 1)).tolist()
    positions: dict[int, list[Ints]] = {}
    for at, group in enumerate(groups.tolist()):
        for number in index.covering(group):
            positions.setdefault(number, []).append(by_group[bounds[at] : bounds[at + 1]])
    for number in sorted(positions):
        parts = positions[number]
        yield number, parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))


def _already_disrupted(table: PodTable, budget: PodDisruptionBudget, pods: Ints) -> Mask:
    """Which of the pods, ids int64 (k,), the budget notes as disrupted, bool (k,)."""
    names = budget.status.disrupted_pods
    if not names:
        return np.zeros(len(pods), bool)
    return np.fromiter((table.records[pod].name in names for pod in pods.tolist()), bool, len(pods))


def _running_count(charged: Mask, rows: Ints) -> Ints:
    """How many charged victims a row has up to and including each one, int64 (k,); rows int64 (k,), ascending."""
    total = np.cumsum(charged)
    first = np.searchsorted(rows, rows, side="left")
    return np.asarray(total - total[first] + charged[first])
