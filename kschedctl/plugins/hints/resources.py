"""What may help a pod that NodeResourcesFit rejected."""

from __future__ import annotations

from kschedctl.cluster.nodes import allocatable_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.pod_requests import pod_requests, to_resource_units
from kschedctl.objects.resource import DeviceClass
from kschedctl.plugins.device_backed import DeviceBackedResources


class ResourceHints:
    """Asks what an empty node has, and what a pod gave back.

    Args:
        devices: which resources devices can provide.
        resizes: the gate InPlacePodVerticalScaling.
        device_classes: the gate DRAExtendedResource.
    """

    def __init__(self, devices: DeviceBackedResources, *, resizes: bool, device_classes: bool) -> None:
        self._devices = devices
        self._resizes = resizes
        self._device_classes = device_classes

    def interests(self) -> tuple[Interest, ...]:
        """Room that a pod leaves, nodes that come or grow, and classes of devices."""
        found = [
            Interest(Resource.ASSIGNED_POD, Action.DELETE),
            Interest(Resource.NODE, Action.ADD | Action.UPDATE_NODE_ALLOCATABLE, self._node_fits),
        ]
        if self._resizes:
            found.append(Interest(Resource.ASSIGNED_POD, Action.UPDATE_POD_SCALE_DOWN, _gives_back))
            found.append(Interest(Resource.TARGET_POD, Action.UPDATE_POD_SCALE_DOWN))
        if self._device_classes:
            found.append(Interest(Resource.DEVICE_CLASS, Action.ADD | Action.UPDATE, _class_backs))
        return tuple(found)

    def _node_fits(self, pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        """The pod alone would fit the node; one that was there before must have grown."""
        wanted = _requests(pod)
        offer = allocatable_of(event.new)
        if offer.get("pods", 0) < 1:
            return False
        by_devices = {
            name
            for name in self._devices.left_to_devices(wanted, cluster)
            if not self._devices.is_offered(name, offer)
        }
        if any(amount > offer.get(name, 0) for name, amount in wanted.items() if name not in by_devices):
            return False
        if event.old is None or by_devices:
            return True
        before = allocatable_of(event.old)
        return any(offer.get(name, 0) > before.get(name, 0) for name in ("pods", *wanted))


def _requests(pod: PodRecord) -> dict[str, int]:
    """What the pod asks for, in resource units, without what it asks none of."""
    requests = pod_requests(pod.pod.spec)
    amounts = {name: wrap_int64(to_resource_units(name, amount)) for name, amount in requests.items()}
    return {name: amount for name, amount in amounts.items() if amount > 0}


def _gives_back(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """Another pod asks for less of a resource that this one wants."""
    before, after = event.old.pod_class.requests, event.new.pod_class.requests
    return any(before.get(name, 0) > after.get(name, 0) for name in _requests(pod))


def _class_backs(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """A class of devices begins to stand for a resource that the pod asks for."""
    from kschedctl.dra.classes import IMPLICIT_PREFIX  # loaded only where devices are

    new: DeviceClass = event.new
    named = new.spec.extended_resource_name
    if event.old is not None and (event.old.spec.extended_resource_name or "") == (named or ""):
        return False
    names = {named} if event.old is not None else {named, IMPLICIT_PREFIX + new.name}
    return not names.isdisjoint(pod_requests(pod.pod.spec))
