"""PrioritySort: the order of the queue (spec 02 D.2)."""

from __future__ import annotations

from kschedctl.cluster.group_tree import effective_priority
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.versions import GroupCycle


class PrioritySort(Plugin[None, None]):
    """Higher priority first, that of its topmost group for a pod of one that waits as one; equal ones as they came."""

    spec = PluginSpec(
        name="PrioritySort",
        points=frozenset({ExtensionPoint.QUEUE_SORT}),
        reads=Reads.NODES,
    )

    def queue_order(self, pod: PodRecord, cluster: ClusterState) -> tuple[int]:
        """The priority."""
        if pod.pod.spec.scheduling_group is not None and self._groups_wait_as_one:
            return (-effective_priority(cluster, pod),)
        return (-pod.priority,)

    @property
    def _groups_wait_as_one(self) -> bool:
        return self.context.gates.group_cycle is GroupCycle.OF_GROUPS
