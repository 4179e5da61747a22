"""Inline disks of the old kinds, which two pods on one node must not share (spec 04 §1.3)."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_volumes import Volume


class LegacyDisk(Struct, frozen=True):
    """A disk mounted by a pod itself, not through a claim.

    Attributes:
        addresses: kind and identity; a disk behind several monitors has one address per monitor.
        read_only: whether another read-only user does no harm; never so for kinds that ignore the field.
    """

    addresses: frozenset[tuple[str, ...]]
    read_only: bool

    def conflicts_with(self, other: LegacyDisk) -> bool:
        """Whether one node cannot mount both."""
        return not (self.read_only and other.read_only) and not self.addresses.isdisjoint(other.addresses)


def legacy_disks(spec: PodSpec) -> tuple[LegacyDisk, ...]:
    """The legacy disks of a pod."""
    disks = (_disk_of(volume) for volume in spec.volumes)
    return tuple(disk for disk in disks if disk is not None)


def _disk_of(volume: Volume) -> LegacyDisk | None:
    if (gce := volume.gce_persistent_disk) is not None:
        return LegacyDisk(frozenset({("gce", gce.pd_name)}), gce.read_only)
    if (ebs := volume.aws_elastic_block_store) is not None:
        return LegacyDisk(frozenset({("ebs", ebs.volume_id)}), read_only=False)
    if (iscsi := volume.iscsi) is not None:
        return LegacyDisk(frozenset({("iscsi", iscsi.iqn)}), iscsi.read_only)
    if (rbd := volume.rbd) is not None:
        pool = rbd.pool or "rbd"  # the API server's default
        return LegacyDisk(frozenset(("rbd", m, pool, rbd.image) for m in rbd.monitors), rbd.read_only)
    return None
