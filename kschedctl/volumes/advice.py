"""What a person can do about a claim that stops a pod on every node."""

from __future__ import annotations

from kschedctl.objects.phrases import missing_text
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import PodWithVolumes, claim_uses, class_of_claim
from kschedctl.volumes.pod_volumes import UnusableClaim, VolumeClaimProblem, sort_claims


def advice(pod: PodWithVolumes, catalog: StorageCatalog) -> str | None:
    """A hint for a pod that is refused before any node is looked at because of its storage, else None."""
    found = sort_claims(pod, catalog)
    if isinstance(found, UnusableClaim):
        return _about_claim(found, catalog)
    for use in claim_uses(pod):
        claim = catalog.claims[use.key]
        if claim.spec.volume_name and claim.spec.volume_name not in catalog.volumes:
            return missing_text("PersistentVolume", claim.spec.volume_name)
    return None


def _about_claim(found: UnusableClaim, catalog: StorageCatalog) -> str:
    name = found.use.key.name
    match found.problem:
        case VolumeClaimProblem.MISSING:
            return missing_text("PersistentVolumeClaim", str(found.use.key))
        case VolumeClaimProblem.EPHEMERAL_MISSING:
            return (
                f"a controller makes claim {name} once the pod exists; add it to the input to see where the "
                "pod would then go"
            )
        case VolumeClaimProblem.LOST:
            return (
                f"the volume of claim {name} was deleted; its data is gone, and the claim must be made anew"
            )
        case VolumeClaimProblem.DELETED:
            return (
                f"claim {name} is deleted as soon as no pod uses it; make it anew under this or another name"
            )
        case VolumeClaimProblem.NOT_OWNER:
            return f"claim {name} has the name of a generic ephemeral volume's claim; rename the pod or the claim"
        case VolumeClaimProblem.UNBOUND:
            assert found.claim is not None
            return _about_unbound(found.claim, catalog)


def _about_unbound(claim: PersistentVolumeClaim, catalog: StorageCatalog) -> str:
    if claim.spec.volume_name:
        return (
            f"claim {claim.name} names volume {claim.spec.volume_name} but is not bound to it; the volume "
            "controller must do that first (annotation pv.kubernetes.io/bind-completed)"
        )
    class_name = class_of_claim(claim)
    if not class_name:
        return (
            f"claim {claim.name} has no storage class; name one, or wait until the volume controller binds "
            "it to an existing volume"
        )
    if class_name not in catalog.classes:
        return missing_text("StorageClass", class_name)
    return (
        f"class {class_name} binds at once, so the volume controller must bind claim {claim.name} first; with "
        "volumeBindingMode WaitForFirstConsumer the scheduler would choose"
    )
