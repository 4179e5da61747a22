"""What preemption takes as one: a pod, or all pods of a group that is disrupted together (spec 07 §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from kschedctl.cluster.group_members import GroupKey, GroupMembers, group_of
from kschedctl.cluster.group_tree import AnyGroup, ancestry, children
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.start_times import NO_START, start_times
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.objects.go_sort import go_sort
from kschedctl.objects.groups import CompositePodGroup, PodGroup
from kschedctl.preemption.budget_index import BudgetIndex


class VictimUnit(Struct, frozen=True, eq=False):
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


def victim_units(cluster: ClusterState, rows: Iterable[int], *, by_root: bool) -> list[VictimUnit]:
    """The units that have a pod on some of the nodes, in node order; all pods of a unit are in it.

    Args:
        cluster: the cluster.
        rows: the nodes.
        by_root: whether the groups above a pod say with which other pods it goes, and its priority (1.37); else
            its own group does for those that go together, and a pod alone has its own priority (1.36).
    """
    taken: set[int] = set()
    found: list[VictimUnit] = []
    for row in rows:
        for pod in cluster.usage.pods[row]:
            if pod not in taken:
                unit = _unit_of(cluster, cluster.pods.records[pod], len(found), by_root=by_root)
                taken.update(unit.pods)
                found.append(unit)
    return found


def _unit_of(cluster: ClusterState, pod: PodRecord, found: int, *, by_root: bool) -> VictimUnit:
    key = group_of(pod)
    above = [] if key is None else ancestry(cluster, key)[: None if by_root else 1]
    together = [group for group in above if group.spec.disrupted_together]
    pods, rank = [pod.id], 1 if key is None else 2
    if together:
        pods = _on_nodes(cluster, together[-1])
        rank = 3 if isinstance(together[-1], CompositePodGroup) else 2
    whole = above[-1] if above and (by_root or together) else None
    return VictimUnit(
        pods=tuple(pods),
        priority=pod.priority if whole is None else whole.spec.priority or 0,
        rank=rank,
        start=int(start_times(cluster, pods).min()),
        found=found,
    )


def _on_nodes(cluster: ClusterState, group: AnyGroup) -> list[int]:
    """The pods of a group, and of all groups below it, that are on a node, in node order."""
    node, place = cluster.pods.node, cluster.pods.place
    members = GroupMembers.of(cluster)
    pods = [pod for leaf in _leaves(cluster, group) for pod in members.scheduled(leaf) if node[pod] >= 0]
    return sorted(pods, key=lambda pod: (int(node[pod]), int(place[pod])))


def _leaves(cluster: ClusterState, group: AnyGroup) -> Iterator[GroupKey]:
    if isinstance(group, PodGroup):
        yield group.namespace, group.name
        return
    for child in children(cluster, group):
        yield from _leaves(cluster, child)


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
) -> tuple[list[VictimUnit], list[VictimUnit], frozenset[int]]:
    """Units with a pod that finds a disruption budget used up, the others, both in the order given, and these pods.

    A pod is charged to its budgets only up to the first one that it exceeds.

    Args:
        cluster: the cluster.
        units: in order of importance.
        stops_at_first: the rest of a unit is not charged once one of its pods exceeds a budget.
    """
    table, index = cluster.pods, BudgetIndex.of(cluster)
    keys = list(cluster.objects.all(PodDisruptionBudget))
    left = [budget.status.disruptions_allowed for budget in index.budgets]

    def exceeds(pod: int) -> bool:
        record = table.records[pod]
        for at in sorted(index.covering(record.pod_class.group), key=keys.__getitem__):
            if record.name not in index.budgets[at].status.disrupted_pods:
                left[at] -= 1
                if left[at] < 0:
                    return True
        return False

    breaking: set[int] = set()
    violating: list[VictimUnit] = []
    others: list[VictimUnit] = []
    for unit in units:
        found = filter(exceeds, unit.pods)
        over = list(islice(found, 1) if stops_at_first else found)
        breaking.update(over)
        (violating if over else others).append(unit)
    return violating, others, frozenset(breaking)


def reprieve(
    violating: Sequence[VictimUnit], others: Sequence[VictimUnit], stays: Callable[[VictimUnit], bool]
) -> list[VictimUnit]:
    """The units that have to go, in the order in which they were tried.

    Args:
        violating: those whose eviction breaks a budget; they are tried first.
        others: the rest.
        stays: puts a unit back, and says whether it can stay; else it is taken out again.
    """
    return [unit for unit in (*violating, *others) if not stays(unit)]
