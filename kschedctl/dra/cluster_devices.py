"""The claims and devices of a cluster's state, made when first asked for."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.dra.classes import ClassIndex, may_be_backed
from kschedctl.dra.features import Features
from kschedctl.dra.ledger import ClaimLedger, Devices, Undo
from kschedctl.dra.rules import ExtendedResourceRules
from kschedctl.objects.resource import DeviceClass, DeviceTaintRule, ResourceClaim, ResourceSlice


class _Step(Struct, frozen=True):
    """A change of every ledger, also of those that are made after it."""

    change: Callable[[ClaimLedger], Undo]
    undo: dict[Features, Undo] = field(default_factory=dict)


class ClusterDevices:
    """A ledger for each set of features: what an allocation holds depends on them.

    Attributes:
        releases: whether a controller frees the devices of pods that are gone.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self.releases = True
        self._cluster = cluster
        self._ledgers: dict[Features, ClaimLedger] = {}
        self._classes: dict[ExtendedResourceRules, ClassIndex] = {}
        self._steps: list[_Step] = []
        cluster.on_removal(self._release)

    def classes(self, rules: ExtendedResourceRules) -> ClassIndex:
        """The device classes, also for those who need no claims."""
        known = self._classes.get(rules)
        if known is None:
            known = ClassIndex(self._cluster.objects.all(DeviceClass).values(), rules)
            self._classes[rules] = known
        return known

    @classmethod
    def of(cls, cluster: ClusterState) -> ClusterDevices:
        """The claims and devices of a cluster."""
        return cluster.extension(cls, cls)

    @property
    def is_changed(self) -> bool:
        """Whether claims are not as they were loaded."""
        return bool(self._steps)

    def ledger(self, features: Features) -> ClaimLedger:
        """The claims as they are now."""
        known = self._ledgers.get(features)
        if known is None:
            known = self._ledgers[features] = self._new_ledger(features)
            for step in self._steps:
                step.undo[features] = step.change(known)
        return known

    def claims(self) -> list[ResourceClaim]:
        """The claims as they are now; as loaded where nobody has asked for devices yet."""
        for ledger in self._ledgers.values():
            return list(ledger.claims.values())
        return list(self._cluster.objects.all(ResourceClaim).values())

    def _new_ledger(self, features: Features) -> ClaimLedger:
        objects = self._cluster.objects
        devices = Devices(
            objects.all(ResourceSlice).values(),
            self.classes(features.extended),
            objects.all(DeviceTaintRule).values(),
        )
        claims = objects.all(ResourceClaim).values()
        return ClaimLedger(devices, claims, features=features)

    def add_claim(self, claim: ResourceClaim) -> None:
        """Enter a claim that is made for a hypothetical pod; undone with the cluster's journal."""
        self._take(lambda ledger: ledger.add(claim))

    def _release(self, pod: PodRecord) -> None:
        """Free what a pod held that is taken off its node; undone with the cluster's journal."""
        if self.releases and _may_hold_devices(pod):
            self._take(lambda ledger: ledger.release(pod.pod))

    def _take(self, change: Callable[[ClaimLedger], Undo]) -> None:
        step = _Step(change)
        for features, ledger in self._ledgers.items():
            step.undo[features] = change(ledger)
        self._steps.append(step)
        self.record(self._take_back)

    def _take_back(self) -> None:
        for undo in self._steps.pop().undo.values():
            undo()

    def record(self, undo: Undo) -> None:
        """Let a change be undone with the cluster's journal."""
        self._cluster.journal.record(undo)


def _may_hold_devices(pod: PodRecord) -> bool:
    """Whether a pod names claims or resources that devices can back: nearly none does."""
    return bool(pod.pod.spec.resource_claims) or any(map(may_be_backed, pod.pod_class.requests))
