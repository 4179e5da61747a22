"""What may help a pod that a plugin about taints, labels or features of nodes rejected."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Hint, Interest, Resource
from kschedctl.objects.node import Node, Taint
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.selectors import NodeTerm, lenient_node_terms
from kschedctl.objects.tolerations import is_tolerated


def taint_interests(*, comparison: bool) -> tuple[Interest, ...]:
    """TaintToleration: a node whose taints the pod tolerates now and did not before, or new tolerations.

    Args:
        comparison: the gate TaintTolerationComparisonOperators.
    """

    def tolerated(pod: PodRecord, node: Node) -> bool:
        tolerations = pod.pod.spec.tolerations
        hard = (taint for taint in node.spec.taints if taint.is_hard)
        return all(is_tolerated(tolerations, taint, comparison=comparison) for taint in hard)

    def becomes_tolerated(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        return (event.old is None or not tolerated(pod, event.old)) and tolerated(pod, event.new)

    return (
        Interest(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT, becomes_tolerated),
        Interest(Resource.TARGET_POD, Action.UPDATE_POD_TOLERATION),
    )


def cordon_interests(taint: Taint, *, comparison: bool) -> tuple[Interest, ...]:
    """NodeUnschedulable: a node that is not cordoned, or a pod that tolerates the taint which stands for that.

    Args:
        taint: the taint of a cordoned node.
        comparison: the gate TaintTolerationComparisonOperators.
    """

    def opens(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        was_closed = event.old is None or event.old.spec.unschedulable
        return was_closed and not event.new.spec.unschedulable

    def tolerates(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        return is_tolerated(event.new.pod.spec.tolerations, taint, comparison=comparison)

    return (
        Interest(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT, opens),
        Interest(Resource.TARGET_POD, Action.UPDATE_POD_TOLERATION, tolerates),
    )


def affinity_interests(enforced: tuple[NodeTerm, ...] | None) -> tuple[Interest, ...]:
    """NodeAffinity: a node that matches now and did not before.

    Args:
        enforced: the terms that the profile adds, None for none.
    """

    def becomes_right(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        new: Node = event.new
        if enforced is not None and not _matches(enforced, new):
            return False
        spec = pod.pod.spec
        return wanted_by(spec, new) and (event.old is None or not wanted_by(spec, event.old))

    return (Interest(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL, becomes_right),)


def wanted_by(spec: PodSpec, node: Node) -> bool:
    """Whether a node matches a pod's node selector and required node affinity; bad terms match nothing."""
    labels = node.metadata.labels
    if any(labels.get(key) != value for key, value in (spec.node_selector or {}).items()):
        return False
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if affinity is None or affinity.required is None:
        return True
    return _matches(lenient_node_terms(affinity.required), node)


def _matches(terms: tuple[NodeTerm, ...], node: Node) -> bool:
    return any(term.matches(node.metadata.labels, node.name) for term in terms)


def feature_interests(needs_change: Hint) -> tuple[Interest, ...]:
    """NodeDeclaredFeatures: features that a node declares, or a pod that needs others than before.

    Args:
        needs_change: whether an update of the pod changes what it needs.
    """
    node = Action.ADD | Action.UPDATE_NODE_DECLARED_FEATURE
    return (Interest(Resource.NODE, node), Interest(Resource.TARGET_POD, Action.UPDATE, needs_change))
