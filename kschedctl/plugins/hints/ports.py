"""What may help a pod that NodePorts rejected."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.ports import collide
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource

INTERESTS: tuple[Interest, ...]


def _frees_port(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """The pod that is gone held a port that this one wants."""
    held = event.old.pod_class.ports
    return any(collide(wanted, port) for wanted in pod.pod_class.ports for port in held)


INTERESTS = (
    Interest(Resource.ASSIGNED_POD, Action.DELETE, _frees_port),
    Interest(Resource.NODE, Action.ADD),
)
