"""The claims that a pod uses, and the few facts about a claim or a volume that decide (spec 04 §0.4)."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.quantity import ZERO, Quantity, parse
from kschedctl.objects.storage import PersistentVolume, PersistentVolumeClaim

CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
BOUND_ANNOTATION: Final = "pv.kubernetes.io/bind-completed"
SELECTED_NODE_ANNOTATION: Final = "volume.kubernetes.io/selected-node"

READ_WRITE_ONCE_POD: Final = "ReadWriteOncePod"


class ClaimKey(NamedTuple):
    """Identity of a claim."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class ClaimUse(Struct, frozen=True):
    """A volume of a pod that stands for a claim.

    Attributes:
        volume: name of the volume.
        key: the claim.
        ephemeral: whether it is a generic ephemeral volume, whose claim must belong to the pod.
    """

    volume: str
    key: ClaimKey
    ephemeral: bool


class PodWithVolumes(Protocol):
    """What is read of a pod."""

    @property
    def name(self) -> str:
        """Name."""

    @property
    def namespace(self) -> str:
        """Namespace."""

    @property
    def uid(self) -> str:
        """Uid, which owns the claims of generic ephemeral volumes."""

    @property
    def spec(self) -> PodSpec:
        """Spec; only its volumes are read."""


def claim_uses(pod: PodWithVolumes) -> tuple[ClaimUse, ...]:
    """The claims of a pod in the order of its volumes; a claim of two volumes occurs twice."""
    uses = []
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            key = ClaimKey(pod.namespace, volume.persistent_volume_claim.claim_name)
            uses.append(ClaimUse(volume.name, key, ephemeral=False))
        elif volume.ephemeral is not None:
            key = ClaimKey(pod.namespace, f"{pod.name}-{volume.name}")
            uses.append(ClaimUse(volume.name, key, ephemeral=True))
    return tuple(uses)


def is_owned_by(claim: PersistentVolumeClaim, pod: PodWithVolumes) -> bool:
    """Whether the claim was made for the pod; only the uid of the controlling owner is compared."""
    owner = claim.metadata.controller
    return claim.namespace == pod.namespace and owner is not None and owner.uid == pod.uid


def key_of(claim: PersistentVolumeClaim) -> ClaimKey:
    """Identity of a claim."""
    return ClaimKey(claim.namespace, claim.name)


def uid_of(claim: PersistentVolumeClaim) -> str:
    """Uid of a claim, `namespace/name` where none is written."""
    return claim.metadata.uid or claim.full_name


def class_of_claim(claim: PersistentVolumeClaim) -> str:
    """Name of the claim's class, empty for none; the old annotation wins, even when it is empty."""
    return _class_of(claim.metadata, claim.spec.storage_class_name or "")


def class_of_volume(volume: PersistentVolume) -> str:
    """Name of the volume's class, empty for none; the old annotation wins, even when it is empty."""
    return _class_of(volume.metadata, volume.spec.storage_class_name)


def _class_of(metadata: ObjectMeta, field: str) -> str:
    return metadata.annotations.get(CLASS_ANNOTATION, field)


def is_fully_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether claim and volume are bound to each other; the phase plays no part."""
    return bool(claim.spec.volume_name) and BOUND_ANNOTATION in claim.metadata.annotations


def requested_storage(claim: PersistentVolumeClaim) -> Quantity:
    """Size that the claim asks for, 0 where none is written."""
    raw = claim.spec.resources.requests.get("storage")
    return ZERO if raw is None else parse(raw)


def capacity_of(volume: PersistentVolume) -> Quantity:
    """Size of the volume, 0 where none is written."""
    raw = volume.spec.capacity.get("storage")
    return ZERO if raw is None else parse(raw)
