"""A group as its cycle sees it: the object, its queued members, and its children (spec 07 §2, §9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from kschedctl.cluster.group_members import GroupKey, group_of
from kschedctl.cluster.group_tree import AnyGroup, children
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.groups import CompositePodGroup, PodGroup


class Group(Struct, frozen=True, eq=False):
    """A leaf, which has members, or a composite group, which has children.

    Attributes:
        key: namespace and name.
        spec_of: the object; None where it is not in the cluster.
        members: queued members in the order in which they are evaluated; none for a composite group.
        children: its child groups in the order in which they are evaluated; None for a leaf.
    """

    key: GroupKey
    spec_of: PodGroup | CompositePodGroup | None
    members: tuple[PodRecord, ...] = ()
    children: tuple[Group, ...] | None = None

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return "/".join(self.key)

    @property
    def is_composite(self) -> bool:
        """Whether it has child groups instead of members."""
        return self.children is not None

    @property
    def priority(self) -> int:
        """`spec.priority` of the object."""
        return 0 if self.spec_of is None else self.spec_of.spec.priority or 0

    @property
    def topology_key(self) -> str | None:
        """The label of which all its nodes must have one value."""
        return None if self.spec_of is None else self.spec_of.spec.topology_key

    @property
    def minimum(self) -> int | None:
        """How many members or children must be placed at once; None: not a gang."""
        match self.spec_of:
            case PodGroup():
                return self.spec_of.spec.min_count
            case CompositePodGroup():
                return self.spec_of.spec.min_group_count
            case None:
                return None

    def walk(self) -> Iterator[Group]:
        """This group and all below it, parents first."""
        yield self
        for child in self.children or ():
            yield from child.walk()

    def listed(self) -> list[Group]:
        """This group, then the other composite ones, then the leaves, each by name."""
        rest = [group for group in self.walk() if group is not self]
        return [self, *sorted(rest, key=lambda group: (not group.is_composite, group.key))]

    def leaves(self) -> Iterator[Group]:
        """The groups with members, this one included."""
        return (group for group in self.walk() if not group.is_composite)

    def pods(self) -> Iterator[PodRecord]:
        """All queued members, leaf by leaf."""
        for leaf in self.leaves():
            yield from leaf.members


def group_of_members(found: AnyGroup, pods: Sequence[PodRecord], cluster: ClusterState) -> Group:
    """A group with all below it, each leaf with those of the pods that are its members, in their order."""
    key = (found.namespace, found.name)
    if isinstance(found, CompositePodGroup):
        below = tuple(group_of_members(child, pods, cluster) for child in children(cluster, found))
        return Group(key, found, children=below)
    return Group(key, found, tuple(pod for pod in pods if group_of(pod) == key))
