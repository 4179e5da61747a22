"""Rules of dynamic resource allocation that are not the same in all versions, each by a name (spec 05 §10, 06 §5).

Values are given where the versions are; here is what they mean.
"""

from __future__ import annotations

from enum import Enum, auto

from msgspec import Struct

from kschedctl.objects.fault import Fault


class CounterScope(Enum):
    """What the books of shared counters are kept for."""

    SLICE = auto()
    """Counter sets stand beside the devices that take from them, in one slice."""
    POOL_NAME = auto()
    """Pools of one name share a book, whatever their drivers are."""
    POOL = auto()


class SharedUse(Enum):
    """When a device that several claims share has taken its counters already, so that they are not looked at."""

    NEVER = auto()
    BY_CAPACITY = auto()
    """Once a share has consumed capacity of it."""
    BY_SHARE = auto()
    """Once it has a share, whether or not that consumes anything."""


class DistinctValues(Enum):
    """What the constraint distinctAttribute compares a new device with."""

    UNSUPPORTED = auto()
    NOTHING = auto()
    """The attribute must be there, and that is all."""
    LAST_OF_EACH_REQUEST = auto()
    EVERY_DEVICE = auto()


class CapacityRefusal(Enum):
    """How a request of capacity is refused while consumable capacity is switched off."""

    IGNORED = auto()
    BY_REQUEST = auto()
    BY_ALTERNATIVE = auto()
    """The text names the alternative that asks for capacity."""


class AllocatorRules(Struct, frozen=True, kw_only=True):
    """How one implementation of the allocator looks at pools, searches, and words its errors."""

    sees_whole_pools: bool
    """Slices for other nodes count where a pool is checked for being whole."""
    uses_incomplete_pools: bool
    """Devices are allocated from pools that are not whole, except to requests for all devices."""
    invalid_pools_are_fatal: bool
    """A request that meets a pool which contradicts itself ends the scheduling of the pod."""
    slices_go_by_name: bool
    """Slices of a whole pool are tried by name; else in the order in which they are listed."""
    conditional_slices_last: bool
    """Within a pool, slices with binding conditions are tried last."""
    counter_scope: CounterScope
    counters_reach_every_node: bool
    """Slices with counters belong to their pools on all nodes, whichever nodes they are for."""
    shared_devices_hold_counters: bool
    """A device of which other claims have shares has taken its counters."""
    shared_use: SharedUse
    search_goes_on: bool
    """The next device of a request is sought behind the one before; else from the first device on."""
    alternatives_are_mixed_up: bool
    """A later alternative that wants all devices is continued, and its devices chosen, by data of an earlier one."""
    refusals_leave_no_trace: bool
    """What a device took is given back where it is refused in the end, and shared ones give back their counters."""
    every_taint_blocks: bool
    """Taints of any effect keep requests off a device, not only NoSchedule and NoExecute."""
    distinct_values: DistinctValues
    selectors_see_sharing: bool
    """Selectors read whether a device allows multiple allocations; else none does."""
    selectors_see_lists: bool
    """Selectors read attributes that are lists while DRAListTypeAttributes is off, too."""
    lists_are_sets: bool
    """Constraints compare attributes that are lists by the values that they have in common."""
    capacity_refusal: CapacityRefusal
    devices_bind_to_nodes: bool
    """`bindsToNode` of a device restricts its allocation to the node."""
    all_counts_used_up_devices: bool
    """A request for all devices wants those too whose capacity others have consumed."""
    capacity_is_of_the_nth_device: bool
    """The n-th device of a request needs the capacity on itself and, once more, on the n-th device of its slice."""
    capacity_is_checked: bool
    """Amounts of capacity that cannot be calculated with end the scheduling of the pod."""
    limit_names_the_request: bool
    """The error about too many devices names the request that exceeds the limit."""
    selector_errors_name_the_device: bool
    looks_at_node_operations: bool
    """Devices whose driver need not act on the node are for nodes alone that declare to know such devices."""


class AllocatorImplementation(Struct, frozen=True, kw_only=True):
    """An implementation of the allocator, and what it cannot do.

    Attributes:
        lacks: feature gates of which none may be on where this implementation is to be taken.
        rules: how it decides.
    """

    lacks: frozenset[str]
    rules: AllocatorRules


class ExtendedResourceRules(Struct, frozen=True, kw_only=True):
    """How devices stand in for extended resources."""

    scores_count_devices: bool
    """Scores by allocatable amounts count the devices of a node that has none of the resource by itself."""
    implicit_names: bool
    """A pod can ask for a class by the resource name that every class has."""
    explicit_name_is_the_only_one: bool
    """A class that names its resource has no implicit name beside it."""
    an_entry_is_an_offer: bool
    """A node whose allocatable has an entry for a resource offers it by itself, even where the amount is 0."""
    own_offers_are_requested: bool
    """Beside others, devices are requested also for what a node offers by itself."""
    scalars_pass_where_none_is_extended: bool
    """NodeResourcesFit passes nodes without an entry for a resource, for pods that ask for no extended one."""
    containers_share: bool
    """Init containers that end use the devices of the containers that come after them."""


class DeviceRules(Struct, frozen=True, kw_only=True):
    """All rules of dynamic resource allocation of one version."""

    allocators: tuple[AllocatorImplementation, ...]
    """In the order in which one is sought that can do what is switched on."""
    extended: ExtendedResourceRules
    results_are_paired_by_position: Fault | None
    """Scores pair the claims of a pod with the results for those that have no devices yet; None: as they belong."""
    scores_ask_the_gate: bool
    """Nothing is scored while DRAPrioritizedList is off."""
    owner_is_capitalised: bool
    """How the text about a claim of another pod is written."""
    taint_rules_gate: str
    """The feature gate that lets DeviceTaintRules taint devices."""
    mapped_claims_have_overhead: bool
    """Devices take resources of their node also beside what they are, pods share claims whose devices only do that,
    claims count that had their devices before, and limits of the pod must cover it; else one pod has such a claim."""
    alpha_fields_exist: bool
    """Requests can derive attributes, devices have compatibility groups, and slices node operations that are left out,
    whether or not the gates of these are on."""
    rule_needs_a_selector: bool
    """A DeviceTaintRule without deviceSelector selects no device; else every one."""
