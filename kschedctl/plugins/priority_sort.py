"""PrioritySort: the order of the queue (spec 02 D.2)."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec, Reads


class PrioritySort(Plugin[None, None]):
    """Higher priority first; equal ones in the order in which they came."""

    spec = PluginSpec(
        name="PrioritySort",
        points=frozenset({ExtensionPoint.QUEUE_SORT}),
        reads=Reads.NODES,
    )

    def queue_order(self, pod: PodRecord, cluster: ClusterState) -> tuple[int]:
        """The priority."""
        return (-pod.priority,)
