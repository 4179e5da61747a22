"""Which pods belong to which group, and which of them are on a node (spec 07 §2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kschedctl.cluster.pods import PodReader, PodRecord

if TYPE_CHECKING:
    from kschedctl.cluster.state import ClusterState

GroupKey = tuple[str, str]
"""Namespace and name of a group."""


def group_of(pod: PodRecord) -> GroupKey | None:
    """The group that a pod names, None where it names none."""
    group = pod.pod.spec.scheduling_group
    return (pod.namespace, group.pod_group_name) if group is not None else None


GangKey = tuple[str, str, str, str]
"""Namespace, workload, pod group and replica key: what 1.35 has instead of a group."""


def gang_of(pod: PodRecord) -> GangKey | None:
    """The gang of a workload that a pod names, None where it names none (spec 07 §13)."""
    workload = pod.pod.spec.workload_ref
    if workload is None:
        return None
    return pod.namespace, workload.name, workload.pod_group, workload.pod_group_replica_key


def _keys(pod: PodRecord) -> list[GroupKey | GangKey]:
    return [key for key in (group_of(pod), gang_of(pod)) if key is not None]


class GroupMembers:
    """The members of every group that the scheduler knows: pods on a node, and queued ones.

    Not known are pending pods of other schedulers, pods that are gone, and pods that were entered for a question
    alone.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._members: dict[GroupKey | GangKey, list[int]] = {}
        self._reader = PodReader(cluster.pods)
        self._gone: set[int] = set()
        self._loaded = len(cluster.pods.records)
        self._arrived: set[int] = set()
        cluster.on_removal(self.leave)

    @classmethod
    def of(cls, cluster: ClusterState) -> GroupMembers:
        """The members in a cluster; to be asked for once before pods come or are removed."""
        return cluster.extension(cls, cls)

    def arrive(self, pod: PodRecord) -> None:
        """Count a pod that was entered after the cluster was loaded: it waits in the queue from now on."""
        if pod.id not in self._arrived:
            self._arrived.add(pod.id)
            self._cluster.journal.record(lambda: self._arrived.discard(pod.id))

    def leave(self, pod: PodRecord) -> None:
        """Count a pod no more: it is deleted, or another one stands in its place."""
        if pod.id not in self._gone and (group_of(pod) or gang_of(pod)):
            self._gone.add(pod.id)
            self._cluster.journal.record(lambda: self._gone.discard(pod.id))

    def known(self, group: GroupKey | GangKey) -> list[int]:
        """Ids of all members, in order of arrival."""
        return [pod for pod in self._of(group) if self._is_known(pod)]

    def scheduled(self, group: GroupKey | GangKey) -> list[int]:
        """Ids of the members that are on a node, or assumed to be, in order of arrival."""
        return [pod for pod in self._of(group) if self._is_scheduled(pod)]

    def _of(self, group: GroupKey | GangKey) -> list[int]:
        gone, came = self._reader.news()
        for pod in gone:
            for key in _keys(pod):
                self._members[key].pop()
        for pod in came:
            for key in _keys(pod):
                self._members.setdefault(key, []).append(pod.id)
        return self._members.get(group, [])

    def _is_scheduled(self, pod: int) -> bool:
        if self._cluster.pods.node[pod] >= 0:
            return True
        return pod not in self._gone and bool(self._cluster.pods.records[pod].pod.node_name)

    def _is_known(self, pod: int) -> bool:
        if self._is_scheduled(pod):
            return True
        waits = pod < self._loaded or pod in self._arrived
        return waits and pod not in self._gone and self._cluster.queues(self._cluster.pods.records[pod])
