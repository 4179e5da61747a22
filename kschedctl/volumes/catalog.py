"""The storage objects of a cluster, indexed the way the questions ask for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TypeVar

from msgspec import Struct

from kschedctl.cluster.store import ObjectStore
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.storage import (
    CsiDriver,
    CsiNode,
    CsiStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from kschedctl.volumes.claims import ClaimKey, class_of_volume, key_of

T = TypeVar("T", bound=TopLevel)


class StorageCatalog(Struct, frozen=True):
    """All storage objects; what a sequence of pods assumes stands in `AssumedBindings`, not here.

    Attributes:
        claims: by namespace and name.
        volumes: by name.
        classes: by name.
        csi_nodes: by name, which is the node's.
        drivers: by name.
        volumes_of_class: class name -> its volumes by name. The real list is in random order.
        capacities_of_class: class name -> published capacities by namespace and name.
        attachments_of_node: node name -> attachments.
    """

    claims: Mapping[ClaimKey, PersistentVolumeClaim]
    volumes: Mapping[str, PersistentVolume]
    classes: Mapping[str, StorageClass]
    csi_nodes: Mapping[str, CsiNode]
    drivers: Mapping[str, CsiDriver]
    volumes_of_class: Mapping[str, tuple[PersistentVolume, ...]]
    capacities_of_class: Mapping[str, tuple[CsiStorageCapacity, ...]]
    attachments_of_node: Mapping[str, tuple[VolumeAttachment, ...]]

    @classmethod
    def of(cls, store: ObjectStore) -> StorageCatalog:
        """Index the storage objects of a cluster."""
        return cls(
            claims={key_of(c): c for c in store.all(PersistentVolumeClaim).values()},
            volumes=_by_name(store.all(PersistentVolume)),
            classes=_by_name(store.all(StorageClass)),
            csi_nodes=_by_name(store.all(CsiNode)),
            drivers=_by_name(store.all(CsiDriver)),
            volumes_of_class=_grouped(store.all(PersistentVolume), class_of_volume),
            capacities_of_class=_grouped(store.all(CsiStorageCapacity), lambda c: c.storage_class_name),
            attachments_of_node=_grouped(store.all(VolumeAttachment), lambda a: a.spec.node_name),
        )


def _by_name(items: Mapping[tuple[str, str], T]) -> dict[str, T]:
    return {item.name: item for item in items.values()}


def _grouped(items: Mapping[tuple[str, str], T], group: Callable[[T], str]) -> dict[str, tuple[T, ...]]:
    """Items by group, each group in order of namespace and name."""
    groups: dict[str, list[T]] = defaultdict(list)
    for _, item in sorted(items.items()):
        groups[group(item)].append(item)
    return {name: tuple(members) for name, members in groups.items()}
