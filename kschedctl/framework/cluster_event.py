"""What happens in a cluster, in the words in which plugins say what may help a pod that they rejected (spec 08 §2)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Flag, StrEnum, auto
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.cluster.state import ClusterState


class Resource(StrEnum):
    """The kind of object that something happened to; the value stands in the name of the event."""

    ASSIGNED_POD = "AssignedPod"
    """A pod on a node, or one whose nomination kept room on a node."""
    TARGET_POD = "TargetPod"
    """The waiting pod itself."""
    UNSCHEDULED_POD = "UnscheduledPod"
    """A pod that is on no node."""
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    RESOURCE_CLAIM = "resource.k8s.io/ResourceClaim"
    RESOURCE_SLICE = "resource.k8s.io/ResourceSlice"
    DEVICE_CLASS = "resource.k8s.io/DeviceClass"
    WORKLOAD = "scheduling.k8s.io/Workload"
    POD_GROUP = "scheduling.k8s.io/PodGroup"
    ANYTHING = "*"
    """Of an event: it moves every pod, whatever rejected it."""


class Action(Flag):
    """What happened to it. Only what changes of nodes and pods is told apart; anything else is an UPDATE."""

    ADD = auto()
    DELETE = auto()
    UPDATE_NODE_ALLOCATABLE = auto()
    UPDATE_NODE_LABEL = auto()
    UPDATE_NODE_TAINT = auto()
    """Taints changed, or the node is not cordoned any more."""
    UPDATE_NODE_CONDITION = auto()
    UPDATE_NODE_ANNOTATION = auto()
    UPDATE_NODE_DECLARED_FEATURE = auto()
    UPDATE_POD_LABEL = auto()
    UPDATE_POD_SCALE_DOWN = auto()
    UPDATE_POD_TOLERATION = auto()
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = auto()
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_CONDITION
        | UPDATE_NODE_ANNOTATION
        | UPDATE_NODE_DECLARED_FEATURE
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_TOLERATION
        | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM
    )
    """As an event: an update that is none of these. As an interest: any update."""

    @property
    def upstream(self) -> str:
        """Its part of the name of an event: `UpdateNodeTaint`."""
        return (self.name or "").title().replace("_", "")


class ClusterEvent(Struct, frozen=True):
    """Something that happened.

    Attributes:
        resource: to what.
        action: a single one, or UPDATE.
        old: the object before, None where it is new; pods as `PodRecord`.
        new: the object after, None where it is gone.
        name: what kube-scheduler calls it, where that does not follow from resource and action.
    """

    resource: Resource
    action: Action
    old: Any = None
    new: Any = None
    name: str = ""


Hint = Callable[["PodRecord", ClusterEvent, "ClusterState"], bool]
"""Whether an event can make a pod schedulable that the plugin rejected, in the cluster as it is after the event."""


class Interest(Struct, frozen=True):
    """Events that may help pods which a plugin rejected.

    Attributes:
        resource: the kind of object.
        actions: what happens to it.
        hint: looks closer; None: always.
    """

    resource: Resource
    actions: Action
    hint: Hint | None = None

    def covers(self, event: ClusterEvent) -> bool:
        """Whether an event is meant. One that is told as a plain update is meant by those that mean every update."""
        return self.resource is event.resource and event.action in self.actions
