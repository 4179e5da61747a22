"""What the steps of a group's cycle share: cluster, scheduler, and the rules of the version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import numpy as np
from msgspec import Struct, field

from kschedctl.cluster.group_members import GroupKey, GroupMembers
from kschedctl.cluster.journal import Mark
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.placement import GroupScope
from kschedctl.framework.runtime import Framework
from kschedctl.framework.versions import Facts, GroupCycle
from kschedctl.gangs.decision import GroupCondition
from kschedctl.gangs.group import Group
from kschedctl.objects.groups import PodGroup
from kschedctl.plugins.gang_scheduling import GangScheduling
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision

Inspect = Callable[[Decision], Any]


class GroupContext(Struct, frozen=True, eq=False, dict=True):
    """One cycle of a group.

    Attributes:
        scheduler: the configuration and its options.
        framework: the profile of the group's pods.
        cluster: the cluster; steps take their changes back.
        conditions: what earlier cycles wrote to the status of groups.
        inspect: makes something of the decision for a member that fits nowhere, while the cluster is as it was
            decided in.
    """

    scheduler: Scheduler
    framework: Framework
    cluster: ClusterState
    conditions: Mapping[GroupKey, GroupCondition] = field(default_factory=dict)
    inspect: Inspect | None = None

    def condition(self, group: PodGroup) -> GroupCondition | None:
        """What the status of a group says by now of how it was scheduled."""
        written = self.conditions.get((group.namespace, group.name))
        if written is not None:
            return written
        stated = next((c for c in group.status.conditions if c.type == self.facts.group_condition), None)
        return None if stated is None else GroupCondition(stated.status, stated.reason, stated.message)

    @property
    def facts(self) -> Facts:
        """The rules of the version."""
        return self.scheduler.configuration.version.facts

    def enabled(self, gate: str) -> bool:
        """Whether a feature gate is on."""
        return self.scheduler.configuration.gates.enabled(gate)

    @property
    def may_preempt(self) -> bool:
        """Whether groups may evict pods at all."""
        return self.scheduler.options.preemption

    @property
    def gangs(self) -> bool:
        """Whether the profile asks for minCount members at all."""
        return self.framework.has(GangScheduling.spec.name)

    @property
    def tests_feasibility(self) -> bool:
        """Whether a group stops as soon as minCount is out of reach, and preempts as a whole (1.37)."""
        return self.facts.group_cycle is GroupCycle.OF_GROUPS

    @property
    def by_placement(self) -> bool:
        """Whether groups are tried placement by placement."""
        return self.enabled("TopologyAwareWorkloadScheduling")

    def scheduled(self, group: GroupKey) -> int:
        """How many members are on a node, in this trial or before."""
        return len(GroupMembers.of(self.cluster).scheduled(group))

    def scope_of(self, group: Group) -> GroupScope:
        """What plugins may know of a group."""
        records, members = self.cluster.pods.records, GroupMembers.of(self.cluster)
        scheduled = [records[pod] for leaf in group.leaves() for pod in members.scheduled(leaf.key)]
        claims = group.spec_of.spec.resource_claims if isinstance(group.spec_of, PodGroup) else ()
        return GroupScope(group.key, group.topology_key, scheduled, group.is_composite, claims)

    def node_name(self, row: int) -> str:
        """Name of a node."""
        return self.cluster.nodes.names[row]

    def take_back(self, mark: Mark) -> None:
        """Take back what happened since a mark, except where the next search over the nodes begins."""
        start = self.cluster.next_start
        self.cluster.undo_to(mark)
        self.cluster.advance_start(start - self.cluster.next_start)

    def overlook(self, pod: PodRecord) -> None:
        """Have plugins overlook the affinity terms of a member just placed, where no list names its node (1.36)."""
        terms, unlisted = pod.pod_class.terms, self.cluster.unlisted
        row = int(self.cluster.pods.node[pod.id])
        for has, listed, overlooked in (
            (terms.has_affinity, self.listed[0], unlisted.terms),
            (bool(terms.required_anti), self.listed[1], unlisted.anti),
        ):
            if has and row not in listed:
                overlooked.add(pod.id)
                self.cluster.journal.record(partial(overlooked.discard, pod.id))

    def note_lists(self) -> None:
        """Remember which nodes are in the lists of plugins, before anything is placed."""
        _ = self.listed

    @cached_property
    def listed(self) -> tuple[frozenset[int], frozenset[int]]:
        """Rows that have a pod with affinity terms, and with required anti-affinity, when the cycle begins."""
        table = self.cluster.pods
        found: tuple[set[int], set[int]] = (set(), set())
        wanted = {
            pod_class.index: bool(pod_class.terms.required_anti) for pod_class in table.classes.with_affinity
        }
        for pod in np.flatnonzero((table.node >= 0) & np.isin(table.pod_class, list(wanted))).tolist():
            row = int(table.node[pod])
            found[0].add(row)
            if wanted[int(table.pod_class[pod])]:
                found[1].add(row)
        return frozenset(found[0]), frozenset(found[1])

    @contextmanager
    def in_flight(self, pods: Iterable[PodRecord]) -> Iterator[None]:
        """Have pods in flight for the time of a cycle."""
        self.cluster.in_flight = frozenset(pod.id for pod in pods)
        try:
            yield
        finally:
            self.cluster.in_flight = frozenset()

    @contextmanager
    def trial(self, *, searches: bool = True) -> Iterator[None]:
        """Take back what happens inside.

        Args:
            searches: the next search over the nodes begins where the last one inside ended.
        """
        mark = self.cluster.mark()
        try:
            yield
        finally:
            if searches:
                self.take_back(mark)
            else:
                self.cluster.undo_to(mark)
