"""The allocation that a claim gets from the devices found for it (spec 05 §4.11)."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.dra.attempt import DevicePlacement
from kschedctl.dra.capacity import nano_text
from kschedctl.dra.devices import DeviceEntry, SliceEntry
from kschedctl.dra.errors import AllocationError
from kschedctl.dra.node_match import only_node
from kschedctl.dra.pools import PoolView
from kschedctl.dra.rules import AllocatorRules
from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, RawQuantity
from kschedctl.objects.node import Node
from kschedctl.objects.resource import (
    AllocationResult,
    DeviceAllocation,
    DeviceAllocationResult,
    ResourceClaim,
)


def allocation(
    claim: ResourceClaim,
    placements: Sequence[DevicePlacement],
    pools: Sequence[PoolView],
    node: Node,
    rules: AllocatorRules,
) -> AllocationResult:
    """The allocation of one claim.

    Raises:
        AllocationError: a slice has a node selector that cannot be merged.
    """
    found = [pools[pool].devices[place] for pool, place in (p.place for p in placements)]
    selector = node_selector(claim, found, node, rules)
    results = tuple(
        _result(claim, placement, number, entry, device, rules)
        for number, (placement, (entry, device)) in enumerate(zip(placements, found, strict=True))
    )
    return AllocationResult(devices=DeviceAllocation(results=results), node_selector=selector)


def node_selector(
    claim: ResourceClaim, devices: Sequence[tuple[SliceEntry, DeviceEntry]], node: Node, rules: AllocatorRules
) -> NodeSelector | None:
    """From where these devices can be used: one node, the nodes of all their selectors, or everywhere (None).

    Raises:
        AllocationError: a slice has a node selector with several terms.
    """
    expressions: dict[object, NodeSelectorRequirement] = {}
    fields: dict[object, NodeSelectorRequirement] = {}
    for entry, device in devices:
        where = device.spec if entry.per_device else entry.spec.spec
        if where.node_name or (device.spec.binds_to_node and rules.devices_bind_to_nodes):
            return only_node(node.name)
        if where.node_selector is None:
            continue
        terms = where.node_selector.node_selector_terms
        if len(terms) != 1:
            text = f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
            raise AllocationError(f"create NodeSelector for claim {claim.name}: {text}")
        _merge(expressions, terms[0].match_expressions)
        _merge(fields, terms[0].match_fields)
    if not expressions and not fields:
        return None
    term = NodeSelectorTerm(
        match_expressions=tuple(expressions.values()), match_fields=tuple(fields.values())
    )
    return NodeSelector(node_selector_terms=(term,))


def _merge(
    into: dict[object, NodeSelectorRequirement], requirements: Sequence[NodeSelectorRequirement]
) -> None:
    for requirement in requirements:
        into.setdefault((requirement.key, requirement.operator, frozenset(requirement.values)), requirement)


def _result(
    claim: ResourceClaim,
    placement: DevicePlacement,
    number: int,
    entry: SliceEntry,
    device: DeviceEntry,
    rules: AllocatorRules,
) -> DeviceAllocationResult:
    shared = placement.consumed is not None
    consumed: dict[str, RawQuantity] = {
        name: nano_text(amount) for name, amount in (placement.consumed or {}).items()
    }
    return DeviceAllocationResult(
        request=placement.ask.result_name,
        driver=entry.pool.driver,
        pool=entry.pool.name,
        device=device.name,
        admin_access=placement.ask.admin,
        tolerations=placement.ask.tolerations,
        binding_conditions=device.spec.binding_conditions,
        binding_failure_conditions=device.spec.binding_failure_conditions,
        share_id=f"{claim.metadata.uid or claim.full_name}/{number}" if shared else None,
        consumed_capacity=consumed if shared and consumed else None,
        skip_node_operations=entry.spec.spec.skip_node_operations if rules.looks_at_node_operations else (),
    )
