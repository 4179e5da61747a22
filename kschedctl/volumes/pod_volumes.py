"""Sorting the claims of a pod: bound, to be bound on the chosen node, or not usable now (spec 04 §3.2)."""

from __future__ import annotations

from enum import Enum, auto

from msgspec import Struct

from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import (
    ClaimUse,
    PodWithVolumes,
    claim_uses,
    class_of_claim,
    is_fully_bound,
    is_owned_by,
)

WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"


class VolumeClaimProblem(Enum):
    """Why a pod cannot be scheduled anywhere because of a claim."""

    MISSING = auto()
    EPHEMERAL_MISSING = auto()
    """The claim of a generic ephemeral volume, which a controller has yet to make."""
    LOST = auto()
    DELETED = auto()
    NOT_OWNER = auto()
    UNBOUND = auto()
    """Not bound, and not to be bound when the pod is scheduled."""


class UnusableClaim(Struct, frozen=True):
    """The first claim of a pod that stops it.

    Attributes:
        problem: why.
        use: the pod's volume.
        claim: the claim, None where it is missing.
    """

    problem: VolumeClaimProblem
    use: ClaimUse
    claim: PersistentVolumeClaim | None = None


class PodVolumes(Struct, frozen=True):
    """The claims of a pod in the order of its volumes; a claim of two volumes occurs twice.

    Attributes:
        bound: bound to a volume.
        delayed: to be bound once a node is chosen.
    """

    bound: tuple[PersistentVolumeClaim, ...] = ()
    delayed: tuple[PersistentVolumeClaim, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.bound or self.delayed)


def sort_claims(pod: PodWithVolumes, catalog: StorageCatalog) -> PodVolumes | UnusableClaim:
    """Sort the claims of a pod. Missing, lost and foreign claims are told before unbound ones."""
    usable = []
    for use in claim_uses(pod):
        claim = catalog.claims.get(use.key)
        problem = _problem(claim, use, pod)
        if problem is not None:
            return UnusableClaim(problem, use, claim)
        assert claim is not None
        usable.append((use, claim))
    bound, delayed = [], []
    for use, claim in usable:
        if is_fully_bound(claim):
            bound.append(claim)
        elif is_delayed(claim, catalog):
            delayed.append(claim)
        else:
            return UnusableClaim(VolumeClaimProblem.UNBOUND, use, claim)
    return PodVolumes(tuple(bound), tuple(delayed))


def problem_of(use: ClaimUse, pod: PodWithVolumes, catalog: StorageCatalog) -> VolumeClaimProblem | None:
    """Why one claim of a pod stops it everywhere; None where some node may do."""
    claim = catalog.claims.get(use.key)
    problem = _problem(claim, use, pod)
    if problem is not None:
        return problem
    assert claim is not None
    usable = is_fully_bound(claim) or is_delayed(claim, catalog)
    return None if usable else VolumeClaimProblem.UNBOUND


def _problem(
    claim: PersistentVolumeClaim | None, use: ClaimUse, pod: PodWithVolumes
) -> VolumeClaimProblem | None:
    if claim is None:
        return VolumeClaimProblem.EPHEMERAL_MISSING if use.ephemeral else VolumeClaimProblem.MISSING
    if claim.status.phase == "Lost":
        return VolumeClaimProblem.LOST
    if claim.metadata.deletion_timestamp is not None:
        return VolumeClaimProblem.DELETED
    if use.ephemeral and not is_owned_by(claim, pod):
        return VolumeClaimProblem.NOT_OWNER
    return None


def is_delayed(claim: PersistentVolumeClaim, catalog: StorageCatalog) -> bool:
    """Whether an unbound claim waits for its first consumer; a volume named by hand does not."""
    storage_class = catalog.classes.get(class_of_claim(claim))
    return (
        storage_class is not None
        and storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
        and not claim.spec.volume_name
    )
