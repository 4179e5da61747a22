"""What placing a pod, or failing to, changes in the claims of the cluster (spec 05 §3.5, §3.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.node import Node
from kschedctl.objects.resource import ResourceClaim

from .claims import ClaimProblem
from .extended import created
from .ledger import ClaimLedger, Undo
from .pod_claims import NOT_FOUND, NodeFit, PodClaims

NO_NEW_CLAIMS = "no new claims to deallocate"
DEALLOCATED = "deallocation of ResourceClaim completed"
SPECIAL_DELETED = "deletion of ResourceClaim completed"
STILL_NOT_SCHEDULABLE = "still not schedulable"

NameSpecial = Callable[[AdmittedPod], str]
"""The name under which the special claim of a pod is created."""


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


def reserve(
    claims: PodClaims, fit: NodeFit, node: Node, ledger: ClaimLedger, name_special: NameSpecial
) -> Undo | ClaimProblem:
    """Allocate and reserve all claims of a pod for a node, as Reserve and PreBind do together."""
    steps: list[Undo] = []
    pod = claims.pod
    if fit.cycle is None or fit.solution is None:
        if claims.pending:
            return ClaimProblem("error", NOT_FOUND)
    else:
        results = fit.cycle.results(fit.solution, node)
        for claim, result in zip(fit.cycle.claims, results, strict=True):
            if claim is fit.special:
                problem = _special_problem(claim, pod, name_special(pod), ledger)
                if problem is not None:
                    _back(steps)
                    return problem
                claim = created(claim, pod, name_special(pod))
                steps.append(ledger.add(claim))
            steps += [ledger.allocate(claim, result), ledger.reserve(claim, pod)]
    steps += [ledger.reserve(allocated.claim, pod) for _, allocated in claims.allocated]
    return lambda: _back(steps)


def special_name(pod: AdmittedPod, ledger: ClaimLedger) -> str:
    """A free name for the special claim of a pod; the API server would make one up."""
    base = f"{pod.name}-extended-resources"
    name, number = base, 1
    while ledger.find(pod.namespace, name) is not None:
        number += 1
        name = f"{base}-{number}"
    return name


def _special_problem(
    special: ResourceClaim, pod: AdmittedPod, name: str, ledger: ClaimLedger
) -> ClaimProblem | None:
    """Why the special claim cannot be created."""
    if ledger.find(pod.namespace, name) is not None:
        taken = f'resourceclaims.resource.k8s.io "{name}" already exists'
        return ClaimProblem("error", f"create claim for extended resources {pod.namespace}/{name}: {taken}")
    if not special.spec.devices.requests:
        missing = "nil or empty request mappings"
        text = f"{missing}, no update of pod {pod.full_name} ExtendedResourceClaimStatus"
        return ClaimProblem("error", text)
    return None


def _only_for(claim: ResourceClaim, pod: AdmittedPod) -> bool:
    consumers = claim.status.reserved_for
    return not consumers or (len(consumers) == 1 and consumers[0].uid == pod.uid)


def _back(steps: list[Undo]) -> None:
    for step in reversed(steps):
        step()
