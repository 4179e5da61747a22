"""What placing a pod, or failing to, changes in the claims of the cluster (spec 05 §3.5, §3.7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, count

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.node import Node
from kschedctl.objects.resource import AllocationResult, ResourceClaim

from .claims import ClaimProblem
from .extended import created
from .ledger import ClaimLedger, Undo
from .pod_claims import NOT_FOUND, NodeFit, PodClaims

NO_NEW_CLAIMS = "no new claims to deallocate"
DEALLOCATED = "deallocation of ResourceClaim completed"
SPECIAL_DELETED = "deletion of ResourceClaim completed"
STILL_NOT_SCHEDULABLE = "still not schedulable"


@dataclass(frozen=True, slots=True)
class Deallocation:
    """What PostFilter does for a pod that fits nowhere."""

    text: str
    free: ResourceClaim | None = None
    """The claim that is deallocated."""
    candidates: int = 0
    """Claims that could be freed; kube-scheduler takes any of them."""
    delete: ResourceClaim | None = None
    """The special claim of an earlier cycle."""

    @property
    def happens(self) -> bool:
        """Whether anything is freed or deleted."""
        return self.free is not None or self.delete is not None


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


def apply(change: Deallocation, ledger: ClaimLedger) -> Undo:
    """Do what PostFilter decided."""
    steps: list[Undo] = []
    if change.free is not None:
        steps.append(ledger.deallocate(change.free))
    if change.delete is not None:
        steps.append(ledger.delete(change.delete))
    return lambda: _back(steps)


def reserve(claims: PodClaims, fit: NodeFit) -> ClaimProblem | None:
    """Whether the devices for all claims of a pod are known, as Reserve finds it."""
    return ClaimProblem("error", NOT_FOUND) if claims.pending and fit.solution is None else None


def bind(claims: PodClaims, fit: NodeFit, node: Node, ledger: ClaimLedger) -> Undo | ClaimProblem:
    """Write the allocations of all claims of a pod and who uses them, as PreBind does."""
    pairs: list[tuple[ResourceClaim, AllocationResult]] = []
    if fit.cycle is not None and fit.solution is not None:
        results = fit.cycle.results(fit.solution, node)
        pairs = list(zip(fit.cycle.claims, results, strict=True))
    steps: list[Undo] = []
    for claim, result in pairs:
        if claim is fit.special:
            done = _create_special(claim, result, claims.pod, ledger)
            if isinstance(done, ClaimProblem):
                _back(steps)
                return done
            steps.append(done)
        else:
            steps += [ledger.allocate(claim, result), ledger.reserve(claim, claims.pod)]
    steps += [ledger.reserve(allocated.claim, claims.pod) for _, allocated in claims.allocated]
    return lambda: _back(steps)


def _create_special(
    special: ResourceClaim, result: AllocationResult, pod: AdmittedPod, ledger: ClaimLedger
) -> Undo | ClaimProblem:
    """Write the special claim to the cluster with its devices."""
    if not special.spec.devices.requests:
        missing = "nil or empty request mappings"
        text = f"{missing}, no update of pod {pod.full_name} ExtendedResourceClaimStatus"
        return ClaimProblem("error", text)
    claim = created(special, pod, _free_name(pod, ledger))
    steps = [ledger.add(claim), ledger.allocate(claim, result), ledger.reserve(claim, pod)]
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
