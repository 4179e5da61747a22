"""GangScheduling: members wait until enough of them are there (spec 07 §4.3)."""

from __future__ import annotations

from kschedctl.cluster.group_members import GroupKey, GroupMembers, gang_of, group_of
from kschedctl.cluster.group_tree import AnyGroup, ancestry, children, missing_ancestor
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.versions import GroupCycle
from kschedctl.objects.groups import PodGroup, Workload

TOO_FEW = "waiting for minCount pods from a gang to appear in scheduling queue"


class GangScheduling(Plugin[None, None]):
    """Its Permit, which places all of minCount members or none, is part of the cycle of the group."""

    spec = PluginSpec(
        name="GangScheduling",
        points=frozenset({ExtensionPoint.PRE_ENQUEUE, ExtensionPoint.RESERVE, ExtensionPoint.PERMIT}),
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


def _workload_problem(pod: PodRecord, cluster: ClusterState) -> str | None:
    """What keeps a pod back whose gang is part of a workload, as in 1.35 (spec 07 §13)."""
    key = gang_of(pod)
    if key is None:
        return None
    namespace, name, group, _ = key
    workload = cluster.objects.find(Workload, name, namespace)
    if workload is None:
        return f'waiting for pods\'s workload "{name}" to appear in scheduling queue'
    policy = next((found.policy for found in workload.spec.pod_groups if found.name == group), None)
    if policy is None:
        return f'pod group "{group}" doesn\'t exist for a workload "{name}"'
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
