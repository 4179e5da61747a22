"""What measures about claims are made of: claims, classes, commands, and empty directories in their place."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from kschedctl.advice.json_patch import document_of, patched, put, remove
from kschedctl.advice.measure import Measure, PodPatch
from kschedctl.advice.obstacles.matching_volumes import NO_PROVISIONER
from kschedctl.advice.situation import Situation
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.storage import (
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    StorageClass,
    VolumeResourceRequirements,
)
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import ClaimUse
from kschedctl.volumes.pod_volumes import WAIT_FOR_FIRST_CONSUMER

_MOST_CLASSES: Final = 3


def provisioning_classes(catalog: StorageCatalog, first: str = "") -> list[StorageClass]:
    """Classes that make volumes, those first that wait for the pod, and the named one before others."""
    found = [c for c in catalog.classes.values() if c.provisioner and c.provisioner != NO_PROVISIONER]
    return sorted(
        found, key=lambda c: (c.volume_binding_mode != WAIT_FOR_FIRST_CONSUMER, c.name != first, c.name)
    )[:_MOST_CLASSES]


def place_of(situation: Situation, use: ClaimUse) -> int:
    """The place of a volume among those of the pod."""
    return next(at for at, volume in enumerate(situation.pod.spec.volumes) if volume.name == use.volume)


def new_claim(
    namespace: str, name: str, class_name: str, like: PersistentVolumeClaim | None
) -> PersistentVolumeClaim:
    """A claim of a class without a volume; with the spec and owners of another one, else of 1Gi for one node."""
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


def as_empty_dir(situation: Situation, use: ClaimUse) -> Iterator[Measure]:
    """The pod with an empty directory in the place of a volume."""
    at = place_of(situation, use)
    yield as_empty_dirs((at,), situation)


def as_empty_dirs(places: tuple[int, ...], situation: Situation) -> Measure:
    """The same of several volumes, by their places."""
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


def deleting(claim: PersistentVolumeClaim) -> str:
    """The command that deletes a claim."""
    return f"kubectl delete pvc {claim.name} -n {claim.namespace}"


def echoing(made: PersistentVolumeClaim) -> str:
    """The command that prints a claim, as kubectl reads it."""
    written: Any = patched(document_of(made), [remove("status")])
    return f"echo {shlex.quote(json.dumps(written))}"


def applied(made: PersistentVolumeClaim) -> str:
    """The command that makes a claim."""
    return f"{echoing(made)} | kubectl apply -f -"
