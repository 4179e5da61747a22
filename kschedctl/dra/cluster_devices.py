"""The claims and devices of a cluster's state, made when first asked for."""

from __future__ import annotations

from functools import cached_property

from kschedctl.cluster.state import ClusterState
from kschedctl.objects.resource import DeviceClass, DeviceTaintRule, ResourceClaim, ResourceSlice

from .classes import ClassIndex
from .features import Features
from .ledger import ClaimLedger, Devices, Undo


class ClusterDevices:
    """A ledger for each set of features: what an allocation holds depends on them.

    Attributes:
        generates_names: whether the API server makes up names; to be changed before the first ledger is made.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self.generates_names = True
        self._cluster = cluster
        self._ledgers: dict[Features, ClaimLedger] = {}
        self._added: list[ResourceClaim] = []

    @cached_property
    def classes(self) -> ClassIndex:
        """The device classes, also for those who need no claims."""
        return ClassIndex(self._cluster.objects.all(DeviceClass).values())

    @classmethod
    def of(cls, cluster: ClusterState) -> ClusterDevices:
        """The claims and devices of a cluster."""
        return cluster.extension(cls, cls)

    def ledger(self, features: Features) -> ClaimLedger:
        """The claims as they are now."""
        known = self._ledgers.get(features)
        if known is None:
            objects = self._cluster.objects
            devices = Devices(
                objects.all(ResourceSlice).values(),
                self.classes,
                objects.all(DeviceTaintRule).values(),
            )
            claims = [*objects.all(ResourceClaim).values(), *self._added]
            known = self._ledgers[features] = ClaimLedger(
                devices, claims, features, generates_names=self.generates_names
            )
        return known

    def add_claim(self, claim: ResourceClaim) -> None:
        """Enter a claim that is made for a hypothetical pod; undone with the cluster's journal."""
        self._added.append(claim)
        for ledger in self._ledgers.values():
            ledger.add(claim)
        self.record(lambda: self._forget(claim))

    def _forget(self, claim: ResourceClaim) -> None:
        """Take a claim out of every ledger, also of those made since it came."""
        self._added.remove(claim)
        for ledger in self._ledgers.values():
            ledger.delete(claim)

    def record(self, undo: Undo) -> None:
        """Let a change be undone with the cluster's journal."""
        self._cluster.journal.record(undo)
