"""GangScheduling: members wait until enough of them are there (spec 07 §4.3)."""

from __future__ import annotations

from kschedctl.cluster.group_members import GroupMembers, group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import Plugin
from kschedctl.objects.groups import PodGroup

TOO_FEW = "waiting for minCount pods from a gang to appear in scheduling queue"


class GangScheduling(Plugin):
    """Its Permit, which places all of minCount members or none, is part of the cycle of the group."""

    name = "GangScheduling"

    def pre_enqueue(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """The group must be there, and minCount members of it."""
        key = group_of(pod)
        if key is None:
            return None
        namespace, name = key
        group = cluster.objects.find(PodGroup, name, namespace)
        if group is None:
            return f'waiting for pods\'s pod group "{name}" to appear in scheduling queue'
        needed = group.spec.min_count
        if needed is None or len(GroupMembers.of(cluster).known(key)) >= needed:
            return None
        return TOO_FEW
