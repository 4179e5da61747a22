"""Dynamic resources: claims, their templates, device classes, and the slices that offer devices."""

from __future__ import annotations

from msgspec import field

from kschedctl.objects.constraints import Toleration
from kschedctl.objects.meta import (
    Condition,
    Int64,
    KubeObject,
    NodeSelector,
    ObjectMeta,
    RawQuantity,
    TopLevel,
)


class CelSelector(KubeObject, frozen=True):
    """A selector in the Common Expression Language."""

    expression: str = ""


class DeviceSelector(KubeObject, frozen=True):
    """One selector of a request or a class; `cel` is the only kind there is."""

    cel: CelSelector | None = None


class OpaqueConfiguration(KubeObject, frozen=True):
    """Parameters that only the driver understands; they never influence a decision."""

    driver: str = ""


class DeviceConfiguration(KubeObject, frozen=True):
    """Parameters for the devices of some requests of a claim, or of a class."""

    requests: tuple[str, ...] = ()
    opaque: OpaqueConfiguration | None = None


class DeviceClassSpec(KubeObject, frozen=True):
    """`spec` of a DeviceClass."""

    selectors: tuple[DeviceSelector, ...] = ()
    config: tuple[DeviceConfiguration, ...] = ()
    extended_resource_name: str | None = None


class DeviceClass(TopLevel, frozen=True):
    """resource.k8s.io DeviceClass."""

    spec: DeviceClassSpec = DeviceClassSpec()


class CapacityRequirements(KubeObject, frozen=True):
    """How much of the capacities of a device a request consumes."""

    requests: dict[str, RawQuantity] = {}


class DerivedAttribute(KubeObject, frozen=True):
    """An attribute that a request computes of a device, for constraints."""

    name: str = ""
    expression: str = ""


class ExactDeviceRequest(KubeObject, frozen=True):
    """Devices of one class. An empty mode means ExactCount, a count of 0 means 1."""

    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = ""
    count: Int64 = 0
    admin_access: bool | None = None
    tolerations: tuple[Toleration, ...] = ()
    capacity: CapacityRequirements | None = None
    derived_attributes: tuple[DerivedAttribute, ...] = ()


class DeviceSubRequest(KubeObject, frozen=True):
    """One alternative of `firstAvailable`."""

    name: str = ""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = ""
    count: Int64 = 0
    tolerations: tuple[Toleration, ...] = ()
    capacity: CapacityRequirements | None = None
    derived_attributes: tuple[DerivedAttribute, ...] = ()


class DeviceRequest(KubeObject, frozen=True):
    """One request of a claim: devices of one class, or the first of some alternatives that can be had."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: tuple[DeviceSubRequest, ...] = ()


class DeviceConstraint(KubeObject, frozen=True):
    """What the devices of some requests (none named: of all) must have in common, or must not."""

    requests: tuple[str, ...] = ()
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class DeviceClaim(KubeObject, frozen=True):
    """`spec.devices` of a claim."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    config: tuple[DeviceConfiguration, ...] = ()


class ResourceClaimSpec(KubeObject, frozen=True):
    """`spec` of a claim."""

    devices: DeviceClaim = DeviceClaim()


class DeviceAllocationResult(KubeObject, frozen=True):
    """One allocated device; `request` is `request` or `request/subrequest`."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool = False
    tolerations: tuple[Toleration, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    share_id: str | None = field(default=None, name="shareID")
    consumed_capacity: dict[str, RawQuantity] | None = None
    skip_node_operations: tuple[str, ...] = ()


class DeviceAllocation(KubeObject, frozen=True):
    """`status.allocation.devices`."""

    results: tuple[DeviceAllocationResult, ...] = ()


class AllocationResult(KubeObject, frozen=True):
    """What a claim got, and from which nodes it can be used (no selector: from all)."""

    devices: DeviceAllocation = DeviceAllocation()
    node_selector: NodeSelector | None = None
    allocation_timestamp: str | None = None


class ResourceClaimConsumer(KubeObject, frozen=True):
    """An entry of `status.reservedFor`."""

    api_group: str = ""
    resource: str = ""
    name: str = ""
    uid: str = ""


class AllocatedDeviceStatus(KubeObject, frozen=True):
    """What the driver says of an allocated device."""

    driver: str = ""
    pool: str = ""
    device: str = ""
    share_id: str | None = field(default=None, name="shareID")
    conditions: tuple[Condition, ...] = ()


class ResourceClaimStatus(KubeObject, frozen=True):
    """`status` of a claim."""

    allocation: AllocationResult | None = None
    reserved_for: tuple[ResourceClaimConsumer, ...] = ()
    devices: tuple[AllocatedDeviceStatus, ...] = ()


class ResourceClaim(TopLevel, frozen=True):
    """resource.k8s.io ResourceClaim."""

    spec: ResourceClaimSpec = ResourceClaimSpec()
    status: ResourceClaimStatus = ResourceClaimStatus()


class ResourceClaimTemplateSpec(KubeObject, frozen=True):
    """The claim that is made for each pod."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()


