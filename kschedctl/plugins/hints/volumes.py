"""What may help a pod that a plugin about volumes rejected (spec 04 §7)."""

from __future__ import annotations

from collections.abc import Mapping

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.objects.storage import CsiNode, CsiStorageCapacity, PersistentVolume
from kschedctl.objects.well_known import TOPOLOGY_LABELS, ZONE_SEPARATOR
from kschedctl.volumes.claims import claim_uses, key_of
from kschedctl.volumes.in_tree import MIGRATED_PLUGINS_ANNOTATION, plugin_of
from kschedctl.volumes.legacy_disks import legacy_disks
from kschedctl.volumes.pod_volumes import WAIT_FOR_FIRST_CONSUMER
from kschedctl.volumes.provisioning import volume_limit

_MADE_OR_CHANGED = Action.ADD | Action.UPDATE
_NODE = Interest(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)


def _own_claim(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """A claim that the pod names, that of a generic ephemeral volume included."""
    return any(use.key == key_of(event.new) for use in claim_uses(pod.pod))


def _named_claim(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """A claim that the pod names itself."""
    return any(use.key == key_of(event.new) for use in claim_uses(pod.pod) if not use.ephemeral)


def _same_volume(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """The pod that is gone, of the same namespace, had the same disk or claim."""
    gone: PodRecord = event.old
    if gone.namespace != pod.namespace:
        return False
    theirs = legacy_disks(gone.pod.spec)
    if any(own.conflicts_with(other) for own in legacy_disks(pod.pod.spec) for other in theirs):
        return True
    claims = {use.key for use in claim_uses(pod.pod) if not use.ephemeral}
    return any(use.key in claims for use in claim_uses(gone.pod) if not use.ephemeral)


RESTRICTIONS = (
    Interest(Resource.ASSIGNED_POD, Action.DELETE, _same_volume),
    Interest(Resource.NODE, Action.ADD),
    Interest(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, _named_claim),
)
"""VolumeRestrictions."""


def _migration_changes(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    old, new = event.old, event.new
    key = MIGRATED_PLUGINS_ANNOTATION
    return old is None or old.metadata.annotations.get(key, "") != new.metadata.annotations.get(key, "")


def _capacity_ignored(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """The driver of an inline volume of the pod does not publish its capacity any more."""
    if not event.old.spec.storage_capacity or event.new.spec.storage_capacity:
        return False
    return any(v.csi is not None and v.csi.driver == event.new.name for v in pod.pod.spec.volumes)


def _capacity_grows(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    old: CsiStorageCapacity | None = event.old
    if old is None:
        return True
    before, after = volume_limit(old), volume_limit(event.new)
    return after is not None and (before is None or after > before)


def _topologies_change(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    return event.old is None or event.old.allowed_topologies != event.new.allowed_topologies


BINDING = (
    Interest(Resource.STORAGE_CLASS, _MADE_OR_CHANGED, _topologies_change),
    Interest(Resource.PERSISTENT_VOLUME_CLAIM, _MADE_OR_CHANGED, _own_claim),
    Interest(Resource.PERSISTENT_VOLUME, _MADE_OR_CHANGED),
    _NODE,
    Interest(Resource.CSI_NODE, _MADE_OR_CHANGED, _migration_changes),
    Interest(Resource.CSI_DRIVER, Action.UPDATE, _capacity_ignored),
    Interest(Resource.CSI_STORAGE_CAPACITY, _MADE_OR_CHANGED, _capacity_grows),
)
"""VolumeBinding."""


def _waits_for_consumer(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    return bool(event.new.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER)


def _zones_change(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    return event.old is None or _zones(event.old) != _zones(event.new)


def _zones(volume: PersistentVolume) -> dict[str, set[str]]:
    labels = volume.metadata.labels
    return {key: set(labels[key].split(ZONE_SEPARATOR)) for key in TOPOLOGY_LABELS if key in labels}


ZONE = (
    Interest(Resource.STORAGE_CLASS, Action.ADD, _waits_for_consumer),
    _NODE,
    Interest(Resource.PERSISTENT_VOLUME_CLAIM, _MADE_OR_CHANGED, _named_claim),
    Interest(Resource.PERSISTENT_VOLUME, _MADE_OR_CHANGED, _zones_change),
)
"""VolumeZone."""


def _detaches(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """The pod that is gone had volumes that count."""
    volumes = event.old.pod.spec.volumes
    return any(v.persistent_volume_claim or v.ephemeral or plugin_of(v) for v in volumes)


def _attachment_ends(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """The pod has a claim, or an inline volume of the driver that attached."""
    volumes = pod.pod.spec.volumes
    drivers = {plugin.driver for volume in volumes if (plugin := plugin_of(volume)) is not None}
    return event.old.spec.attacher in drivers or any(v.persistent_volume_claim for v in volumes)


def _limit_rises(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    before, after = _limits(event.old), _limits(event.new)
    return any(limit > before.get(driver, 0) for driver, limit in after.items())


def _limits(node: CsiNode) -> Mapping[str, int]:
    return {
        driver.name: (driver.allocatable.count or 0) if driver.allocatable is not None else 0
        for driver in node.spec.drivers
    }


LIMITS = (
    Interest(Resource.CSI_NODE, Action.ADD),
    Interest(Resource.CSI_NODE, Action.UPDATE, _limit_rises),
    Interest(Resource.ASSIGNED_POD, Action.DELETE, _detaches),
    Interest(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, _own_claim),
    Interest(Resource.VOLUME_ATTACHMENT, Action.DELETE, _attachment_ends),
)
"""NodeVolumeLimits."""
