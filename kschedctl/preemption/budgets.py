"""Disruption budgets: which victims break one (spec 01 §9.3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodTable
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.objects.selectors import SelectorError, parse_label_selector

from .importance import Victims

Mask = npt.NDArray[np.bool_]


def breaking_budgets(cluster: ClusterState, victims: Victims) -> Mask:
    """Which of the victims, in order of importance per row, find a budget used up: bool (V,).

    Every matching budget is charged for every victim of the row, whether the victim is reprieved later or not.
    """
    table = cluster.pods
    breaking = np.zeros(len(victims.pods), bool)
    for budget in cluster.objects.all(PodDisruptionBudget).values():
        charged = budget_matches(table, budget)[table.klass[victims.pods]]
        if not charged.any():
            continue
        charged &= ~_already_disrupted(table, budget, victims, charged)
        used = _running_count(charged, victims)
        breaking |= charged & (used > budget.status.disruptions_allowed)
    return breaking


def budget_matches(table: PodTable, budget: PodDisruptionBudget) -> Mask:
    """Which classes of pods a budget covers, bool (C,): a bad, absent or empty selector covers none."""
    try:
        selector = parse_label_selector(budget.spec.selector)
    except SelectorError:
        return np.zeros(len(table.classes), bool)
    if selector.nothing or not selector.requirements:
        return np.zeros(len(table.classes), bool)
    groups = table.groups
    mine = groups.in_namespaces(lambda namespace: namespace == budget.namespace)
    return table.classes_matching(groups.matching(selector) & groups.labelled() & mine)


def _already_disrupted(table: PodTable, budget: PodDisruptionBudget, victims: Victims, charged: Mask) -> Mask:
    names = budget.status.disrupted_pods
    disrupted = np.zeros(len(charged), bool)
    if names:
        for i in np.flatnonzero(charged):
            disrupted[i] = table.records[victims.pods[i]].name in names
    return disrupted


def _running_count(charged: Mask, victims: Victims) -> npt.NDArray[np.int64]:
    """How many charged victims a row has up to and including each one, int64 (V,)."""
    total = np.cumsum(charged)
    first = np.arange(len(charged)) - victims.ranks
    before = total[first] - charged[first]
    return np.asarray(total - before)
