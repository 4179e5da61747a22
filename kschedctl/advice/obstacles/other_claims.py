"""A claim that is good, and stops the pod: of another class or size, or another one in its place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from kschedctl.advice.json_patch import add, add_within, document_of
from kschedctl.advice.measure import Addition, Measure, PodPatch
from kschedctl.advice.obstacles.claim_parts import (
    applied,
    as_empty_dir,
    new_claim,
    place_of,
    provisioning_classes,
)
from kschedctl.advice.obstacles.matching_volumes import matching
from kschedctl.advice.obstacles.member_claims import given_up, is_named_by_set
from kschedctl.advice.obstacles.written_claims import WrittenClaim, written_volume_claim
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.storage import PersistentVolumeClaim, StorageClass
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import ClaimUse, claim_uses, class_of_claim
from kschedctl.volumes.cluster_storage import ClusterStorage

_MOST_CLAIMS: Final = 2


_CLASS_NOTE: Final = "the class of a claim cannot be changed: delete it, and make it anew"


def otherwise(
    situation: Situation, use: ClaimUse, found: PersistentVolumeClaim, rows: Ints, catalog: StorageCatalog
) -> Iterator[Measure]:
    """A claim that is there: of another size or class, with a volume that matches, or another one in its place."""
    written = written_volume_claim(situation, use, found)
    if not found.spec.volume_name:
        yield from matching(situation, found, written, rows)
        for storage_class in provisioning_classes(catalog):
            if storage_class.name != class_of_claim(found):
                yield _reclassed(found, written, storage_class)
    if is_named_by_set(situation, found.name) and written.template is None:
        if found.spec.volume_name and not _used_by_others(situation, use):
            yield given_up(situation, found)
        return
    if written.template is None:
        for storage_class in provisioning_classes(catalog):
            yield _renewed(situation, use, found, storage_class)
        yield from free_claims(situation, use, catalog)
    yield from as_empty_dir(situation, use)


def _used_by_others(situation: Situation, use: ClaimUse) -> bool:
    users = ClusterStorage.of(situation.cluster).users.pods_using(use.key)
    return any(situation.cluster.pods.records[user].full_name != situation.record.full_name for user in users)


def _reclassed(found: PersistentVolumeClaim, written: WrittenClaim, storage_class: StorageClass) -> Measure:
    operation = add_within(document_of(found), storage_class.name, "spec", "storageClassName")
    return Measure(
        "storage-class",
        f"{written.told} of class {storage_class.name}",
        written.edits(operation),
        note=written.note if written.template else _CLASS_NOTE,
        topic=f"class of {written.told}",
    )


def _renewed(
    situation: Situation, use: ClaimUse, found: PersistentVolumeClaim, storage_class: StorageClass
) -> Measure:
    made = new_claim(found.namespace, f"{found.name}-new", storage_class.name, found)
    return Measure(
        "new-claim",
        f"a new claim in place of {found.name}, of class {storage_class.name}",
        (Addition((made,)), _names(situation, use, made.name)),
        command=applied(made),
        note=f"the data of {found.name} stays where it is",
    )


def free_claims(situation: Situation, use: ClaimUse, catalog: StorageCatalog) -> Iterator[Measure]:
    """Claims of the namespace that are there already, and that no pod on a node uses."""
    used = {one.key for one in claim_uses(situation.pod)}
    free = (
        claim
        for key, claim in sorted(catalog.claims.items())
        if key.namespace == use.key.namespace
        and key not in used
        and claim.metadata.controller is None
        and claim.metadata.deletion_timestamp is None
        and claim.status.phase != "Lost"
        and not ClusterStorage.of(situation.cluster).users.pods_using(key)
    )
    for claim in islice(free, _MOST_CLAIMS):
        yield Measure(
            "new-claim",
            f"claim {claim.name} in place of {use.key.name}",
            (_names(situation, use, claim.name),),
            note="what is on its volume is another matter",
            topic=f"another claim for {use.volume}",
        )


def _names(situation: Situation, use: ClaimUse, claim: str) -> PodPatch:
    at = place_of(situation, use)
    return PodPatch((add(claim, "spec", "volumes", at, "persistentVolumeClaim", "claimName"),))
