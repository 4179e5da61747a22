"""Where a claim is written that a controller makes: in a template, which is what a person changes."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.advice.json_patch import Operation, pointer
from kschedctl.advice.measure import Consequence, Edit, ObjectPatch, PodPatch, Reference
from kschedctl.advice.obstacles.member_claims import stateful_set_of
from kschedctl.advice.situation import Situation
from kschedctl.objects.pod import PodResourceClaim
from kschedctl.objects.resource import ResourceClaim, ResourceClaimTemplate
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.volumes.claims import ClaimUse


class WrittenClaim(Struct, frozen=True):
    """A claim, and what it is made from.

    Attributes:
        claim: the object that kube-scheduler sees.
        told: what people call it.
        template: what is written; None: the claim itself, the empty reference: the pod.
        prefix: where the claim stands in it, a JSON pointer.
        note: what else has to be known where it is changed.
    """

    claim: Reference
    told: str
    template: Reference | None = None
    prefix: str = ""
    note: str = ""

    def edits(self, *operations: Operation) -> tuple[Edit, ...]:
        """Operations on the claim as they are written, and what follows from them."""
        own = ObjectPatch(self.claim, operations)
        if self.template is None:
            return (own,)
        written = tuple({**one, "path": self.prefix + one["path"]} for one in operations)
        patch = PodPatch(written) if self.template == _POD else ObjectPatch(self.template, written)
        return patch, Consequence(own)


_POD = Reference("Pod", "", "")


def written_volume_claim(situation: Situation, use: ClaimUse, claim: PersistentVolumeClaim) -> WrittenClaim:
    """The claim of a volume: an object, a volume of the pod, or a template of its stateful set."""
    reference = Reference("PersistentVolumeClaim", claim.namespace, claim.name)
    if use.ephemeral:
        at = next(i for i, volume in enumerate(situation.pod.spec.volumes) if volume.name == use.volume)
        prefix = pointer("spec", "volumes", at, "ephemeral", "volumeClaimTemplate")
        return WrittenClaim(reference, f"volume {use.volume}", _POD, prefix)
    if claim.metadata.uid or claim.metadata.creation_timestamp or claim.status.phase == "Bound":
        return WrittenClaim(reference, f"claim {claim.name}")
    found = stateful_set_of(situation)
    for at, template in enumerate(found.spec.volume_claim_templates if found else ()):
        if found is not None and claim.name == f"{template.name}-{situation.pod.name}":
            target = Reference("StatefulSet", found.namespace, found.name)
            note = "claim templates cannot be changed: the set is made anew"
            told = f"claim template {template.name}"
            return WrittenClaim(reference, told, target, pointer("spec", "volumeClaimTemplates", at), note)
    return WrittenClaim(reference, f"claim {claim.name}")


def written_device_claim(situation: Situation, entry: PodResourceClaim, claim: ResourceClaim) -> WrittenClaim:
    """A claim for devices: an object, or a template that other pods may share."""
    reference = Reference("ResourceClaim", claim.namespace, claim.name)
    name = entry.resource_claim_template_name
    if name is None or situation.cluster.objects.find(ResourceClaimTemplate, name, claim.namespace) is None:
        return WrittenClaim(reference, f"claim {claim.name}")
    target = Reference("ResourceClaimTemplate", claim.namespace, name)
    return WrittenClaim(reference, f"claim template {name}", target, pointer("spec"))
