"""What pods take of cpu, memory and the like of their node by the devices of their claims (spec 05 §6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.claims import DeviceClaimProblem, unresolvable
from kschedctl.dra.devices import SliceEntry
from kschedctl.dra.node_match import NodeSelectionError
from kschedctl.dra.pod_claims import NodeFit, PodClaims
from kschedctl.dra.rules import DeviceRules
from kschedctl.objects.meta import RawQuantity
from kschedctl.objects.node import Node
from kschedctl.objects.pod import (
    NodeAllocatableClaimStatus,
    NodeAllocatableMapped,
    NodeAllocatableOverheadOfClaim,
)
from kschedctl.objects.quantity import ZERO, Quantity, parse
from kschedctl.objects.resource import (
    AllocationResult,
    Device,
    DeviceAllocationResult,
    NodeAllocatableMapping,
    NodeAllocatableOverhead,
    ResourceClaim,
)

Statuses = tuple[NodeAllocatableClaimStatus, ...]


class NodeAllocatable(Struct, frozen=True):
    """The account of what pods take of their nodes by devices.

    Attributes:
        slices: all slices, in order.
        rules: the rules of the version.
    """

    slices: tuple[SliceEntry, ...]
    rules: DeviceRules

    def sharing_problem(
        self, claims: PodClaims, node: Node, neighbours: Iterable[AdmittedPod]
    ) -> DeviceClaimProblem | None:
        """Why a pod cannot use a claim that has its devices, None where it can use all that are within reach.

        Args:
            claims: the claims of the pod.
            node: the node.
            neighbours: the pods there.
        """
        on_node = list(neighbours)
        for _, found in claims.allocated:
            if not found.reachable(node):
                continue
            text = self._sharing_text(claims, found.claim, on_node)
            if text:
                return unresolvable(f"node allocatable resource claim {found.claim.name} {text}")
        return None

    def _sharing_text(self, claims: PodClaims, claim: ResourceClaim, on_node: list[AdmittedPod]) -> str:
        pod = claims.pod
        if self.rules.mapped_claims_have_overhead:
            own = {pod.uid, *([claims.group.uid] if claims.group is not None else [])}
            consumers = {consumer.uid for consumer in claim.status.reserved_for}
            if not consumers or consumers & own or not self._is_mapped(claim):
                return ""
            return "has a mapped device and cannot be shared across pods"
        users = {other.uid for other in on_node if other.namespace == pod.namespace and _uses(other, claim)}
        if len(users) > 1:
            return "shared by multiple pods"
        return "is already used by another pod" if users - {pod.uid} else ""

    def _is_mapped(self, claim: ResourceClaim) -> bool:
        devices = (self._device(result, None) for result in _results(claim.status.allocation))
        return any(
            part.mapping is not None
            for device in devices
            if device is not None
            for part in device.node_allocatable_resources.values()
        )

    def taken(self, claims: PodClaims, fit: NodeFit, node: Node) -> Statuses | DeviceClaimProblem:
        """What a pod takes of a node by its claims, as its status is to say."""
        statuses: list[NodeAllocatableClaimStatus] = []
        users = _containers_by_claim(claims)
        for claim, allocation in self._counted(claims, fit, node):
            if not any(device is not None and _takes(device) for device in self._devices(allocation, node)):
                continue
            status = self._status(claim, allocation, node, users.get(claim.name, ()))
            if isinstance(status, DeviceClaimProblem):
                return status
            if status is not None:
                statuses.append(status)
        statuses.sort(key=lambda status: status.resource_claim_name)
        if not self.rules.mapped_claims_have_overhead:
            lonely = next((s.resource_claim_name for s in statuses if not s.containers), None)
            if lonely is not None:
                text = "node-allocatable resource claim not referenced by any container within the pod"
                return unresolvable(f"claim {lonely}: {text}")
        return tuple(statuses)

    def _counted(
        self, claims: PodClaims, fit: NodeFit, node: Node
    ) -> Iterator[tuple[ResourceClaim, AllocationResult]]:
        """The claims that count, with their devices."""
        if fit.cycle is not None and fit.solution is not None:
            yield from zip(fit.cycle.claims, fit.cycle.results(fit.solution, node), strict=True)
        had = claims.in_flight
        if self.rules.mapped_claims_have_overhead:
            had = (*had, *claims.allocated)
        for _, found in had:
            if found.claim.status.allocation is not None:
                yield found.claim, found.claim.status.allocation

    def _devices(self, allocation: AllocationResult, node: Node) -> Iterator[Device | None]:
        return (self._device(result, node) for result in _results(allocation))

    def _device(self, result: DeviceAllocationResult, node: Node | None) -> Device | None:
        """The device of a result; before 1.37 the first one of that name in any pool of that name."""
        for entry in self.slices:
            if entry.pool.name != result.pool:
                continue
            exact = self.rules.mapped_claims_have_overhead
            if exact and (entry.pool.driver != result.driver or not _is_for(entry, node)):
                continue
            found = next((device for device in entry.devices if device.name == result.device), None)
            if found is None:
                continue
            if exact and node is not None and entry.per_device and not found.matcher.matches(node):
                return None
            return found.spec
        return None

    def _status(
        self, claim: ResourceClaim, allocation: AllocationResult, node: Node, containers: tuple[str, ...]
    ) -> NodeAllocatableClaimStatus | DeviceClaimProblem | None:
        """What one claim takes, None where that is nothing at all."""
        mapped: dict[str, Quantity] = {}
        overhead: dict[str, list[NodeAllocatableOverhead]] = defaultdict(list)
        for result in _results(allocation):
            device = self._device(result, node)
            where = f"claim {claim.full_name}, device {result.device}"
            if device is None:
                driver = f" for driver {result.driver}" if self.rules.mapped_claims_have_overhead else ""
                named = f", driver {result.driver}" if self.rules.mapped_claims_have_overhead else ""
                text = f"device {result.device} not found in pool {result.pool}{driver}"
                return DeviceClaimProblem("error", f"{where}{named}: {text}")
            for name, mapping in self._mappings(device):
                if mapping.capacity_key and result.consumed_capacity is None:
                    field = "Resources" if self.rules.mapped_claims_have_overhead else "ResourceMappings"
                    key = f"Capacity key '{mapping.capacity_key}' is set in NodeAllocatable{field}"
                    text = f"ConsumedCapacity is nil, but {key} for resource {name}"
                    return DeviceClaimProblem("error", f"{where}: {text}")
                amount = _amount(mapping, result)
                if amount is not None:
                    mapped[name] = mapped.get(name, ZERO) + amount
            if self.rules.mapped_claims_have_overhead:
                for name, part in device.node_allocatable_resources.items():
                    if part.overhead is not None:
                        overhead[name].append(part.overhead)
        if not mapped and not overhead:
            return None
        amounts: dict[str, RawQuantity] = {name: str(amount) for name, amount in sorted(mapped.items())}
        if not self.rules.mapped_claims_have_overhead:
            return NodeAllocatableClaimStatus(claim.name, containers, resources=amounts)
        return NodeAllocatableClaimStatus(
            claim.name,
            containers,
            mapping=tuple(NodeAllocatableMapped(name, amount) for name, amount in amounts.items()),
            overhead=tuple(
                NodeAllocatableOverheadOfClaim(
                    name, _sum(part.per_pod for part in parts), _sum(part.per_container for part in parts)
                )
                for name, parts in sorted(overhead.items())
            ),
        )

    def _mappings(self, device: Device) -> Iterator[tuple[str, NodeAllocatableMapping]]:
        if not self.rules.mapped_claims_have_overhead:
            yield from device.node_allocatable_resource_mappings.items()
            return
        for name, part in device.node_allocatable_resources.items():
            if part.mapping is not None:
                yield name, part.mapping


def _takes(device: Device) -> bool:
    return bool(device.node_allocatable_resource_mappings or device.node_allocatable_resources)


def _amount(mapping: NodeAllocatableMapping, result: DeviceAllocationResult) -> Quantity | None:
    """How much one device is of a resource; None where its mapping does not concern what is consumed of it."""
    if not mapping.capacity_key:
        each = (
            mapping.device_multiplier
            if mapping.allocation_multiplier is None
            else mapping.allocation_multiplier
        )
        return None if each is None else parse(each)
    consumed = (result.consumed_capacity or {}).get(mapping.capacity_key)
    if consumed is None:
        return None
    factor = (
        mapping.capacity_multiplier
        if mapping.allocation_multiplier is None
        else mapping.allocation_multiplier
    )
    return parse(consumed) if factor is None else _product(parse(consumed), parse(factor))


def _product(one: Quantity, other: Quantity) -> Quantity:
    return parse(f"{one.mantissa * other.mantissa}e{one.exponent + other.exponent}")


def _sum(amounts: Iterable[RawQuantity | None]) -> RawQuantity | None:
    given = [parse(amount) for amount in amounts if amount is not None]
    return str(sum(given[1:], given[0])) if given else None


def _uses(pod: AdmittedPod, claim: ResourceClaim) -> bool:
    statuses = pod.status.node_allocatable_resource_claim_statuses
    return any(status.resource_claim_name == claim.name for status in statuses)


def _is_for(entry: SliceEntry, node: Node | None) -> bool:
    if node is None or entry.per_device:
        return True
    try:
        return entry.matcher.matches(node)
    except NodeSelectionError:
        return False


def _results(allocation: AllocationResult | None) -> tuple[DeviceAllocationResult, ...]:
    return () if allocation is None else allocation.devices.results


def _containers_by_claim(claims: PodClaims) -> Mapping[str, tuple[str, ...]]:
    """Claim -> the containers that use it, those first that run first."""
    pod = claims.pod
    generated = {s.name: s.resource_claim_name for s in pod.status.resource_claim_statuses}
    claim_of = {e.name: e.resource_claim_name or generated.get(e.name) for e in pod.spec.resource_claims}
    users: dict[str, tuple[str, ...]] = {}
    for container in (*pod.spec.init_containers, *pod.spec.containers):
        for entry in container.resources.claims:
            name = claim_of.get(entry.name)
            if name is not None:
                users[name] = (*users.get(name, ()), container.name)
    return users
