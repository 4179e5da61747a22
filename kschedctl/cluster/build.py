"""From loaded objects to a ClusterState."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kschedctl.admission.chain import Admission
from kschedctl.admission.defaults import default_node
from kschedctl.cluster.pod_classes import PodClasses
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.cluster.store import ObjectStore
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.sources.content import paused_gc


def build_cluster(
    objects: Sequence[TopLevel],
    admission: Admission,
    classes: PodClasses | None = None,
    known: Mapping[int, PodRecord] | None = None,
    schedulers: Collection[str] | None = None,
    *,
    gated_are_nominated: bool = False,
) -> ClusterState:
    """Enter objects in the order in which an API server lists them, the byte order of their keys.

    Nodes by name, pods by `NAMESPACE/NAME` as one text: `a-b/x` comes before `a/x`.

    That order decides the order of nodes and ties among equal victims. Terminal pods do not exist for the
    scheduler (spec 02 C.1).

    Args:
        objects: everything in the cluster.
        admission: what pods have been through.
        classes: those of a similar cluster; None: none.
        known: `id` of a pod -> its record in that cluster, which the same admission made and which holds the pod;
            None: none.
        schedulers: the `schedulerName`s of the pods that are queued; None: all.
        gated_are_nominated: whether the nomination of a pod with gates counts.
    """
    known = known or {}
    nodes = sorted((o for o in objects if isinstance(o, Node)), key=lambda n: n.name)
    pods = sorted((o for o in objects if isinstance(o, Pod) and not o.is_terminal), key=lambda p: p.full_name)
    others: Iterable[TopLevel] = (o for o in objects if not isinstance(o, (Node, Pod)))
    with paused_gc():
        return ClusterState(
            [default_node(node) for node in nodes],
            [known.get(id(pod)) or admission.admit_existing(pod) for pod in pods],
            ObjectStore(map(admission.admit_object, others)),
            classes,
            schedulers,
            gated_are_nominated=gated_are_nominated,
        )
