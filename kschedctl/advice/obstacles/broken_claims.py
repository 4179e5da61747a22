"""Claims with which no node could take the pod: missing, lost, deleted or somebody else's."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kschedctl.advice.json_patch import add
from kschedctl.advice.measure import Addition, Consequence, Measure, PodPatch, Replacement
from kschedctl.advice.obstacles.claim_parts import (
    applied,
    as_empty_dir,
    deleting,
    echoing,
    new_claim,
    place_of,
    provisioning_classes,
)
from kschedctl.advice.obstacles.member_claims import claim_of_set, is_named_by_set
from kschedctl.advice.obstacles.other_claims import free_claims
from kschedctl.advice.situation import Situation
from kschedctl.errors import InputError
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import ClaimUse, class_of_claim
from kschedctl.workloads.generated_claims import ephemeral_claim


def missing(situation: Situation, use: ClaimUse, catalog: StorageCatalog) -> Iterator[Measure]:
    """A claim that is not there: it is made, or another one takes its place, unless a StatefulSet names it."""
    named_by_set = is_named_by_set(situation, use.key.name)
    if named_by_set and (written := claim_of_set(situation, use.key.name)) is not None:
        yield Measure(
            "wait",
            f"claim {written.name} is made",
            (Addition((written,)),),
            note="the StatefulSet controller makes it for a pod that waits",
            topic=f"claim {written.name}",
        )
    for storage_class in provisioning_classes(catalog):
        made = new_claim(use.key.namespace, use.key.name, storage_class.name, None)
        yield Measure(
            "claim",
            f"claim {made.name} made, of class {storage_class.name}",
            (Addition((made,)),),
            command=applied(made),
            note="its size is yours to say",
            topic=f"claim {made.name}",
        )
    if not named_by_set:
        yield from free_claims(situation, use, catalog)
        yield from as_empty_dir(situation, use)


def ephemeral_missing(situation: Situation, use: ClaimUse, catalog: StorageCatalog) -> Iterator[Measure]:
    """The claim that a controller makes of the pod's own template; of another class, if that one would not do."""
    made = _from_template(situation, use)
    if made is None:
        return
    yield Measure(
        "wait",
        f"claim {made.name} is made",
        (Addition((made,)),),
        note="the ephemeral volume controller makes it once the pod is there",
        topic=f"claim {made.name}",
    )
    yield from _templates(situation, use, made, catalog)
    yield from as_empty_dir(situation, use)


def _templates(
    situation: Situation, use: ClaimUse, claim: PersistentVolumeClaim, catalog: StorageCatalog
) -> Iterator[Measure]:
    """The pod's own template of a claim with another class."""
    at = place_of(situation, use)
    for storage_class in provisioning_classes(catalog):
        if storage_class.name == class_of_claim(claim):
            continue
        where = ("spec", "volumes", at, "ephemeral", "volumeClaimTemplate", "spec", "storageClassName")
        made = replace(claim, spec=replace(claim.spec, storage_class_name=storage_class.name))
        edits = PodPatch((add(storage_class.name, *where),)), Consequence(Addition((made,)))
        text = f"volume {use.volume} of class {storage_class.name}"
        yield Measure("storage-class", text, edits, topic=f"class of {use.volume}")


def _from_template(situation: Situation, use: ClaimUse) -> PersistentVolumeClaim | None:
    source = next(volume.ephemeral for volume in situation.pod.spec.volumes if volume.name == use.volume)
    assert source is not None
    try:
        return ephemeral_claim(situation.pod, use.volume, source.volume_claim_template)
    except InputError:
        return None


def made_for_pod(
    situation: Situation, use: ClaimUse, found: PersistentVolumeClaim, why: str
) -> Iterator[Measure]:
    """A claim of somebody else has the name that the pod's own would have."""
    made = _from_template(situation, use)
    if made is not None:
        edits = Replacement(made)
        note = (
            f"{why}, and what is on its volume goes with it; a pod or volume of another name leaves it alone"
        )
        text = f"claim {found.name} deleted, and made for this pod"
        yield Measure(
            "claim", text, (edits,), command=deleting(found), note=note, topic=f"claim {found.name}"
        )
    yield from as_empty_dir(situation, use)


def made_anew(
    situation: Situation, use: ClaimUse, found: PersistentVolumeClaim, catalog: StorageCatalog, why: str
) -> Iterator[Measure]:
    """A claim that is good for nothing any more under the same name."""
    for storage_class in provisioning_classes(catalog, class_of_claim(found)):
        if use.ephemeral and storage_class.name != class_of_claim(found):
            continue
        made = new_claim(found.namespace, found.name, storage_class.name, found)
        yield Measure(
            "claim",
            f"claim {found.name} deleted, and made anew of class {storage_class.name}",
            (Replacement(made),),
            command=deleting(found) if use.ephemeral else f"{echoing(made)} | kubectl replace --force -f -",
            note=why,
            topic=f"claim {found.name}",
        )
    if is_named_by_set(situation, use.key.name):
        return
    if not use.ephemeral:
        yield from free_claims(situation, use, catalog)
    yield from as_empty_dir(situation, use)
