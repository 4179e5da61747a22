"""The claims of a cluster and the devices that they hold, with undo (spec 05 §3.7, §3.9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import msgspec
from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.allocator import Allocator
from kschedctl.dra.classes import ClassIndex
from kschedctl.dra.devices import SliceCompiler
from kschedctl.dra.extended import is_special
from kschedctl.dra.features import Features
from kschedctl.dra.pools import SliceIndex
from kschedctl.dra.usage import DeviceUsage
from kschedctl.objects.resource import (
    AllocationResult,
    DeviceAllocationResult,
    DeviceTaintRule,
    ResourceClaim,
    ResourceClaimConsumer,
    ResourceClaimStatus,
    ResourceSlice,
)

ClaimKey = tuple[str, str]
"""`(namespace, name)`."""

Undo = Callable[[], None]
"""Takes one change back; changes are taken back in the reverse order."""


class Devices(Struct, frozen=True):
    """What drivers and administrators offer."""

    slices: Iterable[ResourceSlice]
    classes: ClassIndex
    rules: Iterable[DeviceTaintRule] = ()


class ClaimLedger:
    """All claims, and an allocator that knows which devices they hold.

    Args:
        devices: what can be allocated.
        claims: the claims of the cluster.
        features: what is switched on.
    """

    def __init__(
        self,
        devices: Devices,
        claims: Iterable[ResourceClaim] = (),
        *,
        features: Features,
    ) -> None:
        self.features = features
        self.in_flight: set[ClaimKey] = set()
        self.classes = devices.classes
        self._claims: dict[ClaimKey, ResourceClaim] = {}
        self._of_pod: dict[str, set[ClaimKey]] = defaultdict(set)
        for claim in claims:
            self._put((claim.namespace, claim.name), claim)
        self._usage = DeviceUsage.of_claims(features, self._claims.values())
        compiler = SliceCompiler(features, tuple(devices.rules))
        listed = sorted(devices.slices, key=lambda item: item.name)
        slices = SliceIndex(features, [compiler.compile(item) for item in listed])
        self.allocator = Allocator(features, slices, self._usage, self.classes.find)

    @property
    def claims(self) -> Mapping[ClaimKey, ResourceClaim]:
        """All claims as they are now."""
        return MappingProxyType(self._claims)

    def find(self, namespace: str, name: str) -> ResourceClaim | None:
        """One claim as it is now."""
        return self._claims.get((namespace, name))

    def claims_of(self, pod: AdmittedPod) -> list[ResourceClaim]:
        """The claims that a pod uses or that were made for it, by name."""
        return [self._claims[key] for key in sorted(self._of_pod.get(pod.uid, ()))]

    def add(self, claim: ResourceClaim) -> Undo:
        """A new claim, or a new version of one."""
        return self._replace((claim.namespace, claim.name), claim)

    def allocate(self, claim: ResourceClaim, allocation: AllocationResult) -> Undo:
        """Give a claim its devices."""
        return self._with_status(claim, allocation=allocation)

    def reserve(self, claim: ResourceClaim, consumer: ResourceClaimConsumer) -> Undo:
        """Note that a pod or a group uses a claim, unless that is noted already."""
        current = self._claims[claim.namespace, claim.name]
        if any(known.uid == consumer.uid for known in current.status.reserved_for):
            return _nothing
        return self._with_status(claim, reserved_for=(*current.status.reserved_for, consumer))

    def unreserve(self, claim: ResourceClaim, uid: str) -> Undo:
        """Note that a pod or a group does not use a claim any more; its devices stay."""
        current = self._claims[claim.namespace, claim.name]
        left = tuple(known for known in current.status.reserved_for if known.uid != uid)
        return self._with_status(claim, reserved_for=left)

    def put_in_flight(self, claim: ResourceClaim) -> Undo:
        """Note that the devices of a claim were found in a cycle that is not over: the API does not know of them."""
        key = claim.namespace, claim.name
        self.in_flight.add(key)
        return lambda: self.in_flight.discard(key)

    def deallocate(self, claim: ResourceClaim) -> Undo:
        """Free the devices of a claim that no pod needs where they are."""
        return self._replace(
            (claim.namespace, claim.name), msgspec.structs.replace(claim, status=ResourceClaimStatus())
        )

    def delete(self, claim: ResourceClaim) -> Undo:
        """Remove a claim with all that it holds."""
        return self._replace((claim.namespace, claim.name), None)

    def release(self, pod: AdmittedPod) -> Undo:
        """What becomes of its claims when a pod is gone: the last consumer frees the devices.

        Claims that were made for the pod stay without devices, for the one that comes in its place; the special
        claim does not, which would keep that one from being scheduled.
        """
        undo: list[Undo] = []
        for claim in self.claims_of(pod):
            consumers = claim.status.reserved_for
            left = tuple(consumer for consumer in consumers if consumer.uid != pod.uid)
            owner = claim.metadata.controller
            if owner is not None and owner.uid == pod.uid:
                undo.append(self.delete(claim) if is_special(claim) else self.deallocate(claim))
            elif left != consumers:
                undo.append(self._with_status(claim, reserved_for=left) if left else self.deallocate(claim))
        return lambda: _run(undo)

    def _with_status(
        self,
        claim: ResourceClaim,
        *,
        allocation: AllocationResult | None = None,
        reserved_for: tuple[ResourceClaimConsumer, ...] | None = None,
    ) -> Undo:
        key = (claim.namespace, claim.name)
        current = self._claims.get(key, claim)
        status = current.status
        if allocation is not None:
            status = msgspec.structs.replace(status, allocation=allocation)
        if reserved_for is not None:
            status = msgspec.structs.replace(status, reserved_for=reserved_for)
        return self._replace(key, msgspec.structs.replace(current, status=status))

    def _replace(self, key: ClaimKey, new: ResourceClaim | None) -> Undo:
        old = self._claims.get(key)
        marks = []
        held, wanted = _results(old), _results(new)
        if held != wanted:
            marks = [self._usage.change(held, -1), self._usage.change(wanted, 1)]
        self._put(key, new)

        def undo() -> None:
            for mark in reversed(marks):
                self._usage.undo(mark)
            self._put(key, old)

        return undo

    def _put(self, key: ClaimKey, claim: ResourceClaim | None) -> None:
        old = self._claims.get(key)
        for uid in _pods(old):
            self._of_pod[uid].discard(key)
        for uid in _pods(claim):
            self._of_pod[uid].add(key)
        if claim is None:
            self._claims.pop(key, None)
        else:
            self._claims[key] = claim


def _pods(claim: ResourceClaim | None) -> set[str]:
    """The uids of those that use a claim and of the one that it was made for."""
    if claim is None:
        return set()
    owner = claim.metadata.controller
    consumers = {consumer.uid for consumer in claim.status.reserved_for}
    return consumers if owner is None else {*consumers, owner.uid}


def _results(claim: ResourceClaim | None) -> tuple[DeviceAllocationResult, ...]:
    allocation = claim.status.allocation if claim is not None else None
    return allocation.devices.results if allocation is not None else ()


def _run(undo: list[Undo]) -> None:
    for step in reversed(undo):
        step()


def _nothing() -> None:
    return
