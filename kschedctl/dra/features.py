"""Which parts of dynamic resource allocation are switched on (spec 05 §1.2, §10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from kschedctl.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Features:
    """The feature gates that change a decision, with the defaults of 1.36."""

    admin_access: bool = True
    prioritized_list: bool = True
    partitionable_devices: bool = True
    device_taints: bool = True
    device_taint_rules: bool = False
    consumable_capacity: bool = True
    binding_conditions: bool = True
    """DRADeviceBindingConditions together with DRAResourceClaimDeviceStatus."""
    extended_resource: bool = True
    legacy: bool = False
    """Whether the allocator is that of 1.34, with its own pool rules and search order."""

    @property
    def stable(self) -> bool:
        """Whether the oldest of the allocators of 1.36 does: it knows neither order nor distinctAttribute."""
        return not (self.legacy or self.consumable_capacity or self.binding_conditions)


GATES = {
    "admin_access": "DRAAdminAccess",
    "prioritized_list": "DRAPrioritizedList",
    "partitionable_devices": "DRAPartitionableDevices",
    "device_taints": "DRADeviceTaints",
    "device_taint_rules": "DRADeviceTaintRules",
    "consumable_capacity": "DRAConsumableCapacity",
    "binding_conditions": "DRADeviceBindingConditions",
    "extended_resource": "DRAExtendedResource",
}
"""Field of `Features` -> feature gate of kube-scheduler."""

_NEVER = ("DRAListTypeAttributes", "DRANodeAllocatableResources", "DRAWorkloadResourceClaims")
_NOT_IN_LEGACY = (
    "DRAPartitionableDevices",
    "DRAConsumableCapacity",
    "DRADeviceBindingConditions",
    "DRAExtendedResource",
)

V1_36 = Features()
V1_34 = Features(
    partitionable_devices=False,
    device_taints=False,
    consumable_capacity=False,
    binding_conditions=False,
    extended_resource=False,
    legacy=True,
)


def from_gates(enabled: Callable[[str], bool], *, legacy: bool = False) -> Features:
    """The features that a set of gates gives.

    Args:
        enabled: whether a gate is on; False for gates that the version does not have.
        legacy: whether the version is 1.34.

    Raises:
        UnsupportedError: a gate that is off by default is on, and what it brings is not evaluated.
    """
    for gate in (*_NEVER, *(_NOT_IN_LEGACY if legacy else ())):
        if enabled(gate):
            raise UnsupportedError(
                f"the feature gate {gate} is not evaluated", hint="leave it at its default"
            )
    values = {f.name: enabled(GATES[f.name]) for f in fields(Features) if f.name in GATES}
    values["binding_conditions"] &= enabled("DRAResourceClaimDeviceStatus")
    return Features(**values, legacy=legacy)
