"""The claims of a pod: one that cannot be used is mended, one whose volume is elsewhere gives way to another."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.combinations import cheapest_first
from kschedctl.advice.costs import COSTS
from kschedctl.advice.json_patch import add, add_within, document_of, patched, put, remove
from kschedctl.advice.measure import (
    Addition,
    Consequence,
    Measure,
    Measures,
    PodPatch,
    Replacement,
)
from kschedctl.advice.obstacles.matching_volumes import NO_PROVISIONER, matching
from kschedctl.advice.obstacles.member_claims import given_up, is_named_by_set
from kschedctl.advice.obstacles.written_claims import WrittenClaim, written_volume_claim
from kschedctl.advice.situation import Ints, Mask, Situation
from kschedctl.errors import InputError
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.storage import (
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    StorageClass,
    VolumeResourceRequirements,
)
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import ClaimUse, claim_uses, class_of_claim
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.pod_volumes import WAIT_FOR_FIRST_CONSUMER, VolumeClaimProblem, problem_of
from kschedctl.workloads.generated_claims import ephemeral_claim

_MOST_CLASSES: Final = 3
_MOST_CLAIMS: Final = 2
_MOST_TOGETHER: Final = 24
_MOST_KINDS: Final = 4
_PLUGINS: Final = frozenset({"VolumeBinding", "VolumeZone", "VolumeRestrictions"})
_CLASS_NOTE: Final = "the class of a claim cannot be changed: delete it, and make it anew"


def claims(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """Every claim mended that stops the pod everywhere; and those changed that stop it on some of the nodes."""
    broken, others = dict[ClaimUse, list[Measures]](), dict[ClaimUse, list[Measures]]()
    for use in claim_uses(situation.pod):
        is_broken, changes = _about(situation, use, rows)
        (broken if is_broken else others)[use] = [(change,) for change in changes]
    for needed in islice(cheapest_first(list(broken.values()), COSTS), _MOST_TOGETHER):
        if needed:
            yield needed
        for together in _stopping(situation, list(others), rows):
            for more in islice(cheapest_first([others[use] for use in together], COSTS), _MOST_TOGETHER):
                yield (*needed, *more)
    if (without := _without(situation)) is not None:
        yield (without,)


def _stopping(situation: Situation, uses: Sequence[ClaimUse], rows: Ints) -> list[tuple[ClaimUse, ...]]:
    """The claims that stop the pod together on some node, few first; each alone where none of them does."""
    alone: list[tuple[ClaimUse, ...]] = [(use,) for use in uses]
    if len(uses) < 2:
        return alone
    masks = [_refused(situation, use)[rows] for use in uses]
    kinds = dict.fromkeys(
        tuple(use for use, mask in zip(uses, masks, strict=True) if mask[at]) for at in range(len(rows))
    )
    found = sorted(filter(None, kinds), key=len)[:_MOST_KINDS]
    return list(dict.fromkeys([*found, *(alone if () in kinds else ())]))


def _refused(situation: Situation, use: ClaimUse) -> Mask:
    """The nodes that refuse the pod for this volume alone, bool (N,)."""
    pod, session = situation.pod, situation.session
    start = session.cluster.mark()
    try:
        volumes = tuple(volume for volume in pod.spec.volumes if volume.name == use.volume)
        record = session.enter(replace(pod, spec=replace(pod.spec, volumes=volumes)))
        if isinstance(record, Invalid):
            return np.ones(situation.cluster.nodes.count, bool)
        return situation.refused(record, _PLUGINS)
    finally:
        session.cluster.undo_to(start)


def _about(situation: Situation, use: ClaimUse, rows: Ints) -> tuple[bool, Iterator[Measure]]:
    """Whether no node could take the pod with this claim, and what can be done about it."""
    catalog = ClusterStorage.of(situation.cluster).catalog
    found = catalog.claims.get(use.key)
    match problem_of(use, situation.pod, catalog):
        case VolumeClaimProblem.MISSING:
            return True, _missing(situation, use, catalog)
        case VolumeClaimProblem.EPHEMERAL_MISSING:
            return True, _ephemeral(situation, use, catalog)
        case VolumeClaimProblem.NOT_OWNER:
            assert found is not None
            owner = found.metadata.controller
            whose = f"it is {owner.kind} {owner.name}'s" if owner else "it is nobody's"
            return True, _made_for_pod(situation, use, found, whose)
        case VolumeClaimProblem.LOST | VolumeClaimProblem.DELETED:
            assert found is not None
            lost = found.status.phase == "Lost"
            return True, _anew(
                situation, use, found, catalog, "its data is gone" if lost else "it is deleted"
            )
        case VolumeClaimProblem.UNBOUND:
            assert found is not None
            return True, _otherwise(situation, use, found, rows, catalog)
    assert found is not None
    gone = found.spec.volume_name
    if gone and gone not in catalog.volumes:
        return True, _anew(situation, use, found, catalog, f"volume {gone} is gone")
    return False, _otherwise(situation, use, found, rows, catalog)


def _classes(catalog: StorageCatalog, first: str = "") -> list[StorageClass]:
    """Classes that make volumes, those first that wait for the pod, and the named one before others."""
    found = [c for c in catalog.classes.values() if c.provisioner and c.provisioner != NO_PROVISIONER]
    return sorted(
        found, key=lambda c: (c.volume_binding_mode != WAIT_FOR_FIRST_CONSUMER, c.name != first, c.name)
    )[:_MOST_CLASSES]


def _missing(situation: Situation, use: ClaimUse, catalog: StorageCatalog) -> Iterator[Measure]:
    for storage_class in _classes(catalog):
        made = _claim(use.key.namespace, use.key.name, storage_class.name, None)
        yield Measure(
            "claim",
            f"claim {made.name} made, of class {storage_class.name}",
            (Addition((made,)),),
            command=applied(made),
            note="its size is yours to say",
            topic=f"claim {made.name}",
        )
    yield from _other_claims(situation, use, catalog)
    yield from _emptied(situation, use)


def _ephemeral(situation: Situation, use: ClaimUse, catalog: StorageCatalog) -> Iterator[Measure]:
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
    yield from _emptied(situation, use)


def _templates(
    situation: Situation, use: ClaimUse, claim: PersistentVolumeClaim, catalog: StorageCatalog
) -> Iterator[Measure]:
    """The pod's own template of a claim with another class."""
    at = _place(situation, use)
    for storage_class in _classes(catalog):
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


