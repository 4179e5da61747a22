"""What the queue is told of a change: the events of kube-scheduler, by their names (spec 08 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kschedctl.framework.cluster_event import Action, ClusterEvent, Resource
from kschedctl.objects.groups import Workload
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.resource import DeviceClass, ResourceClaim, ResourceSlice
from kschedctl.objects.storage import (
    CsiDriver,
    CsiNode,
    CsiStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)

RESOURCES: Final[Mapping[type[TopLevel], Resource]] = {
    PersistentVolume: Resource.PERSISTENT_VOLUME,
    PersistentVolumeClaim: Resource.PERSISTENT_VOLUME_CLAIM,
    StorageClass: Resource.STORAGE_CLASS,
    CsiNode: Resource.CSI_NODE,
    CsiDriver: Resource.CSI_DRIVER,
    CsiStorageCapacity: Resource.CSI_STORAGE_CAPACITY,
    VolumeAttachment: Resource.VOLUME_ATTACHMENT,
    ResourceClaim: Resource.RESOURCE_CLAIM,
    ResourceSlice: Resource.RESOURCE_SLICE,
    DeviceClass: Resource.DEVICE_CLASS,
    Workload: Resource.WORKLOAD,
}
"""The other objects that the queue hears of."""


class EventNames:
    """Makes events with the names that a version of kube-scheduler gives them.

    Args:
        target_pod: what it calls the waiting pod that changed itself.
        unscheduled_pod: what it calls a pod that is on no node.
    """

    def __init__(self, target_pod: str, unscheduled_pod: str) -> None:
        self._names = {Resource.TARGET_POD: target_pod, Resource.UNSCHEDULED_POD: unscheduled_pod}
        self._made: dict[tuple[Resource, Action], str] = {}

    def event(self, resource: Resource, action: Action, old: Any = None, new: Any = None) -> ClusterEvent:
        """An event."""
        return ClusterEvent(resource, action, old, new, self.name(resource, action))

    def name(self, resource: Resource, action: Action) -> str:
        """What an event is called."""
        made = self._made.get((resource, action))
        if made is None:
            made = f"{self._names.get(resource, resource.value)}{action.upstream}"
            self._made[resource, action] = made
        return made

    def of_object(self, old: TopLevel | None, new: TopLevel | None) -> ClusterEvent | None:
        """The event of another object that came, changed or went; None for kinds that the queue hears nothing of."""
        resource = RESOURCES.get(type(new if new is not None else old))  # type: ignore[arg-type]
        if resource is None:
            return None
        action = Action.ADD if old is None else Action.DELETE if new is None else Action.UPDATE
        return self.event(resource, action, old, new)
