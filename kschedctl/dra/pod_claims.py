"""The answers of dynamic resource allocation at each step of a scheduling cycle (spec 05 §3).

They are given in terms of claims and devices; the plugin translates them into statuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.allocator import AllocationCycle, AllocatorFailure, NoSolution, Solution
from kschedctl.dra.binding import Readiness, readiness, timed_out
from kschedctl.dra.claims import DeviceClaimProblem, resolve, unresolvable
from kschedctl.dra.extended import (
    extended_resources,
    find_special,
    served_by_devices,
    wants_devices,
    with_requests,
)
from kschedctl.dra.group_claims import GroupClaims
from kschedctl.dra.ledger import ClaimLedger
from kschedctl.dra.node_operations import FEATURE, declares_optional_operations, needs_optional_operations
from kschedctl.dra.rules import DeviceRules
from kschedctl.objects.node import Node
from kschedctl.objects.resource import AllocationResult, ResourceClaim
from kschedctl.objects.selectors import NodeTerm, SelectorError, parse_node_selector

CANNOT_ALLOCATE = "cannot allocate all claims"
INVALID_POOLS = "invalid resource pools were encountered"
NOT_AVAILABLE = "resourceclaim not available on the node"
CANNOT_SCHEDULE_SPECIAL = "cannot schedule extended resource claim"
NOT_FOUND = "claim allocation not found for node"

BINDING_TIMEOUT = 600 * 10**9
"""The default, in nanoseconds."""


class AllocatedClaim(Struct, frozen=True):
    """A claim that has its devices, and from where they can be used."""

    claim: ResourceClaim
    terms: tuple[NodeTerm, ...] | None
    """None: from everywhere."""

    needs_optional_operations: bool = False
    """Whether the devices are for nodes alone that declare DRAOptionalNodeOperations."""

    def reachable(self, node: Node) -> bool:
        """Whether the devices can be used from a node."""
        if self.needs_optional_operations and not declares_optional_operations(node):
            return False
        if self.terms is None:
            return True
        return any(term.matches(node.metadata.labels, node.name) for term in self.terms)


class Special(Struct, frozen=True):
    """The claim for extended resources and what the pod requests of them, device-backed or not."""

    claim: ResourceClaim
    requests: Mapping[str, int]

    @property
    def left_over(self) -> bool:
        """Whether it stems from an earlier cycle: it must go before the pod can be placed."""
        return bool(self.claim.spec.devices.requests)


class PodClaims(Struct):
    """The claims of a pod, for one cycle."""

    pod: AdmittedPod
    allocated: tuple[tuple[int, AllocatedClaim], ...]
    """Position among the claims of the pod, claim."""
    pending: tuple[ResourceClaim, ...]
    special: Special | None
    group: GroupClaims | None = None
    """The group with which the pod shares claims."""
    shared: frozenset[int] = frozenset()
    """Positions of the claims that belong to the group."""
    in_flight: tuple[tuple[int, AllocatedClaim], ...] = ()
    """Claims for which another pod of the same cycle found devices: position, claim."""
    unallocated: tuple[tuple[int, ResourceClaim], ...] = ()
    """Claims that have no devices by the API, those in flight included: position, claim."""
    cycles: dict[frozenset[str], AllocationCycle] = field(default_factory=dict)
    """By the extended resources that devices must provide on a node."""


class NodeFit(Struct, frozen=True):
    """A node can serve the claims."""

    cycle: AllocationCycle | None = None
    solution: Solution | None = None
    """Devices for the claims that have none yet; None where there are no such claims."""
    special: ResourceClaim | None = None
    """The special claim with its requests, the last claim of the solution."""


class NodeMisfit(Struct, frozen=True):
    """A node cannot serve the claims, or the pod cannot be placed at all."""

    problem: DeviceClaimProblem
    unavailable: tuple[int, ...] = ()
    """Positions of the allocated claims whose devices are elsewhere; PostFilter may free them."""
    cycle: AllocationCycle | None = None
    """The allocation that failed, None where none was tried."""
    fit: NodeFit | None = None
    """What was found for the claims that had no devices, where the others are what the node cannot serve."""


NodeAnswer = NodeFit | NodeMisfit


def pre_filter(
    pod: AdmittedPod,
    requests: Mapping[str, int],
    ledger: ClaimLedger,
    group: GroupClaims | None = None,
    *,
    in_flight_anywhere: bool = False,
) -> PodClaims | DeviceClaimProblem | None:
    """The claims of a pod, what keeps it from being placed anywhere, or None where it has none.

    Args:
        pod: the pod.
        requests: its effective requests, resource -> whole units.
        ledger: the claims of the cluster.
        group: the group of the pod, where groups have claims.
        in_flight_anywhere: devices found by another pod of the cycle do not confine this one to where they are.
    """
    claims = resolve(pod, ledger.find, ledger.features.rules, () if group is None else (group.uid,))
    if isinstance(claims, DeviceClaimProblem):
        return claims
    special = None
    extended = extended_resources(requests, ledger.features.extended)
    if ledger.features.extended_resource and wants_devices(extended, ledger.classes):
        special = Special(find_special(pod, ledger.claims_of(pod)), extended)
    if not claims and special is None:
        return None
    allocated: list[tuple[int, AllocatedClaim]] = []
    in_flight: list[tuple[int, AllocatedClaim]] = []
    for i, claim in enumerate(claims):
        found = _look_at(claim, ledger)
        if isinstance(found, DeviceClaimProblem):
            return found
        if found is not None:
            under_way = (claim.namespace, claim.name) in ledger.in_flight
            if under_way and in_flight_anywhere:
                found = replace(found, terms=None)
            (in_flight if under_way else allocated).append((i, found))
    known = {i for i, _ in allocated}
    return PodClaims(
        pod,
        tuple(allocated),
        tuple(claim for claim in claims if claim.status.allocation is None),
        special,
        group=group,
        shared=_shared(pod, group),
        in_flight=tuple(in_flight),
        unallocated=tuple((i, claim) for i, claim in enumerate(claims) if i not in known),
    )


def _shared(pod: AdmittedPod, group: GroupClaims | None) -> frozenset[int]:
    """Positions of the claims that belong to the group."""
    if group is None:
        return frozenset()
    return frozenset(i for i, entry in enumerate(pod.spec.resource_claims) if group.has(entry))


def filter_node(
    claims: PodClaims,
    node: Node,
    allocatable: Mapping[str, int],
    ledger: ClaimLedger,
    *,
    now: int | None = None,
    binding_timeout: int = BINDING_TIMEOUT,
) -> NodeAnswer:
    """Whether a node can serve the claims.

    Args:
        claims: from `pre_filter`.
        node: the node.
        allocatable: what it offers by itself, resource -> whole units.
        ledger: the claims of the cluster.
        now: the time in nanoseconds since 1970, None where it is not known: then nothing times out.
        binding_timeout: how long a device may take to get ready, in nanoseconds.

    Raises:
        UnsupportedError: the answer needs something that is not there.
    """
    served = _served(claims.special, allocatable, ledger)
    if isinstance(served, DeviceClaimProblem):
        return NodeMisfit(served)
    if not served and not claims.pending and not claims.allocated and not claims.in_flight:
        return NodeFit()
    unavailable = tuple(
        i
        for i, claim in claims.allocated
        if not claim.reachable(node) or not _usable(claim.claim, ledger, now, binding_timeout)
    )
    for _, claim in claims.in_flight:
        if claim.needs_optional_operations and not declares_optional_operations(node):
            text = f"resource claim {claim.claim.full_name} allocation requires {FEATURE} feature on the node"
            return NodeMisfit(unresolvable(text))
    answer = _allocate(claims, node, served, ledger)
    away = any(not claim.reachable(node) for _, claim in claims.in_flight)
    if isinstance(answer, NodeFit) and (unavailable or away):
        return NodeMisfit(unresolvable(NOT_AVAILABLE), unavailable, fit=answer)
    return answer


def allocation_cycle(
    claims: PodClaims, allocatable: Mapping[str, int], ledger: ClaimLedger
) -> AllocationCycle | None:
    """The allocation that decides on nodes which offer this; None where none is needed or the node is out."""
    served = _served(claims.special, allocatable, ledger)
    if isinstance(served, DeviceClaimProblem) or not (served or claims.pending):
        return None
    return _cycle(claims, served, ledger)


def score(claims: PodClaims, fit: NodeFit, rules: DeviceRules) -> int | DeviceClaimProblem:
    """The raw score of a node: the earlier the alternatives that were chosen, the higher (spec 06 §5.3).

    An error where rules pair claims with results by position and run out of results.
    """
    if fit.cycle is None or fit.solution is None:
        return 0
    found = [[placement.ask.result_name for placement in placed] for placed in fit.solution.placements]
    new = fit.cycle.claims
    allocated = [claim.claim for _, claim in claims.allocated]
    if rules.results_are_paired_by_position is None:
        had = [_result_names(claim.status.allocation) for claim in allocated]
        pairs = zip((*allocated, *new), (*had, *found), strict=True)
    elif allocated:
        text = f"number of allocations {len(found)} is smaller than number of claims"
        return DeviceClaimProblem("error", text, rules.results_are_paired_by_position)
    else:
        pairs = zip(new, found, strict=True)
    return sum(_preference(claim, frozenset(names)) for claim, names in pairs)


def _served(
    special: Special | None, allocatable: Mapping[str, int], ledger: ClaimLedger
) -> frozenset[str] | DeviceClaimProblem:
    """The extended resources that must come from devices on a node."""
    if special is None:
        return frozenset()
    if special.left_over:
        return unresolvable(CANNOT_SCHEDULE_SPECIAL)
    return served_by_devices(special.requests, allocatable, ledger.classes, ledger.features.extended)


def _look_at(claim: ResourceClaim, ledger: ClaimLedger) -> AllocatedClaim | DeviceClaimProblem | None:
    """An allocated claim, or what is wrong with one that is not."""
    allocation = claim.status.allocation
    if allocation is None:
        return _request_problem(claim, ledger)
    optional = ledger.features.rules.alpha_fields_exist and needs_optional_operations(allocation)
    if allocation.node_selector is None:
        return AllocatedClaim(claim, None, optional)
    try:
        return AllocatedClaim(claim, parse_node_selector(allocation.node_selector), optional)
    except SelectorError as error:
        return DeviceClaimProblem("error", str(error))


def _request_problem(claim: ResourceClaim, ledger: ClaimLedger) -> DeviceClaimProblem | None:
    for request in claim.spec.devices.requests:
        where = f"resource claim {claim.full_name}, request {request.name}"
        classes: list[tuple[str, str]] = []
        if request.exactly is not None:
            classes = [(request.name, request.exactly.device_class_name)]
        elif not request.first_available:
            return unresolvable(f"{where}: unknown request type")
        elif not ledger.features.prioritized_list:
            text = "has subrequests, but the DRAPrioritizedList feature is disabled"
            return unresolvable(f"{where}: {text}")
        else:
            classes = [(f"{request.name}/{s.name}", s.device_class_name) for s in request.first_available]
        for name, device_class in classes:
            if not device_class:
                return DeviceClaimProblem("error", f"request {name}: unsupported request type")
            if ledger.classes.find(device_class) is None:
                return unresolvable(f"request {name}: device class {device_class} does not exist")
    return None


def _usable(claim: ResourceClaim, ledger: ClaimLedger, now: int | None, timeout: int) -> bool:
    if not ledger.features.binding_conditions:
        return True
    state = readiness(claim)
    if state is Readiness.FAILED:
        return False
    return state is Readiness.READY or not timed_out(claim, timeout, now)


def _allocate(claims: PodClaims, node: Node, served: frozenset[str], ledger: ClaimLedger) -> NodeAnswer:
    if not claims.pending and claims.special is None:
        return NodeFit()
    cycle = _cycle(claims, served, ledger)
    outcome = cycle.allocate(node)
    if isinstance(outcome, AllocatorFailure):
        return NodeMisfit(DeviceClaimProblem("error", outcome.text), cycle=cycle)
    if isinstance(outcome, NoSolution):
        problem = unresolvable(INVALID_POOLS if outcome.invalid_pools else CANNOT_ALLOCATE)
        return NodeMisfit(problem, cycle=cycle)
    return NodeFit(cycle, outcome, cycle.claims[-1] if claims.special is not None else None)


def _cycle(claims: PodClaims, served: frozenset[str], ledger: ClaimLedger) -> AllocationCycle:
    known = claims.cycles.get(served)
    if known is None:
        known = claims.cycles[served] = ledger.allocator.cycle(_all_pending(claims, served, ledger))
    return known


def _all_pending(claims: PodClaims, served: frozenset[str], ledger: ClaimLedger) -> tuple[ResourceClaim, ...]:
    if claims.special is None:
        return claims.pending
    rules = ledger.features.extended
    resources = claims.special.requests if rules.own_offers_are_requested else served
    special = with_requests(claims.special.claim, claims.pod, resources, ledger.classes, rules)
    return (*claims.pending, special)


def _result_names(allocation: AllocationResult | None) -> Iterable[str]:
    return (result.request for result in allocation.devices.results) if allocation is not None else ()


def _preference(claim: ResourceClaim, names: frozenset[str]) -> int:
    return sum(
        8 - i
        for request in claim.spec.devices.requests
        for i, sub in enumerate(request.first_available)
        if f"{request.name}/{sub.name}" in names
    )
