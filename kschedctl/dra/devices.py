"""Devices and slices, with quantities and selectors parsed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.dra.features import Features
from kschedctl.dra.node_match import NodeMatcher, matcher
from kschedctl.errors import InputError
from kschedctl.objects.meta import RawQuantity
from kschedctl.objects.node import Node
from kschedctl.objects.quantity import Quantity, QuantityError, parse
from kschedctl.objects.resource import (
    CapacityRequestPolicy,
    Device,
    DeviceAttribute,
    DeviceTaint,
    DeviceTaintRule,
    ResourceSlice,
)


class PoolId(NamedTuple):
    """A pool of a driver, printed the way the scheduler prints it."""

    driver: str
    name: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


class DeviceId(NamedTuple):
    """A device: the names are all that identifies it, no slice need list it."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class DeviceFacts(Struct, frozen=True, eq=False):
    """What a selector can read of a device; equal devices share one object, so that it can key a cache."""

    driver: str
    attributes: Mapping[str, DeviceAttribute]
    capacity: Mapping[str, Quantity]
    allow_multiple_allocations: bool


class CapacityRange(Struct, frozen=True):
    """Amounts from `min` to `max` in steps, in nano units."""

    min: int | None
    max: int | None
    step: int | None


class CapacityPolicy(Struct, frozen=True):
    """How requests of a capacity are rounded, and which amounts are valid, in nano units."""

    default: int | None = None
    values: tuple[int, ...] = ()
    range: CapacityRange | None = None


class CapacityOffer(Struct, frozen=True, eq=False):
    """One capacity of a device and how requests of it are rounded."""

    name: str
    value: Quantity
    policy: CapacityPolicy


class DeviceEntry(Struct, frozen=True, eq=False):
    """A device in its slice."""

    name: str
    spec: Device
    facts: DeviceFacts
    capacity: tuple[CapacityOffer, ...]
    counters: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """`(counter set, ((counter, nano units), ...))` that the device takes while it is allocated."""
    groups: Mapping[str, frozenset[str]]
    """Counter set -> compatibility groups of the device there, none where there are none."""
    taints: tuple[DeviceTaint, ...]
    content: int
    """Equal for devices that differ in nothing but the name."""
    rest: int
    """Equal for devices that differ in nothing but the name and the attributes."""
    multi: bool
    """Whether several claims can share it."""
    matcher: NodeMatcher
    """The nodes that the device serves, where its slice leaves that to the devices."""


class SliceEntry(Struct, frozen=True, eq=False):
    """A slice with its devices."""

    name: str
    spec: ResourceSlice
    pool: PoolId
    generation: int
    count: int
    """How many slices the pool has, by its own account."""
    devices: tuple[DeviceEntry, ...]
    counter_sets: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    matcher: NodeMatcher
    frame: int
    """Equal for slices that differ in nothing but their names, the name of their node, and their devices."""

    @property
    def has_groups(self) -> bool:
        """Whether a device belongs to compatibility groups."""
        return any(any(device.groups.values()) for device in self.devices)

    @property
    def skips_node_operations(self) -> bool:
        """Whether the driver leaves out what drivers do on the node."""
        return bool(self.spec.spec.skip_node_operations)

    @property
    def per_device(self) -> bool:
        """Whether each device says for itself which nodes it serves."""
        return self.spec.spec.per_device_node_selection is True

    def serves(self, node: Node) -> bool:
        """Whether the slice, or one of its devices, is for this node (spec 05 §4.1).

        Raises:
            NodeSelectionError: a node selector is bad.
        """
        if self.matcher.matches(node):
            return True
        return self.per_device and any(device.matcher.matches(node) for device in self.devices)


class Interner(Struct):
    """Small numbers for equal contents."""

    _numbers: dict[object, int] = field(default_factory=dict)

    def number(self, content: object) -> int:
        """The number of a content, the same for equal ones."""
        return self._numbers.setdefault(content, len(self._numbers))


