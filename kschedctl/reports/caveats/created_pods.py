"""What may keep a pod from being made or started although kube-scheduler has a node for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Final

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import Namespace
from kschedctl.reports.model import Caveat
from kschedctl.volumes.attached_elsewhere import ClaimUsers

_SELECTORS: Final = MappingProxyType(
    {
        "scheduler.alpha.kubernetes.io/node-selector": "where the admission plugin PodNodeSelector is on,",
        "openshift.io/node-selector": "on OpenShift",
    }
)
"""Annotations of namespaces that admission plugins merge into the node selectors of new pods -> where they do."""


def namespace_selector_caveats(pods: Iterable[PodRecord], cluster: ClusterState) -> Iterator[Caveat]:
    """Namespaces that say on which nodes their new pods may be, if the admission plugin for it is on."""
    told = set()
    for record in pods:
        namespace = cluster.objects.find(Namespace, record.namespace)
        if namespace is None or record.namespace in told or record.pod.metadata.creation_timestamp:
            continue
        told.add(record.namespace)
        for key in _SELECTORS:
            selector = namespace.metadata.annotations.get(key)
            if selector:
                text = (
                    f"namespace {record.namespace} has the annotation {key}={selector}: {_SELECTORS[key]} new pods "
                    f"get this node selector; here they do not: {_with_labels(selector, cluster)}"
                )
                yield Caveat(code="namespace-node-selector", message=text, may_change_answer=True)


def _with_labels(selector: str, cluster: ClusterState) -> str:
    """How many nodes a selector such as `a=b,c=d` leaves."""
    pairs = (part.partition("=") for part in selector.split(",") if part.strip())
    wanted = {key.strip(): value.strip() for key, _, value in pairs}
    left, nodes = int(cluster.nodes.mask_of_equalities(wanted).sum()), cluster.nodes.count
    if not left:
        return "no node has these labels, and the pod would fit nowhere"
    return f"{left} of {nodes} nodes {'has' if left == 1 else 'have'} these labels"


def empty_cluster_caveat(cluster: ClusterState, *, pods_absent: bool) -> Caveat | None:
    """That the input holds nodes and no pods at all, which is hardly a running cluster."""
    if not pods_absent or not cluster.nodes.count:
        return None
    text = "no Pod in the input (kubectl get pods -A): every node is taken to be empty"
    return Caveat(code="no-pods", message=text, may_change_answer=True)


def multi_attach_caveat(
    pod: PodRecord, node: int, cluster: ClusterState, users: ClaimUsers | None = None
) -> Caveat | None:
    """That a claim for one node is in use on another one: the pod is placed, and its kubelet cannot start it.

    Args:
        pod: a pod that is placed.
        node: the row of its node.
        cluster: the cluster.
        users: who uses which claims in it; None: to be found out.
    """
    on_a_node = node < cluster.nodes.count  # an extender may make one up
    if not on_a_node or not any(volume.persistent_volume_claim for volume in pod.pod.spec.volumes):
        return None
    found = (users or ClaimUsers(cluster)).attached_elsewhere(pod, node)
    if found is None:
        return None
    claim, other = found
    text = (
        f"claim {claim} is ReadWriteOnce and in use by {other.full_name} on "
        f"{cluster.nodes.names[int(cluster.pods.node[other.id])]}: kube-scheduler places {pod.full_name} on "
        f"{cluster.nodes.names[node]}, where its volume cannot be attached until that pod is gone (Multi-Attach)"
    )
    return Caveat(code="multi-attach", message=text, may_change_answer=True)


def multi_attach_caveats(pods: Iterable[PodRecord], cluster: ClusterState) -> Iterator[Caveat]:
    """The same for the placed ones of some pods, as the cluster is in the end; each claim is told once."""
    mounting = [record for record in pods if record.pod.spec.volumes and cluster.pods.node[record.id] >= 0]
    if not mounting:
        return
    users, told = ClaimUsers(cluster), set()
    for record in mounting:
        row = int(cluster.pods.node[record.id])
        found = users.attached_elsewhere(record, row)
        if found is None or (record.namespace, found[0]) in told:
            continue
        told.add((record.namespace, found[0]))
        caveat = multi_attach_caveat(record, row, cluster, users)
        assert caveat is not None
        yield caveat
