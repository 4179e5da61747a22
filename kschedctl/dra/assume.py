"""What placing a pod, or failing to, changes in the claims of the cluster (spec 05 §3.5, §3.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.claims import DeviceClaimProblem
from kschedctl.dra.extended import created
from kschedctl.dra.group_claims import GroupClaims, pod_consumer
from kschedctl.dra.ledger import ClaimLedger, Undo
from kschedctl.dra.pod_claims import NOT_FOUND, NodeFit, PodClaims
from kschedctl.objects.node import Node
from kschedctl.objects.resource import AllocationResult, ResourceClaim

NO_NEW_CLAIMS = "no new claims to deallocate"
DEALLOCATED = "deallocation of ResourceClaim completed"
GROUP_DEALLOCATED = "deallocation of PodGroup ResourceClaim completed"
GROUP_LEAVES = "ResourceClaim unreserved for PodGroup"
SPECIAL_DELETED = "deletion of ResourceClaim completed"
STILL_NOT_SCHEDULABLE = "still not schedulable"


class Deallocation(Struct, frozen=True):
    """What PostFilter does for a pod that fits nowhere."""

    text: str
    free: ResourceClaim | None = None
    """The claim that is deallocated."""
    candidates: int = 0
    """Claims that could be freed; kube-scheduler takes any of them."""
    delete: ResourceClaim | None = None
    """The special claim of an earlier cycle."""
    leave: ResourceClaim | None = None
    """The claim that is no more reserved for the group of the pod."""
    group: GroupClaims | None = None

    @property
    def happens(self) -> bool:
        """Whether anything is freed or deleted."""
        return any(change is not None for change in (self.free, self.delete, self.leave))


def post_filter(claims: PodClaims | None, unavailable: Iterable[int], pod: AdmittedPod) -> Deallocation:
    """Which claim to free, if any.

    Args:
        claims: from `pre_filter`, None where the pod has none or was rejected.
        unavailable: positions of the claims that were not available on some node.
        pod: the pod.
    """
    if claims is None:
        return Deallocation(NO_NEW_CLAIMS)
    at = dict(claims.allocated)
    free = [at[i].claim for i in sorted(set(unavailable)) if _only_for(at[i].claim, pod)]
    if free:
        return Deallocation(DEALLOCATED, free[0], len(free))
    if claims.special is not None and claims.special.left_over:
        return Deallocation(SPECIAL_DELETED, delete=claims.special.claim)
    return Deallocation(STILL_NOT_SCHEDULABLE)


def leave(group: GroupClaims, ledger: ClaimLedger) -> Deallocation | None:
    """Take a group off the first of its claims with devices that is reserved for it; None where there is none."""
    claim = group.reserved(ledger)
    return None if claim is None else Deallocation(GROUP_LEAVES, leave=claim, group=group)


def free_for_group(
    group: GroupClaims, members: Iterable[tuple[PodClaims, Iterable[int]]]
) -> Deallocation | None:
    """Free a claim that some node could not use and that nobody has, or the group alone; None where there is none.

    Args:
        group: the group.
        members: the claims of its pods, with the positions of those that were not available on some node.
    """
    for claims, unavailable in members:
        at = dict(claims.allocated)
        for position in sorted(set(unavailable)):
            consumers = at[position].claim.status.reserved_for
            if not consumers or (len(consumers) == 1 and consumers[0].uid == group.uid):
                return Deallocation(GROUP_DEALLOCATED, at[position].claim)
    return None


def apply(change: Deallocation, ledger: ClaimLedger) -> Undo:
    """Do what PostFilter decided."""
    steps: list[Undo] = []
    if change.free is not None:
        steps.append(ledger.deallocate(change.free))
    if change.delete is not None:
        steps.append(ledger.delete(change.delete))
    if change.leave is not None and change.group is not None:
        steps.append(ledger.unreserve(change.leave, change.group.uid))
    return lambda: _back(steps)


def reserve(claims: PodClaims, fit: NodeFit) -> DeviceClaimProblem | None:
    """Whether the devices for all claims of a pod are known, as Reserve finds it."""
    return DeviceClaimProblem("error", NOT_FOUND) if claims.pending and fit.solution is None else None


def bind(
    claims: PodClaims, fit: NodeFit, node: Node, ledger: ClaimLedger, *, in_flight: bool = False
) -> Undo | DeviceClaimProblem:
    """Write the allocations of all claims of a pod and who uses them, as PreBind does.

    Args:
        claims: the claims.
        fit: the devices that were found.
        node: the node of the pod.
        ledger: the claims of the cluster.
        in_flight: the cycle goes on with other pods, which take over what was found without looking for it.
    """
    pairs: list[tuple[ResourceClaim, AllocationResult]] = []
    if fit.cycle is not None and fit.solution is not None:
        results = fit.cycle.results(fit.solution, node)
        pairs = list(zip(fit.cycle.claims, results, strict=True))
    steps: list[Undo] = []
    for claim, result in pairs:
        if claim is fit.special:
            done = _create_special(claim, result, claims.pod, ledger)
            if isinstance(done, DeviceClaimProblem):
                _back(steps)
                return done
            steps.append(done)
    steps += _allocate(claims, [result for claim, result in pairs if claim is not fit.special], ledger)
    if in_flight:  # who uses the claims is written once pods are bound
        steps += [ledger.put_in_flight(claim) for _, claim in claims.unallocated]
        return lambda: _back(steps)
    for position, claim in (*claims.unallocated, *((i, found.claim) for i, found in claims.allocated)):
        of_group = claims.group is not None and position in claims.shared
        consumer = claims.group.consumer if claims.group and of_group else pod_consumer(claims.pod)
        steps.append(ledger.reserve(claim, consumer))
    return lambda: _back(steps)


def _allocate(claims: PodClaims, found: Sequence[AllocationResult], ledger: ClaimLedger) -> list[Undo]:
    """Give each claim without devices its result.

    kube-scheduler hands the results out in another order than that of the claims: those just found come first, then
    those of claims in flight. Where such a claim stands before a new one, the new one gets its devices.
    """
    under_way = dict(claims.in_flight)
    taken_over = [under_way[i].claim.status.allocation for i, _ in claims.unallocated if i in under_way]
    results = [*found, *(allocation for allocation in taken_over if allocation is not None)]
    return [
        ledger.allocate(claim, result)
        for (i, claim), result in zip(claims.unallocated, results, strict=False)
        if i not in under_way
    ]


def _create_special(
    special: ResourceClaim, result: AllocationResult, pod: AdmittedPod, ledger: ClaimLedger
) -> Undo | DeviceClaimProblem:
    """Write the special claim to the cluster with its devices."""
    if not special.spec.devices.requests:
        missing = "nil or empty request mappings"
        text = f"{missing}, no update of pod {pod.full_name} ExtendedResourceClaimStatus"
        return DeviceClaimProblem("error", text)
    claim = created(special, pod, _free_name(pod, ledger))
    steps = [ledger.add(claim), ledger.allocate(claim, result), ledger.reserve(claim, pod_consumer(pod))]
    return lambda: _back(steps)


def _free_name(pod: AdmittedPod, ledger: ClaimLedger) -> str:
    """A name for the special claim of a pod; the API server would make one up."""
    base = f"{pod.name}-extended-resources"
    numbered = (f"{base}-{number}" for number in count(1))
    return next(name for name in chain([base], numbered) if ledger.find(pod.namespace, name) is None)


def _only_for(claim: ResourceClaim, pod: AdmittedPod) -> bool:
    consumers = claim.status.reserved_for
    return not consumers or (len(consumers) == 1 and consumers[0].uid == pod.uid)


def _back(steps: list[Undo]) -> None:
    for step in reversed(steps):
        step()
