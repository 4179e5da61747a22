"""Claims, their volumes, and how many of them a node can attach."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from kschedctl.advice.json_patch import Operation, add, add_within, document_of, remove
from kschedctl.advice.measure import Addition, Measure, ObjectPatch, PodPatch, Reference
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.meta import ObjectMeta, ResourceList
from kschedctl.objects.quantity import parse
from kschedctl.objects.storage import (
    CsiNode,
    CsiStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    StorageClass,
    VolumeResourceRequirements,
)

_NO_PROVISIONER = "kubernetes.io/no-provisioner"
_MOST_MORE = 8


def claims(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """A missing claim made, an unbound one of another class, a new one in the place of one that is bound elsewhere."""
    for at, volume in enumerate(situation.spec.volumes):
        source = volume.persistent_volume_claim
        if source is None:
            continue
        found = situation.cluster.objects.find(
            PersistentVolumeClaim, source.claim_name, situation.record.namespace
        )
        if found is not None and not found.spec.volume_name:
            yield from _matching(situation, found)
        for storage_class in _classes(situation):
            if found is None:
                yield _missing(situation, source.claim_name, storage_class)
            else:
                if not found.spec.volume_name:
                    yield _reclassed(found, storage_class)
                yield _renewed(situation, found, at, storage_class)
    yield from _without(situation)


def _matching(situation: Situation, claim: PersistentVolumeClaim) -> Iterator[Measure]:
    """A claim that asks for less, and volumes that are made to match it."""
    wanted = _size(claim.spec.resources.requests)
    target = Reference("PersistentVolumeClaim", claim.namespace, claim.name)
    smaller: dict[int, str] = {}
    volumes = situation.cluster.objects.all(PersistentVolume).values()
    for volume in volumes:
        if volume.spec.storage_class_name != (claim.spec.storage_class_name or ""):
            continue
        raw = volume.spec.capacity.get("storage")
        if raw is not None and 0 < _size(volume.spec.capacity) < wanted:
            smaller[_size(volume.spec.capacity)] = str(raw)
        reference = Reference("PersistentVolume", "", volume.name)
        if _is_left(situation, volume):
            operation = remove("spec", "claimRef")
            patch = shlex.quote(json.dumps([operation]))
            yield Measure(
                "claim",
                f"volume {volume.name}, whose claim is gone, given free",
                (ObjectPatch(reference, (operation,)),),
                command=f"kubectl patch pv {volume.name} --type=json -p {patch}",
                note=f"{volume.name} holds the data of its last claim",
            )
        labels = claim.spec.selector.match_labels if claim.spec.selector else {}
        lacking = {k: v for k, v in labels.items() if volume.metadata.labels.get(k) != v}
        if lacking and volume.spec.claim_ref is None:
            edit = ObjectPatch(reference, tuple(add_labels(document_of(volume), lacking)))
            pairs = [f"{key}={value}" for key, value in lacking.items()]
            command = f"kubectl label pv {volume.name} {' '.join(pairs)}"
            text = f"volume {volume.name} labelled {' and '.join(pairs)}"
            yield Measure("claim", text, (edit,), size=0.9, command=command)
    for capacity in situation.cluster.objects.all(CsiStorageCapacity).values():
        if capacity.storage_class_name == (claim.spec.storage_class_name or ""):
            for raw in (capacity.maximum_volume_size, capacity.capacity):
                if raw is not None and 0 < _size({"storage": raw}) < wanted:
                    smaller[_size({"storage": raw})] = str(raw)
                    break
    for size in sorted(smaller, reverse=True)[:2]:
        operation = add(smaller[size], "spec", "resources", "requests", "storage")
        yield Measure(
            "claim",
            f"claim {claim.name} for {smaller[size]} or less",
            (ObjectPatch(target, (operation,)),),
            note="a claim cannot shrink: delete it, and make it anew",
            topic=f"size of {claim.name}",
        )


def _is_left(situation: Situation, volume: PersistentVolume) -> bool:
    """Whether the claim of a volume is not there any more."""
    claim = volume.spec.claim_ref
    if claim is None:
        return False
    found = situation.cluster.objects.find(PersistentVolumeClaim, claim.name, claim.namespace)
    return found is None or bool(claim.uid and found.metadata.uid and claim.uid != found.metadata.uid)


def add_labels(document: Any, labels: Mapping[str, str]) -> list[Operation]:
    """Labels put on an object."""
    if document["metadata"].get("labels"):
        return [add(value, "metadata", "labels", key) for key, value in labels.items()]
    return [add_within(document, dict(labels), "metadata", "labels")]


def _size(resources: ResourceList) -> int:
    raw = resources.get("storage")
    return 0 if raw is None else parse(raw).value()


def _classes(situation: Situation) -> list[StorageClass]:
    """Classes that make volumes, those first that wait for the pod."""
    found = [
        c
        for c in situation.cluster.objects.all(StorageClass).values()
        if c.provisioner and c.provisioner != _NO_PROVISIONER
    ]
    return sorted(found, key=lambda c: (c.volume_binding_mode != "WaitForFirstConsumer", c.name))[:3]


def _claim(
    namespace: str, name: str, storage_class: StorageClass, like: PersistentVolumeClaim | None
) -> PersistentVolumeClaim:
    spec = (
        like.spec
        if like
        else PersistentVolumeClaimSpec(
            access_modes=("ReadWriteOnce",), resources=VolumeResourceRequirements(requests={"storage": "1Gi"})
        )
    )
    return PersistentVolumeClaim(
        api_version="v1",
        kind="PersistentVolumeClaim",
        metadata=ObjectMeta(name=name, namespace=namespace),
        spec=replace(spec, volume_name="", selector=None, storage_class_name=storage_class.name),
        status=PersistentVolumeClaimStatus(phase="Pending"),
    )


def _missing(situation: Situation, name: str, storage_class: StorageClass) -> Measure:
    made = _claim(situation.record.namespace, name, storage_class, None)
    return Measure(
        "claim",
        f"claim {name} made, of class {storage_class.name}",
        (Addition((made,)),),
        note="its size is yours to say",
    )


def _reclassed(found: PersistentVolumeClaim, storage_class: StorageClass) -> Measure:
    target = Reference("PersistentVolumeClaim", found.namespace, found.name)
    operation = add_within(document_of(found), storage_class.name, "spec", "storageClassName")
    return Measure(
        "storage-class",
        f"claim {found.name} of class {storage_class.name}",
        (ObjectPatch(target, (operation,)),),
        note="the class of a claim cannot be changed: delete it, and make it anew",
    )


def _renewed(
    situation: Situation, found: PersistentVolumeClaim, at: int, storage_class: StorageClass
) -> Measure:
    name = f"{found.name}-new"
    made = _claim(found.namespace, name, storage_class, found)
    operation = add(name, "spec", "volumes", at, "persistentVolumeClaim", "claimName")
    return Measure(
        "new-claim",
        f"a new claim in place of {found.name}, of class {storage_class.name}",
        (Addition((made,)), PodPatch((operation,))),
        note=f"the data of {found.name} stays where it is",
    )


def _without(situation: Situation) -> Iterator[Measure]:
    """The pod without the volumes, an empty directory in their place."""
    document = msgspec.to_builtins(situation.spec.volumes)
    operations: list[Operation] = []
    names = []
    for at, volume in enumerate(situation.spec.volumes):
        if volume.has_source and not volume.is_configuration and volume.image is None:
            operations.append(
                {
                    "op": "replace",
                    "path": f"/spec/volumes/{at}",
                    "value": {"name": document[at]["name"], "emptyDir": {}},
                }
            )
            names.append(volume.name)
    if names:
        yield Measure(
            "new-claim",
            f"volume {' and '.join(names)} as an emptyDir",
            (PodPatch(tuple(operations)),),
            size=1.5 * len(names),
            note="nothing that is written there outlives the pod",
        )


def attach_limits(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """A higher limit of a driver on a node, as its driver would have to report it."""
    for row in situation.nearest(rows, 3).tolist():
        name = situation.cluster.nodes.names[row]
        found = situation.cluster.objects.find(CsiNode, name)
        if found is None:
            continue
        for at, driver in enumerate(found.spec.drivers):
            if driver.allocatable is None or driver.allocatable.count is None:
                continue
            for more in (1, 2, 4, _MOST_MORE):
                count = driver.allocatable.count + more
                operation = add(count, "spec", "drivers", at, "allocatable", "count")
                yield Measure(
                    "volume-limit",
                    f"{name} attaches {count} volumes of {driver.name} (limit now {driver.allocatable.count})",
                    (ObjectPatch(Reference("CSINode", "", name), (operation,)),),
                    size=round(1 + 0.1 * more, 2),
                    row=row,
                    note="the limit is what the driver reports; a larger machine type has a higher one",
                )
