"""Whether allocated devices are ready to be used (spec 05 §3.3, binding conditions)."""

from __future__ import annotations

from enum import Enum

from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.objects.resource import AllocatedDeviceStatus, DeviceAllocationResult, ResourceClaim


class Readiness(Enum):
    """What the drivers say of the devices of a claim."""

    READY = "ready"
    WAITING = "waiting"
    FAILED = "failed"


def readiness(claim: ResourceClaim) -> Readiness:
    """What the conditions of the devices of an allocated claim say, in the order of the results."""
    allocation = claim.status.allocation
    for result in allocation.devices.results if allocation is not None else ():
        if not result.binding_conditions:
            continue
        status = next((s for s in claim.status.devices if _same(s, result)), None)
        if status is None:
            return Readiness.WAITING
        true = {c.type for c in status.conditions if c.status == "True"}
        if true.intersection(result.binding_failure_conditions):
            return Readiness.FAILED
        if not true.issuperset(result.binding_conditions):
            return Readiness.WAITING
    return Readiness.READY


def timed_out(claim: ResourceClaim, timeout: int, now: int | None) -> bool:
    """Whether a claim has waited longer than `timeout`, in nanoseconds; never where the time is not known."""
    allocation = claim.status.allocation
    if allocation is None or now is None:
        return False
    if not any(result.binding_conditions for result in allocation.devices.results):
        return False
    since = start_of(allocation.allocation_timestamp)
    return since != NO_START and since + timeout < now


def _same(status: AllocatedDeviceStatus, result: DeviceAllocationResult) -> bool:
    return (status.driver, status.pool, status.device) == (result.driver, result.pool, result.device)
