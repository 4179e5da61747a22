"""What the scheduler knows of the cluster: its cache and its nominations, kept up to date by what it hears."""

from __future__ import annotations

from collections.abc import Callable

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.defaults import default_node
from kschedctl.cluster.group_members import GroupMembers
from kschedctl.cluster.node_order import NodeTree
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.cluster.store import ObjectStore
from kschedctl.objects.node import Node
from kschedctl.run.image_states import ImageStates


class SchedulerView:
    """Keeps the columns of a cluster as the scheduler's cache would have them.

    Args:
        cluster: the cluster; changed from now on.
        rebuilt: called when what packages above keep of the cluster is made anew.

    Attributes:
        cluster: the cluster.
        records: `namespace/name` -> the pod as the scheduler knows it.
    """

    def __init__(self, cluster: ClusterState, rebuilt: Callable[[ClusterState], None] | None = None) -> None:
        self.cluster = cluster
        self.records = {record.full_name: record for record in cluster.pods.records}
        self._rebuilt = rebuilt
        self._nodes = {node.name: node for node in cluster.nodes_by_addition()}
        self._tree = NodeTree((name, node.metadata.labels) for name, node in self._nodes.items())
        self._list_is_open = True
        self._images = ImageStates()
        self._ghosts: dict[str, list[str]] = {}
        for record in cluster.pods.records:
            if record.pod.node_name and not self._is_placed(record):
                self._ghosts.setdefault(record.pod.node_name, []).append(record.full_name)

    def is_assumed(self, key: str) -> bool:
        """Whether a pod is on a node here that the API does not put there yet."""
        record = self.records.get(key)
        return record is not None and self._is_placed(record) and not record.pod.node_name

    def _is_placed(self, record: PodRecord) -> bool:
        return bool(self.cluster.pods.node[record.id] >= 0)

    def begin_cycle(self) -> None:
        """Take a snapshot for the next cycle."""
        self._list_is_open = False
        self._images.take_snapshot(self.cluster)

    def touch(self, node: str) -> None:
        """A pod was assumed on a node, or is forgotten there."""
        self._images.touch(node)

    # Pods on nodes

    def add_assigned(self, pod: AdmittedPod) -> PodRecord:
        """A pod on a node; one that was assumed there is confirmed."""
        self._images.touch(pod.node_name)
        known = self.records.get(pod.full_name)
        if known is not None and self._is_placed(known):
            record = self.cluster.restate(known.id, pod)
        else:
            record = self.cluster.add_pod(pod)
            self._place(record)
        self.records[pod.full_name] = record
        return record

    def _place(self, record: PodRecord) -> None:
        """Put a pod on its node; where the node is missing it is kept for the day on which that comes."""
        row = self.cluster.nodes.row_of.get(record.pod.node_name)
        if row is None:
            self._ghosts.setdefault(record.pod.node_name, []).append(record.full_name)
        else:
            self.cluster.assume(record.id, row)

    def update_assigned(self, pod: AdmittedPod) -> PodRecord:
        """Another version of a pod on a node, which goes to the end of the node's list."""
        self._images.touch(pod.node_name)
        known = self.records[pod.full_name]
        if not self._is_placed(known):
            self._forget_ghost(known)
            record = self.cluster.add_pod(pod)
            self._place(record)
        else:
            record = self.cluster.replace(known.id, pod)
        self.records[pod.full_name] = record
        return record

    def remove_assigned(self, key: str) -> None:
        """A pod that is gone from its node."""
        known = self.records.pop(key)
        self._images.touch(known.pod.node_name)
        if self._is_placed(known):
            self.cluster.remove(known.id)
        else:
            self._forget_ghost(known)

    def _forget_ghost(self, record: PodRecord) -> None:
        """Take a pod off the list of a missing node; the last one moves into its place."""
        listed = self._ghosts[record.pod.node_name]
        at = listed.index(record.full_name)
        last = listed.pop()
        if at < len(listed):
            listed[at] = last

    # Pods without a node

    def put_waiting(self, pod: AdmittedPod) -> PodRecord:
        """A pod on no node, new or in another version; a nomination goes with it."""
        known = self.records.get(pod.full_name)
        record = self.records[pod.full_name] = self.cluster.add_pod(pod)
        if pod.spec.pod_group:
            GroupMembers.of(self.cluster).arrive(record)
        if known is not None:
            GroupMembers.of(self.cluster).leave(known)
            self._carry_nomination(known, record)
        return record

    def _carry_nomination(self, old: PodRecord, new: PodRecord) -> None:
        """What the API says now counts; only where it never said anything what is in memory is kept."""
        node = new.pod.nominated_node_name
        if not node and not old.pod.nominated_node_name:
            node = self.cluster.nominated_node(old.id)
        self.cluster.drop_nomination(old.id)
        self.nominate(new, node)

    def remove_waiting(self, key: str) -> None:
        """A pod on no node that is gone."""
        known = self.records.pop(key)
        GroupMembers.of(self.cluster).leave(known)
        self.cluster.drop_nomination(known.id)

    def nominate(self, record: PodRecord, node: str) -> None:
        """Keep room for a pod on a node, none where the name is empty."""
        self.cluster.drop_nomination(record.id)
        if node:
            self.cluster.nominate(record.id, node)

    # Nodes and everything else

    def put_node(self, node: Node) -> Node:
        """A node that is new or changed, as the scheduler sees it; a new one finds its pods again."""
        node = default_node(node)
        self._images.change(self.cluster.nodes, node.name, node)
        new = node.name not in self._nodes
        self._nodes[node.name] = node
        if not new:
            if self._tree.update(node.name, node.metadata.labels, lists=self._list_is_open):
                self._set_nodes()
            else:
                self.cluster.patch_nodes([node], reorder=False)
            return node
        self._tree.add(node.name, node.metadata.labels)
        self._set_nodes()
        for key in self._ghosts.pop(node.name, ()):
            self._place(self.records[key])
        return node

    def remove_node(self, name: str) -> None:
        """A node that is gone; its pods are kept aside."""
        self._images.change(self.cluster.nodes, name, None)
        row = self.cluster.nodes.row_of[name]
        listed = [self.cluster.pods.records[pod].full_name for pod in self.cluster.usage.pods[row]]
        if listed:
            self._ghosts[name] = listed
        del self._nodes[name]
        self._tree.remove(name)
        self._set_nodes()

    def _set_nodes(self) -> None:
        self._list_is_open = True
        self.cluster.set_nodes(list(self._nodes.values()), self._tree.order)

    def set_objects(self, objects: ObjectStore, *, known: bool = False) -> None:
        """Everything else, as it is now.

        Args:
            objects: all of it.
            known: the scheduler made the change itself.
        """
        self.cluster.set_objects(objects, keep_derived=known)
        if not known and self._rebuilt is not None:
            self._rebuilt(self.cluster)
