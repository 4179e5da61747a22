"""GangScheduling: members wait until enough of them are there (spec 07 §4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.cluster.group_members import GangKey, GroupKey, GroupMembers, gang_of, group_of
from kschedctl.cluster.group_tree import AnyGroup, ancestry, children, missing_ancestor
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import PERMITTED, PermitResult, Plugin
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Code, Status
from kschedctl.framework.versions import GroupCycle
from kschedctl.objects.groups import PodGroup, PodGroupPolicy, Workload

TOO_FEW = "waiting for minCount pods from a gang to appear in scheduling queue"
TOO_FEW_PLACED = "waiting for minCount pods from a gang to be waiting on permit"
PATIENCE: Final = 300.0
"""For how many seconds the first one of a gang waits, and all others that come meanwhile."""


class GangScheduling(Plugin[None, None]):
    """Its Permit, which places all of minCount members or none, is part of the cycle of the group; not so in 1.35."""

    spec = PluginSpec(
        name="GangScheduling",
        points=frozenset({ExtensionPoint.PRE_ENQUEUE, ExtensionPoint.RESERVE, ExtensionPoint.PERMIT}),
    )

    def interests(self) -> tuple[Interest, ...]:
        """Members and workloads that come. The queue itself knows what becomes of groups that have a cycle."""
        if self.context.facts.group_cycle is not GroupCycle.NONE:
            return ()
        return (
            Interest(Resource.ASSIGNED_POD, Action.ADD, _completes_gang),
            Interest(Resource.UNSCHEDULED_POD, Action.ADD, _completes_gang),
            Interest(Resource.WORKLOAD, Action.ADD, _brings_workload),
        )

    def pre_enqueue(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """The group must be there, and minCount members of it; with composite groups, enough of the whole tree."""
        if self.context.facts.group_cycle is GroupCycle.NONE:
            return _workload_problem(pod, cluster)
        key = group_of(pod)
        if key is None:
            return None
        if self.context.gates.enabled("CompositePodGroup"):
            return _tree_problem(cluster, key)
        namespace, name = key
        group = cluster.objects.find(PodGroup, name, namespace)
        if group is None:
            return f'waiting for pods\'s pod group "{name}" to appear in scheduling queue'
        needed = group.spec.min_count
        return TOO_FEW if needed is not None and _known(cluster, group) < needed else None

    def permit(
        self,
        pod: PodRecord,
        state: None,
        cluster: ClusterState,
        row: int,
        waiting: Sequence[PodRecord],
    ) -> PermitResult:
        """A member of a gang of a workload waits for minCount of them to have a node, as in 1.35 (spec 07 §13)."""
        key = gang_of(pod)
        if key is None or self.context.facts.group_cycle is not GroupCycle.NONE:
            return PERMITTED
        policy = _policy(cluster, key)
        if isinstance(policy, str):
            return PermitResult(status=Status(Code.ERROR, (policy,)))
        if policy.gang is None:
            return PERMITTED
        mates = tuple(other.id for other in waiting if gang_of(other) == key)
        members = GroupMembers.of(cluster)
        placed = {pod.id, *members.scheduled(key)}
        if len(placed) >= policy.gang.min_count:
            return PermitResult(lets_go=mates)
        missing = tuple(other for other in members.known(key) if other not in placed)
        return PermitResult(wait=PATIENCE, reason=TOO_FEW_PLACED, gives_up_with=mates, activates=missing)


def _completes_gang(pod: PodRecord, event: ClusterEvent, _: ClusterState) -> bool:
    return gang_of(pod) is not None and gang_of(pod) == gang_of(event.new)


def _brings_workload(pod: PodRecord, event: ClusterEvent, _: ClusterState) -> bool:
    key = gang_of(pod)
    return key is not None and key[:2] == (event.new.namespace, event.new.name)


def _policy(cluster: ClusterState, key: GangKey) -> PodGroupPolicy | str:
    """What a gang of a workload asks for, or why that cannot be told."""
    namespace, name, group, _ = key
    workload = cluster.objects.find(Workload, name, namespace)
    if workload is None:
        return f'failed to get workload {namespace}/{name}: workload.scheduling.k8s.io "{name}" not found'
    policy = next((found.policy for found in workload.spec.pod_groups if found.name == group), None)
    return f'pod group "{group}" doesn\'t exist for a workload "{name}"' if policy is None else policy


def _workload_problem(pod: PodRecord, cluster: ClusterState) -> str | None:
    """What keeps a pod back whose gang is part of a workload, as in 1.35 (spec 07 §13)."""
    key = gang_of(pod)
    if key is None:
        return None
    namespace, name, _, _ = key
    if cluster.objects.find(Workload, name, namespace) is None:
        return f'waiting for pods\'s workload "{name}" to appear in scheduling queue'
    policy = _policy(cluster, key)
    if isinstance(policy, str):
        return policy
    if policy.gang is None or len(GroupMembers.of(cluster).known(key)) >= policy.gang.min_count:
        return None
    return TOO_FEW


def _tree_problem(cluster: ClusterState, key: GroupKey) -> str | None:
    missing = missing_ancestor(cluster, key)
    if missing is not None:
        kind, name = missing
        what = "pod group" if kind is PodGroup else "composite pod group"
        where = f"{kind.__name__.lower()}/{key[0]}/{name}"
        return f"failed to build hierarchy snapshot: {what} object not found in state for {where}"
    root = ancestry(cluster, key)[-1]
    if is_ready(cluster, root):
        return None
    if isinstance(root, PodGroup):
        return TOO_FEW
    return f'waiting for composite pod group "{root.name}" tree to meet quorum'


def is_ready(cluster: ClusterState, group: AnyGroup) -> bool:
    """Whether enough members are known, in a group itself or in enough of its children."""
    if isinstance(group, PodGroup):
        return _known(cluster, group) >= (group.spec.min_count or 1)
    ready = sum(is_ready(cluster, child) for child in children(cluster, group))
    return ready >= (group.spec.min_group_count or 1)


def _known(cluster: ClusterState, group: PodGroup) -> int:
    return len(GroupMembers.of(cluster).known((group.namespace, group.name)))
