"""Claims that come into being with a workload: the default class, and volumes that are provisioned at once."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from kschedctl.objects.meta import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    TopLevel,
)
from kschedctl.objects.storage import (
    CsiPersistentVolumeSource,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    StorageClass,
    VolumeNodeAffinity,
)
from kschedctl.whatif.world.world import World

DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"
BOUND: Final = "pv.kubernetes.io/bind-completed"
NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"


def ready_claim(world: World, claim: PersistentVolumeClaim) -> tuple[TopLevel, ...]:
    """A new claim as the scheduler will find it: with its class, and bound where its class binds at once.

    A claim of an `Immediate` class is bound before the scheduler sees a pod, to a volume whose place the
    provisioner alone knows: it is taken to be within reach of every node that the class allows.
    """
    storage_class = _class_of(world, claim)
    if storage_class is None:
        return (claim,)
    if claim.spec.storage_class_name is None and _CLASS_ANNOTATION not in claim.metadata.annotations:
        claim = replace(claim, spec=replace(claim.spec, storage_class_name=storage_class.name))
    immediate = (storage_class.volume_binding_mode or "Immediate") == "Immediate"
    if not immediate or claim.spec.volume_name or storage_class.provisioner in ("", NO_PROVISIONER):
        return (claim,)
    volume = _volume(claim, storage_class)
    note = (
        f"volumes of class {storage_class.name} (volumeBindingMode Immediate) are taken to be provisioned "
        "within reach of every node that the class allows"
    )
    if note not in world.notes:
        world.notes.append(note)
    bound = replace(
        claim,
        metadata=replace(claim.metadata, annotations={**claim.metadata.annotations, BOUND: "yes"}),
        spec=replace(claim.spec, volume_name=volume.name),
    )
    return (volume, bound)


def _class_of(world: World, claim: PersistentVolumeClaim) -> StorageClass | None:
    name = claim.metadata.annotations.get(_CLASS_ANNOTATION, claim.spec.storage_class_name)
    if name is not None:
        return world.find(StorageClass, name)
    defaults = [c for c in world.all(StorageClass) if c.metadata.annotations.get(DEFAULT_CLASS) == "true"]
    defaults.sort(key=lambda c: c.name)
    defaults.sort(key=lambda c: c.metadata.creation_timestamp or "", reverse=True)
    return defaults[0] if defaults else None


def _volume(claim: PersistentVolumeClaim, storage_class: StorageClass) -> PersistentVolume:
    name = f"pvc-{claim.namespace}-{claim.name}"
    terms = tuple(
        NodeSelectorTerm(
            match_expressions=tuple(
                NodeSelectorRequirement(key=e.key, operator="In", values=e.values)
                for e in topology.match_label_expressions
            )
        )
        for topology in storage_class.allowed_topologies
    )
    reach = VolumeNodeAffinity(required=NodeSelector(node_selector_terms=terms)) if terms else None
    owner = ObjectReference(
        kind="PersistentVolumeClaim", namespace=claim.namespace, name=claim.name, uid=claim.metadata.uid
    )
    return PersistentVolume(
        api_version="v1",
        kind="PersistentVolume",
        metadata=ObjectMeta(name=name),
        spec=PersistentVolumeSpec(
            capacity=claim.spec.resources.requests,
            access_modes=claim.spec.access_modes,
            claim_ref=owner,
            storage_class_name=storage_class.name,
            volume_mode=claim.spec.volume_mode,
            node_affinity=reach,
            csi=CsiPersistentVolumeSource(driver=storage_class.provisioner, volume_handle=name),
        ),
    )
