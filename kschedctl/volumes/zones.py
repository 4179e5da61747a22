"""Zone and region labels of bound volumes against those of nodes (spec 04 §4)."""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
from msgspec import Struct

from kschedctl.objects.selectors import Requirement
from kschedctl.objects.storage import PersistentVolume, PersistentVolumeClaim
from kschedctl.objects.well_known import BETA_REGION, BETA_ZONE, REGION, TOPOLOGY_LABELS, ZONE, ZONE_SEPARATOR
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import ClaimKey, PodWithVolumes, claim_uses, class_of_claim
from kschedctl.volumes.pod_volumes import WAIT_FOR_FIRST_CONSUMER
from kschedctl.volumes.topology import Mask, NodeLabelColumns

_GA_OF = {BETA_ZONE: ZONE, BETA_REGION: REGION}


class ZoneProblem(Enum):
    """Why the zones of a pod's volumes cannot be told."""

    CLAIM_UNNAMED = auto()
    CLAIM_MISSING = auto()
    NEITHER_VOLUME_NOR_CLASS = auto()
    CLASS_MISSING = auto()
    VOLUME_UNNAMED = auto()
    VOLUME_MISSING = auto()


class UnknownZones(Struct, frozen=True):
    """The first claim whose zones cannot be told; `subject` is the name of what is missing."""

    problem: ZoneProblem
    subject: str = ""


class ZoneConstraint(Struct, frozen=True):
    """A topology label of a volume.

    Attributes:
        claim: the claim bound to the volume.
        volume: name of the volume.
        key: the label.
        values: the zones or regions that it names, sorted.
    """

    claim: ClaimKey
    volume: str
    key: str
    values: tuple[str, ...]


def zone_constraints(
    pod: PodWithVolumes, catalog: StorageCatalog
) -> tuple[ZoneConstraint, ...] | UnknownZones:
    """The constraints of all bound volumes of a pod; generic ephemeral volumes have none."""
    constraints: list[ZoneConstraint] = []
    for use in claim_uses(pod):
        if use.ephemeral:
            continue
        if not use.key.name:
            return UnknownZones(ZoneProblem.CLAIM_UNNAMED)
        claim = catalog.claims.get(use.key)
        if claim is None:
            return UnknownZones(ZoneProblem.CLAIM_MISSING, use.key.name)
        if not claim.spec.volume_name:
            problem = _unbound_problem(claim, catalog)
            if problem is not None:
                return problem
            continue
        volume = catalog.volumes.get(claim.spec.volume_name)
        if volume is None:
            return UnknownZones(ZoneProblem.VOLUME_MISSING, claim.spec.volume_name)
        constraints += _constraints_of(volume, use.key)
    return tuple(constraints)


def _unbound_problem(claim: PersistentVolumeClaim, catalog: StorageCatalog) -> UnknownZones | None:
    """Why a claim has no volume; None for one that waits for its first consumer."""
    name = class_of_claim(claim)
    if not name:
        return UnknownZones(ZoneProblem.NEITHER_VOLUME_NOR_CLASS)
    storage_class = catalog.classes.get(name)
    if storage_class is None:
        return UnknownZones(ZoneProblem.CLASS_MISSING, name)
    if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        return None
    return UnknownZones(ZoneProblem.VOLUME_UNNAMED)


def _constraints_of(volume: PersistentVolume, claim: ClaimKey) -> list[ZoneConstraint]:
    constraints = []
    for key in TOPOLOGY_LABELS:
        parts = [part.strip() for part in volume.metadata.labels.get(key, "").split(ZONE_SEPARATOR)]
        if all(parts):  # an empty part voids the label
            constraints.append(ZoneConstraint(claim, volume.name, key, tuple(sorted(set(parts)))))
    return constraints


def violations(constraint: ZoneConstraint, nodes: NodeLabelColumns) -> Mask:
    """Nodes outside the constraint, bool (N,). A node without any topology label is outside of none.

    A beta label of the volume is also met by the node's GA label where the node has no beta label.
    """
    inside = nodes.mask_of(Requirement(constraint.key, "In", constraint.values))
    ga = _GA_OF.get(constraint.key)
    if ga is not None:
        lacks = nodes.mask_of(Requirement(constraint.key, "DoesNotExist"))
        inside = inside | (lacks & nodes.mask_of(Requirement(ga, "In", constraint.values)))
    labelled = np.logical_or.reduce([nodes.mask_of(Requirement(key, "Exists")) for key in TOPOLOGY_LABELS])
    outside: Mask = labelled & ~inside
    return outside
