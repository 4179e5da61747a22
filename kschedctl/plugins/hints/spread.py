"""What may help a pod that PodTopologySpread rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.objects.constraints import TopologySpreadConstraint
from kschedctl.objects.node import Node
from kschedctl.objects.selectors import Selector, SelectorError

Constraints = Callable[
    [PodRecord, ClusterState], tuple[Sequence[TopologySpreadConstraint], tuple[Selector, ...]]
]
"""The hard constraints that apply to a pod, with what each selects; raises SelectorError."""


class SpreadHints:
    """Pods that count for a constraint, and nodes that belong to its topology.

    Args:
        constraints: those that apply to a pod.
        nominations: the end of a nomination counts like that of a pod.
    """

    def __init__(self, constraints: Constraints, *, nominations: bool) -> None:
        self._constraints = constraints
        self._nominations = nominations

    def interests(self) -> tuple[Interest, ...]:
        """Pods that come, go or change labels; nodes likewise, and their taints."""
        pods = Action.ADD | Action.DELETE | Action.UPDATE_POD_LABEL
        own = Action.UPDATE_POD_LABEL | Action.UPDATE_POD_TOLERATION
        nodes = Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT
        return (
            Interest(Resource.ASSIGNED_POD, pods, self._pod_counts),
            Interest(Resource.TARGET_POD, own, self._own_change),
            Interest(Resource.NODE, nodes, self._node_counts),
        )

    def _pod_counts(self, pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        """A pod of the same namespace begins or ceases to count for a constraint."""
        other: PodRecord = event.new or event.old
        own = other.pod.uid == pod.pod.uid  # the end of the pod's own nomination
        if other.namespace != pod.namespace or not (self._nominations or own or other.pod.node_name):
            return False
        try:
            _, selectors = self._constraints(pod, cluster)
        except SelectorError:
            return True
        if event.old is not None and event.new is not None:
            return _differ(selectors, event.old.pod.labels, event.new.pod.labels)
        return any(selector.matches(other.pod.labels) for selector in selectors)

    def _own_change(self, pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        """The pod counts for other constraints of its own, or tolerates more where taints are honoured."""
        try:
            constraints, selectors = self._constraints(pod, cluster)
        except SelectorError:
            return True
        before, after = event.old.pod, event.new.pod
        honoured = any(constraint.node_taints_policy == "Honor" for constraint in constraints)
        if honoured and before.spec.tolerations != after.spec.tolerations:
            return True
        return _differ(selectors, before.labels, after.labels)

    def _node_counts(self, pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        """A node with all the topology keys comes, goes, or moves to another domain."""
        try:
            constraints, _ = self._constraints(pod, cluster)
        except SelectorError:
            return True
        keys = [constraint.topology_key for constraint in constraints]
        old, new = event.old, event.new
        was, is_ = _has_all(old, keys), _has_all(new, keys)
        if old is None or new is None:
            return was or is_
        if was != is_:
            return True
        before, after = old.metadata.labels, new.metadata.labels
        moved = any(before.get(key) != after.get(key) for key in keys)
        return is_ and (moved or old.spec.taints != new.spec.taints)


def _differ(selectors: Sequence[Selector], old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    return any(selector.matches(old) != selector.matches(new) for selector in selectors)


def _has_all(node: Node | None, keys: Sequence[str]) -> bool:
    return node is not None and all(key in node.metadata.labels for key in keys)