def _made_for_pod(
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
            "claim", text, (edits,), command=_deleted(found), note=note, topic=f"claim {found.name}"
        )
    yield from _emptied(situation, use)


def _anew(
    situation: Situation, use: ClaimUse, found: PersistentVolumeClaim, catalog: StorageCatalog, why: str
) -> Iterator[Measure]:
    """A claim that is good for nothing any more under the same name."""
    for storage_class in _classes(catalog, class_of_claim(found)):
        if use.ephemeral and storage_class.name != class_of_claim(found):
            continue
        made = _claim(found.namespace, found.name, storage_class.name, found)
        yield Measure(
            "claim",
            f"claim {found.name} deleted, and made anew of class {storage_class.name}",
            (Replacement(made),),
            command=_deleted(found) if use.ephemeral else f"{_echoed(made)} | kubectl replace --force -f -",
            note=why,
            topic=f"claim {found.name}",
        )
    if not use.ephemeral:
        yield from _other_claims(situation, use, catalog)
    yield from _emptied(situation, use)


def _otherwise(
    situation: Situation, use: ClaimUse, found: PersistentVolumeClaim, rows: Ints, catalog: StorageCatalog
) -> Iterator[Measure]:
    """A claim that is there: of another size or class, with a volume that matches, or another one in its place."""
    written = written_volume_claim(situation, use, found)
    if not found.spec.volume_name:
        yield from matching(situation, found, written, rows)
        for storage_class in _classes(catalog):
            if storage_class.name != class_of_claim(found):
                yield _reclassed(found, written, storage_class)
    if is_named_by_set(situation, found.name) and written.template is None:
        if found.spec.volume_name and not _used_by_others(situation, use):
            yield given_up(situation, found)
        return
    if written.template is None:
        for storage_class in _classes(catalog):
            yield _renewed(situation, use, found, storage_class)
        yield from _other_claims(situation, use, catalog)
    yield from _emptied(situation, use)


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
    made = _claim(found.namespace, f"{found.name}-new", storage_class.name, found)
    return Measure(
        "new-claim",
        f"a new claim in place of {found.name}, of class {storage_class.name}",
        (Addition((made,)), _names(situation, use, made.name)),
        command=applied(made),
        note=f"the data of {found.name} stays where it is",
    )


