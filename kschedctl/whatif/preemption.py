"""Everything that a person asks about a preemption, read off a decision while the cluster is as it was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from kschedctl.framework.status import Code, Detail, Status
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.preemption.budgets import budget_charges
from kschedctl.preemption.importance import by_importance
from kschedctl.preemption.victims import NO_VICTIMS, lower_pods
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome

from .cascade import Cascade, cascade


class Hindrance(StrEnum):
    """Why a node is no candidate."""

    NOT_HELPFUL = "NotHelpful"
    """What keeps the pod away is nothing that evicting pods could change."""
    NO_VICTIMS = "NoVictims"
    """It runs no pod of lower priority."""
    STILL_UNFIT = "StillUnfit"
    """The pod does not fit even when all pods of lower priority are gone."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A node that is no candidate.

    Attributes:
        row: the node.
        hindrance: why.
        status: what kube-scheduler says of it: in the cycle, or in the dry run where it was tried.
        details: the objects and numbers behind the status.
        lower: how many of its pods have a lower priority.
    """

    row: int
    hindrance: Hindrance
    status: Status
    details: tuple[Detail, ...]
    lower: int


@dataclass(frozen=True, slots=True)
class Charge:
    """What the eviction of one pod costs one budget.

    Attributes:
        budget: the budget.
        number: which eviction on this node it is for the budget, from 1; 0 where it does not count, since the
            budget has the pod down as disrupted already.
        broken: whether the budget allows fewer.
    """

    budget: PodDisruptionBudget
    number: int
    broken: bool


@dataclass(frozen=True, slots=True)
class PreemptionStudy:
    """What preemption does for a pod, and why.

    Attributes:
        decision: the decision, with the candidates.
        charges: victim on the nominated node -> what its eviction costs the budgets that cover it.
        obstacles: the nodes that are no candidates, in order of rows; empty where no node was tried.
        cascade: what becomes of the victims, None where no room is made.
    """

    decision: Decision
    charges: Mapping[int, tuple[Charge, ...]]
    obstacles: tuple[Obstacle, ...]
    cascade: Cascade | None


def study(scheduler: Scheduler, decision: Decision) -> PreemptionStudy:
    """Look behind a decision; to be called while the cluster is as it was decided, and leaves it so."""
    found = decision.preemption
    if found is None or decision.outcome is not Outcome.UNSCHEDULABLE or not found.eligible:
        return PreemptionStudy(decision, {}, (), None)
    return PreemptionStudy(
        decision,
        {} if found.nominated is None else budget_costs(decision, found.nominated),
        obstacles(decision),
        None if found.nominated is None else cascade(scheduler, decision),
    )


def budget_costs(decision: Decision, row: int) -> dict[int, tuple[Charge, ...]]:
    """The charges for each pod that might be evicted on a node, reprieved ones included: they are charged too."""
    cluster = decision.cluster
    victims = by_importance(cluster, lower_pods(cluster, decision.pod, np.array([row])))
    found: dict[int, list[Charge]] = defaultdict(list)
    for charges in budget_charges(cluster, victims):
        broken = charges.broken
        for at in np.flatnonzero(charges.covered).tolist():
            number = int(charges.used[at]) if charges.charged[at] else 0
            found[int(victims.pods[at])].append(Charge(charges.budget, number, bool(broken[at])))
    return {pod: tuple(listed) for pod, listed in found.items()}


def obstacles(decision: Decision) -> tuple[Obstacle, ...]:
    """Why every node that is no candidate is none."""
    preemption, cluster = decision.preemption, decision.cluster
    assert preemption is not None
    emptied = _details_when_emptied(
        decision, [row for row, status in preemption.failed.items() if status.plugin]
    )
    found = []
    for row in range(cluster.nodes.count):
        tried = preemption.failed.get(row)
        if tried is not None:
            none = tried.reasons == (NO_VICTIMS,)
            details, lower = emptied.get(row, ((), 0))
            hindrance = Hindrance.NO_VICTIMS if none else Hindrance.STILL_UNFIT
            found.append(Obstacle(row, hindrance, tried, _of(tried, details), lower))
        elif row not in preemption.candidates:
            status = decision.status_of(row)
            if status is not None and status.code is Code.UNRESOLVABLE:
                details = _of(status, decision.details_of(row))
                found.append(Obstacle(row, Hindrance.NOT_HELPFUL, status, details, 0))
    return tuple(found)


def _of(status: Status, details: Sequence[Detail]) -> tuple[Detail, ...]:
    return tuple(detail for detail in details if detail.plugin == status.plugin)


def _details_when_emptied(
    decision: Decision, rows: Sequence[int]
) -> dict[int, tuple[tuple[Detail, ...], int]]:
    """Row -> what still rejects the pod there without the pods of lower priority, and how many these are.

    Plugins that count pods of other nodes tell the details of the real rows only: theirs are left out.
    """
    framework, phase, cluster = decision.framework, decision.phase, decision.cluster
    if not rows or framework is None or phase is None:
        return {}
    index = np.array(sorted(rows), np.int64)
    victims = lower_pods(cluster, decision.pod, index)
    world = framework.hypothetical(phase, cluster, index)
    for pods in victims.by_rank(len(index)):
        framework.change(phase, world, pods, -1)
    filters = framework.run_filters(decision.pod, phase, world)
    lower = np.bincount(victims.rows, minlength=len(index)).tolist()
    return {
        row: (
            tuple(
                detail
                for plugin, verdicts in filters.verdicts
                if verdicts.codes is not None and verdicts.codes[at] and not plugin.has_row_state
                for detail in plugin.details(phase.states.get(plugin.name), world, at)
            ),
            lower[at],
        )
        for at, row in enumerate(index.tolist())
    }
