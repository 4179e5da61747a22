"""PrioritySort: the order of the queue (spec 02 D.2)."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.plugin import Plugin, Reads


class PrioritySort(Plugin):
    """Higher priority first; equal ones in the order in which they came."""

    name = "PrioritySort"
    reads = Reads.NODES

    @staticmethod
    def key(pod: PodRecord) -> int:
        """Sort key for a stable sort of pods in order of arrival."""
        return -pod.priority