def _other_claims(situation: Situation, use: ClaimUse, catalog: StorageCatalog) -> Iterator[Measure]:
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
    at = _place(situation, use)
    return PodPatch((add(claim, "spec", "volumes", at, "persistentVolumeClaim", "claimName"),))


def _place(situation: Situation, use: ClaimUse) -> int:
    return next(at for at, volume in enumerate(situation.pod.spec.volumes) if volume.name == use.volume)


def _claim(
    namespace: str, name: str, class_name: str, like: PersistentVolumeClaim | None
) -> PersistentVolumeClaim:
    spec = (
        like.spec
        if like
        else PersistentVolumeClaimSpec(
            access_modes=("ReadWriteOnce",), resources=VolumeResourceRequirements(requests={"storage": "1Gi"})
        )
    )
    owners = like.metadata.owner_references if like and like.name == name else ()
    return PersistentVolumeClaim(
        api_version="v1",
        kind="PersistentVolumeClaim",
        metadata=ObjectMeta(name=name, namespace=namespace, owner_references=owners),
        spec=replace(spec, volume_name="", selector=None, storage_class_name=class_name),
        status=PersistentVolumeClaimStatus(phase="Pending"),
    )


def _emptied(situation: Situation, use: ClaimUse) -> Iterator[Measure]:
    at = _place(situation, use)
    yield _as_empty_dirs((at,), situation)


def _without(situation: Situation) -> Measure | None:
    """The pod without any volume that is not made for it alone, empty directories in their place."""
    if any(is_named_by_set(situation, use.key.name) for use in claim_uses(situation.pod)):
        return None
    places = [
        at
        for at, volume in enumerate(situation.spec.volumes)
        if volume.has_source and not volume.is_configuration and volume.image is None
    ]
    return _as_empty_dirs(tuple(places), situation) if places else None


def _as_empty_dirs(places: tuple[int, ...], situation: Situation) -> Measure:
    names = [situation.spec.volumes[at].name for at in places]
    operations = tuple(
        put({"name": name, "emptyDir": {}}, "spec", "volumes", at)
        for at, name in zip(places, names, strict=True)
    )
    return Measure(
        "new-claim",
        f"volume {' and '.join(names)} as an emptyDir",
        (PodPatch(operations),),
        size=1.5 * len(names),
        note="nothing that is written there outlives the pod",
        topic="emptyDir",
    )


def _deleted(claim: PersistentVolumeClaim) -> str:
    return f"kubectl delete pvc {claim.name} -n {claim.namespace}"


def _echoed(made: PersistentVolumeClaim) -> str:
    written: Any = patched(document_of(made), [remove("status")])
    return f"echo {shlex.quote(json.dumps(written))}"


def applied(made: PersistentVolumeClaim) -> str:
    """The command that makes a claim."""
    return f"{_echoed(made)} | kubectl apply -f -"
