"""Volumes that exist for claims that are not bound: a claim for less, a volume that matches it, one more of them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kschedctl.advice.json_patch import Operation, add, add_within, document_of, remove
from kschedctl.advice.measure import Addition, Consequence, Measure, ObjectPatch, Reference
from kschedctl.advice.obstacles.written_claims import WrittenClaim
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.meta import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    ResourceList,
)
from kschedctl.objects.quantity import parse
from kschedctl.objects.storage import (
    CsiStorageCapacity,
    LocalVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    StorageClass,
    VolumeNodeAffinity,
)
from kschedctl.objects.well_known import HOSTNAME
from kschedctl.volumes.claims import class_of_claim

NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_MOST_SIZES: Final = 2
_MOST_NODES: Final = 2


def matching(
    situation: Situation, claim: PersistentVolumeClaim, written: WrittenClaim, rows: Ints
) -> Iterator[Measure]:
    """What lets a claim have a volume of its own class."""
    name = class_of_claim(claim)
    own = [
        volume
        for volume in situation.cluster.objects.all(PersistentVolume).values()
        if volume.spec.storage_class_name == name
    ]
    for volume in own:
        if _is_left(situation, volume):
            yield _given_free(volume)
        labels = claim.spec.selector.match_labels if claim.spec.selector else {}
        lacking = {k: v for k, v in labels.items() if volume.metadata.labels.get(k) != v}
        if lacking and volume.spec.claim_ref is None:
            yield _labelled(volume, lacking)
    yield from _smaller(situation, claim, written, own)
    found = situation.cluster.objects.find(StorageClass, name, "")
    if found is not None and found.provisioner == NO_PROVISIONER:
        yield from _local(situation, claim, rows)


def _is_left(situation: Situation, volume: PersistentVolume) -> bool:
    """Whether the claim of a volume is not there any more."""
    claim = volume.spec.claim_ref
    if claim is None:
        return False
    found = situation.cluster.objects.find(PersistentVolumeClaim, claim.name, claim.namespace)
    return found is None or bool(claim.uid and found.metadata.uid and claim.uid != found.metadata.uid)


def _given_free(volume: PersistentVolume) -> Measure:
    target, operation = Reference("PersistentVolume", "", volume.name), remove("spec", "claimRef")
    available = add_within(document_of(volume), "Available", "status", "phase")
    patch = shlex.quote(json.dumps([operation]))
    return Measure(
        "claim",
        f"volume {volume.name}, whose claim is gone, given free",
        (ObjectPatch(target, (operation,)), Consequence(ObjectPatch(target, (available,)))),
        command=f"kubectl patch pv {volume.name} --type=json -p {patch}",
        note=f"{volume.name} holds the data of its last claim",
    )


def _labelled(volume: PersistentVolume, lacking: Mapping[str, str]) -> Measure:
    edit = ObjectPatch(
        Reference("PersistentVolume", "", volume.name), tuple(_add_labels(document_of(volume), lacking))
    )
    pairs = [f"{key}={value}" for key, value in lacking.items()]
    over = " --overwrite" if any(key in volume.metadata.labels for key in lacking) else ""
    command = f"kubectl label pv {volume.name} {' '.join(pairs)}{over}"
    text = f"volume {volume.name} labelled {' and '.join(pairs)}"
    return Measure("claim", text, (edit,), size=0.9, command=command)


def _add_labels(document: Any, labels: Mapping[str, str]) -> list[Operation]:
    if document["metadata"].get("labels"):
        return [add(value, "metadata", "labels", key) for key, value in labels.items()]
    return [add_within(document, dict(labels), "metadata", "labels")]


def _smaller(
    situation: Situation,
    claim: PersistentVolumeClaim,
    written: WrittenClaim,
    own: Sequence[PersistentVolume],
) -> Iterator[Measure]:
    """A claim for no more than a volume of its class has, or than can be made."""
    wanted, name = size_of(claim.spec.resources.requests), class_of_claim(claim)
    sizes = {size_of(volume.spec.capacity): str(volume.spec.capacity.get("storage")) for volume in own}
    for capacity in situation.cluster.objects.all(CsiStorageCapacity).values():
        for raw in (capacity.maximum_volume_size, capacity.capacity):
            if capacity.storage_class_name == name and raw is not None:
                sizes[size_of({"storage": raw})] = str(raw)
    for size in sorted((size for size in sizes if 0 < size < wanted), reverse=True)[:_MOST_SIZES]:
        operation = add(sizes[size], "spec", "resources", "requests", "storage")
        yield Measure(
            "claim",
            f"{written.told} for {sizes[size]} or less",
            written.edits(operation),
            note=written.note if written.template else "a claim cannot shrink: delete it, and make it anew",
            topic=f"size of {claim.name}",
        )


def _local(situation: Situation, claim: PersistentVolumeClaim, rows: Ints) -> Iterator[Measure]:
    """One more local volume, on a node that lacks little else."""
    for row in situation.nearest(rows, _MOST_NODES).tolist():
        node = situation.cluster.nodes.objects[row]
        host = node.metadata.labels.get(HOSTNAME)
        size = claim.spec.resources.requests.get("storage")
        if host is None or size is None:
            continue
        there = NodeSelectorTerm((NodeSelectorRequirement(HOSTNAME, "In", (host,)),))
        volume = PersistentVolume(
            api_version="v1",
            kind="PersistentVolume",
            metadata=ObjectMeta(
                name=f"{claim.name}-{node.name}", labels=_selected(claim) if claim.spec.selector else {}
            ),
            spec=PersistentVolumeSpec(
                capacity={"storage": size},
                access_modes=claim.spec.access_modes,
                storage_class_name=class_of_claim(claim),
                volume_mode=claim.spec.volume_mode,
                node_affinity=VolumeNodeAffinity(NodeSelector((there,))),
                local=LocalVolumeSource(path=f"/mnt/{claim.name}"),
            ),
            status=PersistentVolumeStatus(phase="Available"),
        )
        yield Measure(
            "new-volume",
            f"one more local volume of {size} on {node.name}, of class {class_of_claim(claim)}",
            (Addition((volume,)),),
            row=row,
            note="its path is yours to say",
            topic=f"volume for {claim.name}",
        )


def _selected(claim: PersistentVolumeClaim) -> dict[str, str]:
    return dict(claim.spec.selector.match_labels) if claim.spec.selector else {}


def size_of(resources: ResourceList) -> int:
    """Bytes of `storage`, 0 where none is written."""
    raw = resources.get("storage")
    return 0 if raw is None else parse(raw).value()