class ResourceClaimTemplate(TopLevel, frozen=True):
    """resource.k8s.io ResourceClaimTemplate."""

    spec: ResourceClaimTemplateSpec = ResourceClaimTemplateSpec()


class ResourcePool(KubeObject, frozen=True):
    """The pool that a slice is a part of; the highest generation is the current one."""

    name: str = ""
    generation: Int64 = 0
    resource_slice_count: Int64 = 0


class DeviceAttribute(KubeObject, frozen=True):
    """A value of exactly one type; the lists are alpha."""

    int_value: Int64 | None = field(default=None, name="int")
    bool_value: bool | None = field(default=None, name="bool")
    string_value: str | None = field(default=None, name="string")
    version_value: str | None = field(default=None, name="version")
    int_values: tuple[Int64, ...] | None = field(default=None, name="ints")
    bool_values: tuple[bool, ...] | None = field(default=None, name="bools")
    string_values: tuple[str, ...] | None = field(default=None, name="strings")
    version_values: tuple[str, ...] | None = field(default=None, name="versions")


class CapacityRequestPolicyRange(KubeObject, frozen=True):
    """Amounts from `min` to `max`, in steps."""

    min: RawQuantity | None = None
    max: RawQuantity | None = None
    step: RawQuantity | None = None


class CapacityRequestPolicy(KubeObject, frozen=True):
    """How a request of a capacity is rounded up, and which amounts are valid."""

    default: RawQuantity | None = None
    valid_values: tuple[RawQuantity, ...] = ()
    valid_range: CapacityRequestPolicyRange | None = None


class DeviceCapacity(KubeObject, frozen=True):
    """A capacity of a device."""

    value: RawQuantity = "0"
    request_policy: CapacityRequestPolicy | None = None


class Counter(KubeObject, frozen=True):
    """An amount of something that devices share."""

    value: RawQuantity = "0"


class CounterSet(KubeObject, frozen=True):
    """Counters that the devices of a pool share."""

    name: str = ""
    counters: dict[str, Counter] = {}


class DeviceCounterConsumption(KubeObject, frozen=True):
    """What a device takes from a counter set while it is allocated."""

    counter_set: str = ""
    counters: dict[str, Counter] = {}
    compatibility_groups: tuple[str, ...] = ()


class DeviceTaint(KubeObject, frozen=True):
    """A taint of a device."""

    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """The way kubectl prints it: `key=value:Effect`."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class NodeAllocatableMapping(KubeObject, frozen=True):
    """How much of a node resource a device is: per unit of a capacity that is consumed, or per device."""

    capacity_key: str | None = None
    allocation_multiplier: RawQuantity | None = None
    """Of either kind, in 1.36; the other two are those of 1.37."""
    capacity_multiplier: RawQuantity | None = None
    device_multiplier: RawQuantity | None = None


class NodeAllocatableOverhead(KubeObject, frozen=True):
    """How much of a node resource a device takes beside what it is."""

    per_pod: RawQuantity | None = None
    per_container: RawQuantity | None = None


class NodeAllocatableResource(KubeObject, frozen=True):
    """What a device takes of one resource of its node."""

    mapping: NodeAllocatableMapping | None = None
    overhead: NodeAllocatableOverhead | None = None


class Device(KubeObject, frozen=True):
    """One device of a slice."""

    name: str = ""
    attributes: dict[str, DeviceAttribute] = {}
    capacity: dict[str, DeviceCapacity] = {}
    consumes_counters: tuple[DeviceCounterConsumption, ...] = ()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    taints: tuple[DeviceTaint, ...] = ()
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    allow_multiple_allocations: bool = False
    node_allocatable_resource_mappings: dict[str, NodeAllocatableMapping] = {}
    node_allocatable_resources: dict[str, NodeAllocatableResource] = {}
    """The same in 1.37."""


class ResourceSliceSpec(KubeObject, frozen=True):
    """`spec` of a slice: devices or shared counters, and the nodes they belong to."""

    driver: str = ""
    pool: ResourcePool = ResourcePool()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: tuple[Device, ...] = ()
    shared_counters: tuple[CounterSet, ...] = ()
    skip_node_operations: tuple[str, ...] = ()


class ResourceSlice(TopLevel, frozen=True):
    """resource.k8s.io ResourceSlice."""

    spec: ResourceSliceSpec = ResourceSliceSpec()


class DeviceTaintSelector(KubeObject, frozen=True):
    """Which devices a rule taints; a field that is not set matches all."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None


class DeviceTaintRuleSpec(KubeObject, frozen=True):
    """`spec` of a rule."""

    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint = DeviceTaint()


class DeviceTaintRule(TopLevel, frozen=True):
    """resource.k8s.io DeviceTaintRule."""

    spec: DeviceTaintRuleSpec = DeviceTaintRuleSpec()