class SliceCompiler(Struct):
    """Turns slices into entries; equal devices share their facts and their content number."""

    features: Features
    rules: tuple[DeviceTaintRule, ...] = ()
    _facts: dict[bytes, DeviceFacts] = field(default_factory=dict)
    _contents: Interner = field(default_factory=Interner)

    def compile(self, item: ResourceSlice) -> SliceEntry:
        """One slice.

        Raises:
            InputError: an amount is no quantity.
        """
        try:
            return self._slice(item)
        except QuantityError as error:
            raise InputError(f"ResourceSlice {item.name}: {error}") from error

    def _slice(self, item: ResourceSlice) -> SliceEntry:
        spec = item.spec
        pool = PoolId(spec.driver, spec.pool.name)
        devices = tuple(self._device(pool, device) for device in spec.devices)
        sets = tuple(
            (counter_set.name, tuple((n, parse(c.value).nano) for n, c in counter_set.counters.items()))
            for counter_set in spec.shared_counters
        )
        where = (spec.node_name is not None, _encode(spec.node_selector), spec.per_device_node_selection)
        content = (spec.driver, where, bool(spec.skip_node_operations))
        return SliceEntry(
            name=item.name,
            spec=item,
            pool=pool,
            generation=spec.pool.generation,
            count=spec.pool.resource_slice_count,
            devices=devices,
            counter_sets=sets,
            matcher=matcher(spec.node_name, spec.all_nodes, spec.node_selector),
            frame=self._contents.number(content),
        )

    def _device(self, pool: PoolId, device: Device) -> DeviceEntry:
        taints = device.taints + tuple(self._rule_taints(pool, device.name))
        nameless = replace(device, name="", taints=taints)
        return DeviceEntry(
            name=device.name,
            spec=device,
            facts=self._shared_facts(pool.driver, device),
            capacity=tuple(
                CapacityOffer(name, parse(c.value), _policy(c.request_policy))
                for name, c in device.capacity.items()
            ),
            counters=tuple(
                (use.counter_set, tuple((n, parse(c.value).nano) for n, c in use.counters.items()))
                for use in device.consumes_counters
            ),
            groups={use.counter_set: frozenset(use.compatibility_groups) for use in device.consumes_counters},
            taints=taints,
            content=self._contents.number((pool.driver, _encode(nameless))),
            rest=self._contents.number((pool.driver, _encode(replace(nameless, attributes={})))),
            multi=device.allow_multiple_allocations and self.features.consumable_capacity,
            matcher=matcher(device.node_name, device.all_nodes, device.node_selector),
        )

    def _shared_facts(self, driver: str, device: Device) -> DeviceFacts:
        sharing = device.allow_multiple_allocations and self.features.allocator.selectors_see_sharing
        key = _encode([driver, device.attributes, device.capacity, sharing])
        facts = self._facts.get(key)
        if facts is None:
            capacity = {name: parse(c.value) for name, c in device.capacity.items()}
            facts = DeviceFacts(driver, device.attributes, capacity, sharing)
            self._facts[key] = facts
        return facts

    def _rule_taints(self, pool: PoolId, device: str) -> Iterable[DeviceTaint]:
        if not self.features.device_taint_rules:
            return
        for rule in self.rules:
            selector = rule.spec.device_selector
            if selector is None:
                if not self.features.rules.rule_needs_a_selector:
                    yield rule.spec.taint
            elif (
                selector.driver in (None, pool.driver)
                and selector.pool in (None, pool.name)
                and selector.device in (None, device)
            ):
                yield rule.spec.taint


def _policy(policy: CapacityRequestPolicy | None) -> CapacityPolicy:
    if policy is None:
        return CapacityPolicy()
    valid = policy.valid_range
    return CapacityPolicy(
        _nano(policy.default),
        tuple(parse(value).nano for value in policy.valid_values),
        None if valid is None else CapacityRange(_nano(valid.min), _nano(valid.max), _nano(valid.step)),
    )


def _nano(raw: RawQuantity | None) -> int | None:
    return None if raw is None else parse(raw).nano


def _encode(value: object) -> bytes:
    return msgspec.json.encode(value)
