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
from kschedctl.objects.selectors import SelectorError, parse_label_selector
from kschedctl.preemption.importance import Victims

Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Charges(Struct, frozen=True):
    """What one budget is charged for.

    Attributes:
        budget: the budget.
        covered: bool (V,), victims that it selects, whether they count or not.
        charged: bool (V,), victims that count: of the covered ones those not yet noted as disrupted.
        used: int64 (V,), how many victims of the same row are charged up to and including each one.
    """

    budget: PodDisruptionBudget
    covered: Mask
    charged: Mask
    used: Ints

    @property
    def broken(self) -> Mask:
        """Victims that find the budget used up, bool (V,)."""
        return np.asarray(self.charged & (self.used > self.budget.status.disruptions_allowed))


def breaking_budgets(cluster: ClusterState, victims: Victims, facts: Facts) -> Mask:
    """Which of the victims, in order of importance per row, find a budget used up: bool (V,)."""
    breaking = np.zeros(len(victims.pods), bool)
    for charges in budget_charges(cluster, victims, facts):
        breaking |= charges.broken
    return breaking


def budget_charges(cluster: ClusterState, victims: Victims, facts: Facts) -> Iterator[Charges]:
    """The charges of every budget that covers any of the victims, which are in order of importance per row.

    Matching budgets are charged for every victim of the row, whether the victim is reprieved later or not: all of
    them, or those up to the first one that is exceeded (spec 06 §3.3).
    """
    table = cluster.pods
    broken = np.zeros(len(victims.pods), bool)
    for budget in cluster.objects.all(PodDisruptionBudget).values():
        covered = budget_matches(table, budget)[table.pod_class[victims.pods]]
        if not covered.any():
            continue
        charged = covered & ~_already_disrupted(table, budget, victims, covered)
        if not facts.every_budget_is_charged:
            charged &= ~broken
        charges = Charges(budget, covered, charged, _running_count(charged, victims))
        broken |= charges.broken
        yield charges


def budget_matches(table: PodTable, budget: PodDisruptionBudget) -> Mask:
    """Which classes of pods a budget covers, bool (C,): a bad, absent or empty selector covers none."""
    try:
        selector = parse_label_selector(budget.spec.selector)
    except SelectorError:
        return np.zeros(len(table.classes), bool)
    if selector.nothing or not selector.requirements:
        return np.zeros(len(table.classes), bool)
    groups = table.classes.groups
    mine = groups.in_namespaces(lambda namespace: namespace == budget.namespace)
    return table.classes.matching(groups.matching(selector) & groups.labelled() & mine)


def _already_disrupted(table: PodTable, budget: PodDisruptionBudget, victims: Victims, covered: Mask) -> Mask:
    names = budget.status.disrupted_pods
    disrupted = np.zeros(len(covered), bool)
    if names:
        for i in np.flatnonzero(covered):
            disrupted[i] = table.records[victims.pods[i]].name in names
    return disrupted


def _running_count(charged: Mask, victims: Victims) -> Ints:
    """How many charged victims a row has up to and including each one, int64 (V,)."""
    total = np.cumsum(charged)
    first = np.arange(len(charged)) - victims.ranks
    before = total[first] - charged[first]
    return np.asarray(total - before)
