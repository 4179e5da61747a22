"""Everything that a person asks about a preemption, read off a decision while the cluster is as it was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum

import numpy as np
from msgspec import Struct

from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.versions import Facts
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.preemption.budgets import budget_charges
from kschedctl.preemption.importance import Victims, by_importance, ranked
from kschedctl.preemption.victims import lower_pods
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.group_answer import GroupAnswer
from kschedctl.whatif.judgement.cascade import Cascade, cascade


class Hindrance(StrEnum):
    """Why a node is no candidate."""

    NOT_HELPFUL = "NotHelpful"
    """What keeps the pod away is nothing that evicting pods could change."""
    NO_VICTIMS = "NoVictims"
    """It runs no pod of lower priority."""
    STILL_UNFIT = "StillUnfit"
    """The pod does not fit even when all pods of lower priority are gone."""
    UNFIT_BY_EVICTION = "UnfitByEviction"
    """What then keeps it away does so only because they are gone: it needs one of them."""


class Obstacle(Struct, frozen=True):
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


class Charge(Struct, frozen=True):
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


class PreemptionStudy(Struct, frozen=True):
    """What preemption does for a pod, and why.

    Attributes:
        decision: the decision, with the candidates.
        charges: victim on the nominated node -> what its eviction costs the budgets that cover it; the victims of a
            group, on all nodes, the most important first.
        obstacles: the nodes that are no candidates, in order of rows; empty where no node was tried.
        cascade: what becomes of the victims, None where no room is made.
    """

    decision: Decision
    charges: Mapping[int, tuple[Charge, ...]]
    obstacles: tuple[Obstacle, ...]
    cascade: Cascade | None

    @property
    def of_group(self) -> bool:
        """Whether the victims go for a whole group."""
        return self.decision.group is not None and self.decision.group.evicts


def study(scheduler: Scheduler, decision: Decision) -> PreemptionStudy:
    """Look behind a decision; to be called while the cluster is as it was decided, and leaves it so."""
    found = decision.preemption
    if decision.group is not None and (found is None or decision.group.evicts):
        return PreemptionStudy(decision, _costs_of_group(decision, decision.group), (), None)
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
    cluster, framework = decision.cluster, decision.framework
    assert framework is not None
    facts = framework.version.facts
    victims = by_importance(cluster, lower_pods(cluster, decision.pod, np.array([row])), facts)
    return _costs(cluster, victims, facts)


def _costs_of_group(decision: Decision, group: GroupAnswer) -> dict[int, tuple[Charge, ...]]:
    """The charges for all who go for a group, wherever they are."""
    if decision.framework is None or not group.victims:
        return {}
    names, cluster, facts = set(group.victims), decision.cluster, decision.framework.version.facts
    pods = [
        pod.id for pod in cluster.pods.records if pod.full_name in names and cluster.pods.node[pod.id] >= 0
    ]
    victims = by_importance(cluster, ranked(np.array(pods), np.zeros(len(pods), np.int64)), facts)
    costs = _costs(cluster, victims, facts)
    return {pod: costs.get(pod, ()) for pod in victims.pods.tolist()}


def _costs(cluster: ClusterState, victims: Victims, facts: Facts) -> dict[int, tuple[Charge, ...]]:
    found: dict[int, list[Charge]] = defaultdict(list)
    charges = budget_charges(cluster, victims, facts)
    pods = victims.pods[charges.victim].tolist()
    columns = charges.number.tolist(), charges.used.tolist(), charges.broken.tolist()
    for pod, number, used, broken in zip(pods, *columns, strict=True):
        found[pod].append(Charge(charges.budgets[number], used, broken))
    return {pod: tuple(listed) for pod, listed in found.items()}


def obstacles(decision: Decision) -> tuple[Obstacle, ...]:
    """Why every node that is no candidate is none."""
    preemption, cluster = decision.preemption, decision.cluster
    assert preemption is not None
    emptied = _when_emptied(decision, [row for row, status in preemption.failed.items() if status.plugin])
    found = []
    for row in range(cluster.nodes.count):
        tried = preemption.failed.get(row)
        if tried is not None and (tried.plugin or tried.code is not Code.ERROR):
            known = emptied.get(row)
            if known is None:
                found.append(Obstacle(row, Hindrance.NO_VICTIMS, tried, (), 0))
                continue
            hurts = tried.plugin in known.passed_before
            hindrance = Hindrance.UNFIT_BY_EVICTION if hurts else Hindrance.STILL_UNFIT
            found.append(Obstacle(row, hindrance, tried, _of(tried, known.details), known.lower))
        elif row not in preemption.candidates:
            status = decision.status_of(row)
            if status is not None and status.code is Code.UNRESOLVABLE:
                details = _of(status, decision.details_of(row))
                found.append(Obstacle(row, Hindrance.NOT_HELPFUL, status, details, 0))
    return tuple(found)


def _of(status: Status, details: Sequence[Detail]) -> tuple[Detail, ...]:
    return tuple(detail for detail in details if detail.plugin == status.plugin)


class _Emptied(Struct, frozen=True):
    """A node without its pods of lower priority.

    Attributes:
        details: what rejects the pod there, of plugins that look at the node alone; the others tell the details of
            real nodes only.
        passed_before: plugins that reject the pod there, but not while these pods are there.
        lower: how many they are.
    """

    details: tuple[Detail, ...]
    passed_before: frozenset[str]
    lower: int


def _when_emptied(decision: Decision, rows: Sequence[int]) -> dict[int, _Emptied]:
    """Nodes on which the pod does not fit even without the pods of lower priority."""
    framework, phase, cluster = decision.framework, decision.phase, decision.cluster
    if not rows or framework is None or phase is None:
        return {}
    index = np.array(sorted(rows), np.int64)
    before = framework.run_filters(decision.pod, phase, Rows(cluster, index), every=True)
    rejected = {plugin.name: v.codes for plugin, v in before.verdicts if v.codes is not None}
    victims = lower_pods(cluster, decision.pod, index)
    world = framework.hypothetical(phase, cluster, index)
    for pods in victims.by_rank(len(index)):
        framework.change(phase, world, pods, -1)
    filters = framework.run_filters(decision.pod, phase, world)
    lower = np.bincount(victims.rows, minlength=len(index)).tolist()
    found = {}
    for at, row in enumerate(index.tolist()):
        here = [plugin for plugin, v in filters.verdicts if v.codes is not None and v.codes[at]]
        found[row] = _Emptied(
            tuple(
                detail
                for plugin in here
                if not plugin.spec.has_row_state and plugin.name in phase.states  # without a state it failed
                for detail in plugin.details(phase.states[plugin.name], world, at)
            ),
            frozenset(p.name for p in here if p.name not in rejected or not rejected[p.name][at]),
            lower[at],
        )
    return found
