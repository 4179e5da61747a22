"""What becomes of the claims of a pod that is gone: those made for it go with it, shared ones are released."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceClaim
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.workloads.succession import Find


def claims_made_for(pod: Pod, find: Find) -> list[TopLevel]:
    """The claims that controllers made for a pod, which go with it."""
    volumes = [f"{pod.name}-{volume.name}" for volume in pod.spec.volumes if volume.ephemeral is not None]
    devices = [s.resource_claim_name for s in pod.status.resource_claim_statuses if s.resource_claim_name]
    extended = pod.status.extended_resource_claim_status
    if extended is not None:
        devices.append(extended.resource_claim_name)
    claims: list[TopLevel | None] = [
        *(find(PersistentVolumeClaim, name, pod.namespace) for name in volumes),
        *(find(ResourceClaim, name, pod.namespace) for name in devices),
    ]
    return [claim for claim in claims if claim is not None and _is_owned(claim, pod)]


def released_claims(pod: Pod, find: Find) -> Iterator[ResourceClaim]:
    """The shared claims of a pod as they are without it: one that nobody uses any more is deallocated."""
    named = [entry.resource_claim_name for entry in pod.spec.resource_claims if entry.resource_claim_name]
    for name in named:
        claim = find(ResourceClaim, name, pod.namespace)
        if claim is None:
            continue
        left = tuple(user for user in claim.status.reserved_for if user.uid != pod.uid)
        status = replace(claim.status, reserved_for=left)
        if not left:
            status = replace(status, allocation=None)
        yield replace(claim, status=status)


def _is_owned(claim: TopLevel, pod: Pod) -> bool:
    owner = claim.metadata.controller
    return owner is not None and owner.kind == "Pod" and owner.uid == pod.uid
