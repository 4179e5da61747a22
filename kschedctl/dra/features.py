"""What of dynamic resource allocation is switched on, and by which rules it decides (spec 05 §1.2)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from kschedctl.dra.rules import AllocatorRules, DeviceRules, ExtendedResourceRules


class Features(Struct, frozen=True, kw_only=True):
    """The feature gates that change a decision, and the rules of the version."""

    admin_access: bool
    prioritized_list: bool
    partitionable_devices: bool
    device_taints: bool
    device_taint_rules: bool
    consumable_capacity: bool
    binding_conditions: bool
    """DRADeviceBindingConditions together with DRAResourceClaimDeviceStatus."""
    extended_resource: bool
    list_attributes: bool
    fractional_capacity: bool
    derived_attributes: bool
    compatibility_groups: bool
    optional_node_operations: bool
    node_allocatable: bool
    workload_claims: bool
    """DRAWorkloadResourceClaims: groups have claims of their own."""
    rules: DeviceRules
    allocator: AllocatorRules
    """The rules of the implementation that can do all of this."""

    @property
    def extended(self) -> ExtendedResourceRules:
        """How devices stand in for extended resources."""
        return self.rules.extended


def from_gates(enabled: Callable[[str], bool], rules: DeviceRules) -> Features:
    """The features that a set of gates gives.

    Args:
        enabled: whether a gate is on; False for gates that the version does not have.
        rules: the rules of the version.
    """
    return Features(
        admin_access=enabled("DRAAdminAccess"),
        prioritized_list=enabled("DRAPrioritizedList"),
        partitionable_devices=enabled("DRAPartitionableDevices"),
        device_taints=enabled("DRADeviceTaints"),
        device_taint_rules=enabled(rules.taint_rules_gate),
        consumable_capacity=enabled("DRAConsumableCapacity"),
        binding_conditions=enabled("DRADeviceBindingConditions") and enabled("DRAResourceClaimDeviceStatus"),
        extended_resource=enabled("DRAExtendedResource"),
        list_attributes=enabled("DRAListTypeAttributes"),
        fractional_capacity=enabled("DRAFractionalCapacityRange"),
        derived_attributes=enabled("DRADerivedAttributes"),
        compatibility_groups=enabled("DRADeviceCompatibilityGroups"),
        optional_node_operations=enabled("DRAOptionalNodeOperations"),
        node_allocatable=enabled("DRANodeAllocatableResources"),
        workload_claims=enabled("DRAWorkloadResourceClaims"),
        rules=rules,
        allocator=next(
            allocator.rules for allocator in rules.allocators if not any(map(enabled, allocator.lacks))
        ),
    )
