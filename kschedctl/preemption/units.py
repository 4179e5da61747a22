"""What preemption takes as one: a pod, or all pods of a group that is disrupted together (spec 07 §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kschedctl.cluster.group_members import group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.start_times import NO_START, start_times
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.objects.go_sort import go_sort
from kschedctl.objects.groups import PodGroup

from .budgets import budget_matches


@dataclass(frozen=True, slots=True, eq=False)
class VictimUnit:
    """Pods that go together.

    Attributes:
        pods: ids, in node order, then in the order of the node's list.
        priority: the preemptor's must be higher.
        rank: 1 for a pod, 2 for pods of a group, 3 for those of a composite group: the higher, the more important.
        start: nanoseconds since 1970 at which the first of its pods started; NO_START where none says so.
        found: how many units were found before it; stands for the time at which a start was made up.
    """

    pods: tuple[int, ...]
    priority: int
    rank: int
    start: int
    found: int


def victim_units(cluster: ClusterState) -> list[VictimUnit]:
    """All units on the nodes of a cluster, in node order, as 1.36 forms them."""
    together: dict[object, list[int]] = {}
    groups: dict[object, PodGroup] = {}
    for listed in cluster.usage.pods:
        for pod in listed:
            group = _disrupted_with(cluster, cluster.pods.records[pod])
            key: object = pod if group is None else (group.namespace, group.name)
            together.setdefault(key, []).append(pod)
            if group is not None:
                groups[key] = group
    return [
        _unit(cluster, pods, groups.get(key), found) for found, (key, pods) in enumerate(together.items())
    ]


def _disrupted_with(cluster: ClusterState, pod: PodRecord) -> PodGroup | None:
    key = group_of(pod)
    group = None if key is None else cluster.objects.find(PodGroup, key[1], key[0])
    return group if group is not None and group.spec.disrupted_together else None


def _unit(cluster: ClusterState, pods: Sequence[int], group: PodGroup | None, found: int) -> VictimUnit:
    first = cluster.pods.records[pods[0]]
    return VictimUnit(
        pods=tuple(pods),
        priority=first.priority if group is None else group.spec.priority or 0,
        rank=1 if group_of(first) is None else 2,
        start=int(start_times(cluster, list(pods)).min()),
        found=found,
    )


def by_importance(units: Sequence[VictimUnit]) -> list[VictimUnit]:
    """The most important first: priority, rank, then for groups the number of pods, and the earlier start."""

    def key(unit: VictimUnit) -> tuple[int, ...]:
        size = len(unit.pods) if unit.rank > 1 else 0
        return (-unit.priority, -unit.rank, -size, unit.start, unit.found if unit.start == NO_START else 0)

    found = list(units)
    go_sort(found, lambda one, other: key(one) < key(other))
    return found


def split_by_budgets(
    cluster: ClusterState, units: Sequence[VictimUnit], *, stops_at_first: bool
) -> tuple[list[VictimUnit], list[VictimUnit]]:
    """Units that find a disruption budget used up, and the others, both in the order given.

    A pod is charged to its budgets only up to the first one that it exceeds.

    Args:
        cluster: the cluster.
        units: in order of importance.
        stops_at_first: the rest of a unit is not charged once one of its pods exceeds a budget.
    """
    table = cluster.pods
    budgets = [budget for _, budget in sorted(cluster.objects.all(PodDisruptionBudget).items())]
    covers = [budget_matches(table, budget) for budget in budgets]
    left = [budget.status.disruptions_allowed for budget in budgets]

    def exceeds(pod: int) -> bool:
        for at, budget in enumerate(budgets):
            if covers[at][table.klass[pod]] and table.records[pod].name not in budget.status.disrupted_pods:
                left[at] -= 1
                if left[at] < 0:
                    return True
        return False

    violating: list[VictimUnit] = []
    others: list[VictimUnit] = []
    for unit in units:
        (violating if _any(map(exceeds, unit.pods), at_once=stops_at_first) else others).append(unit)
    return violating, others


def _any(found: Iterable[bool], *, at_once: bool) -> bool:
    return any(found) if at_once else any(list(found))


def reprieve(
    violating: Sequence[VictimUnit], others: Sequence[VictimUnit], stays: Callable[[VictimUnit], bool]
) -> list[VictimUnit]:
    """The units that have to go, the most important first.

    Args:
        violating: those whose eviction breaks a budget; they are tried first.
        others: the rest.
        stays: puts a unit back, and says whether it can stay; else it is taken out again.
    """
    return by_importance([unit for unit in (*violating, *others) if not stays(unit)])
