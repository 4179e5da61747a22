"""Disruption budgets: which victims break one (spec 01 §9.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

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
    """What budgets are charged for: an entry for each budget and each victim that it covers.

    Attributes:
        budgets: every budget.
        number: int64 (k,), which of them, ascending.
        victim: int64 (k,), position of the victim; those of one budget are ascending.
        used: int64 (k,), how many victims of the same row the budget is charged for up to and including this one; 0
            where the victim does not count.
        broken: bool (k,), whether the budget allows fewer.
    """

    budgets: Sequence[PodDisruptionBudget]
    number: Ints
    victim: Ints
    used: Ints
    broken: Mask


def breaking_budgets(cluster: ClusterState, victims: Victims, facts: Facts) -> Mask:
    """Which of the victims, in order of importance per row, find a budget used up: bool (V,)."""
    breaking = np.zeros(len(victims.pods), bool)
    charges = budget_charges(cluster, victims, facts)
    breaking[charges.victim[charges.broken]] = True
    return breaking


def budget_charges(cluster: ClusterState, victims: Victims, facts: Facts) -> Charges:
    """The charges of all budgets that cover any of the victims, which are in order of importance per row.

    Matching budgets are charged for every victim of the row, whether the victim is reprieved later or not: all of
    them, or those up to the first one that is exceeded (spec 06 §3.3).
    """
    index = BudgetIndex.of(cluster)
    covering, number, victim = _covered(cluster, victims, index)
    row, allowed = victims.rows[victim], index.allowed[number]
    counts = ~_already_disrupted(cluster.pods, index, number, victims.pods[victim])
    turns = np.zeros(len(index.budgets), np.int64)
    if not facts.every_budget_is_charged:
        turns = _turns(covering, len(index.budgets))
    exceeded = np.zeros(len(victims.pods), bool)
    used, broken = np.zeros(len(number), np.int64), np.zeros(len(number), bool)
    for turn in range(int(turns.max(initial=0)) + 1):
        now = np.flatnonzero(turns[number] == turn)
        charged = counts[now] & ~exceeded[victim[now]]
        used[now] = np.where(charged, _running_count(charged, number[now], row[now]), 0)
        broken[now] = charged & (used[now] > allowed[now])
        exceeded[victim[now[broken[now]]]] = True
    return Charges(index.budgets, number, victim, used, broken)


def _covered(
    cluster: ClusterState, victims: Victims, index: BudgetIndex
) -> tuple[list[list[int]], Ints, Ints]:
    """Which budgets cover each kind of victim, and budget and victim of each pair, by budget and then by victim."""
    table = cluster.pods
    groups, kind = np.unique(table.classes.group[table.pod_class[victims.pods]], return_inverse=True)
    covering = [index.covering(group) for group in groups.tolist()]
    each = np.fromiter(map(len, covering), np.int64, len(covering))
    flat = np.fromiter(chain.from_iterable(covering), np.int64, int(each.sum()))
    many = each[kind]
    victim = np.repeat(np.arange(len(kind)), many)
    within = np.arange(len(victim)) - np.repeat(np.cumsum(many) - many, many)
    number = flat[(np.cumsum(each) - each)[kind[victim]] + within]
    order = np.argsort(number, kind="stable")
    return covering, number[order], victim[order]


def _turns(covering: Iterable[Sequence[int]], count: int) -> Ints:
    """When each budget is charged, int64 (budgets,): after those before it that cover the same pods."""
    turns = [0] * count
    for first, then in sorted({pair for numbers in covering for pair in pairwise(numbers)}):
        turns[then] = max(turns[then], turns[first] + 1)
    return np.array(turns, np.int64)


def _already_disrupted(table: PodTable, index: BudgetIndex, number: Ints, pods: Ints) -> Mask:
    """Which of the pods, ids int64 (k,), their budget notes as disrupted, bool (k,)."""
    noted = index.notes_disrupted[number]
    for at in np.flatnonzero(noted).tolist():
        names = index.budgets[number[at]].status.disrupted_pods
        noted[at] = table.records[pods[at]].name in names
    return noted


def _running_count(charged: Mask, number: Ints, row: Ints) -> Ints:
    """How many victims of its row a budget is charged for up to and including each one, int64 (k,).

    `number` and `row`, int64 (k,), are the budget and the row of each; those of equal ones are together.
    """
    total = np.cumsum(charged)
    begins = np.flatnonzero((np.diff(number, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0))
    before: Ints = (total - charged)[begins]
    return np.asarray(total - np.repeat(before, np.diff(begins, append=len(charged))))
