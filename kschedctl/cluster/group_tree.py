"""Groups and the composite groups above them (spec 07 §4, §9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from kschedctl.cluster.group_members import GroupKey, group_of
from kschedctl.objects.groups import CompositePodGroup, PodGroup

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.cluster.state import ClusterState

AnyGroup = PodGroup | CompositePodGroup

MAX_DEPTH: Final = 4
"""So many levels of groups are looked at."""


def ancestry(cluster: ClusterState, key: GroupKey) -> list[AnyGroup]:
    """A group and the composite groups above it, as far as they are there, the group itself first."""
    found: list[AnyGroup] = []
    namespace, name = key
    group: AnyGroup | None = cluster.objects.find(PodGroup, name, namespace)
    while group is not None and len(found) < MAX_DEPTH and group not in found:
        found.append(group)
        parent = group.spec.parent_composite_pod_group_name
        group = None if parent is None else cluster.objects.find(CompositePodGroup, parent, namespace)
    return found


def missing_ancestor(cluster: ClusterState, key: GroupKey) -> tuple[type[AnyGroup], str] | None:
    """Kind and name of the first group above a pod that is not in the cluster; None where all are."""
    found = ancestry(cluster, key)
    if not found:
        return PodGroup, key[1]
    parent = found[-1].spec.parent_composite_pod_group_name
    return None if parent is None else (CompositePodGroup, parent)


def children(cluster: ClusterState, parent: CompositePodGroup) -> Iterator[AnyGroup]:
    """The groups that name a composite group as their parent: pod groups first, each kind by name."""
    leaves: Mapping[GroupKey, AnyGroup] = cluster.objects.all(PodGroup)
    composite: Mapping[GroupKey, AnyGroup] = cluster.objects.all(CompositePodGroup)
    for kind in (leaves, composite):
        for (namespace, _), group in sorted(kind.items()):
            own = group.spec.parent_composite_pod_group_name
            if namespace == parent.namespace and own == parent.name:
                yield group


def leaves_below(cluster: ClusterState, group: AnyGroup, levels: int = MAX_DEPTH) -> Iterator[PodGroup]:
    """The pod groups of a tree: the group itself, or those below a composite one, as far as levels are looked at."""
    if isinstance(group, PodGroup):
        yield group
    elif levels > 1:
        for child in children(cluster, group):
            yield from leaves_below(cluster, child, levels - 1)


def effective_priority(cluster: ClusterState, pod: PodRecord) -> int:
    """The priority that preemption goes by: that of the topmost group above the pod, its own where there is none."""
    key = group_of(pod)
    above = [] if key is None else ancestry(cluster, key)
    return (above[-1].spec.priority or 0) if above else pod.priority
