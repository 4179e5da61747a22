"""Binding the claims of a pod, asked of all nodes at once (spec 04 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

import numpy as np
from msgspec import Struct

from kschedctl.objects.go_sort import go_sort
from kschedctl.objects.selectors import Selector, SelectorError, parse_label_selector
from kschedctl.objects.storage import PersistentVolume, PersistentVolumeClaim
from kschedctl.volumes.assumed import AssumedBindings, BindingPlan, ClaimReference
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import (
    SELECTED_NODE_ANNOTATION,
    class_of_claim,
    key_of,
    requested_storage,
    uid_of,
)
from kschedctl.volumes.csi_nodes import CsiNodeColumns
from kschedctl.volumes.in_tree import TranslationError, plugin_of, translated_affinity
from kschedctl.volumes.pod_volumes import PodVolumes
from kschedctl.volumes.provisioning import Offer, Provisioning
from kschedctl.volumes.static_matching import NO_VOLUME, VolumePool
from kschedctl.volumes.topology import Ints, Mask, NodeLabelColumns, NodeTopology, affinity_terms


class ClaimObstacle(Enum):
    """Why a claim cannot be used on a node."""

    VOLUME_MISSING = auto()
    VOLUME_UNREACHABLE = auto()
    SELECTED_ELSEWHERE = auto()
    NOT_PROVISIONED = auto()
    OUTSIDE_TOPOLOGY = auto()
    NO_ROOM = auto()


class ClaimFinding(Struct, frozen=True):
    """An obstacle to one claim.

    Attributes:
        obstacle: what.
        claim: the claim.
        mask: bool (N,), on which nodes.
    """

    obstacle: ClaimObstacle
    claim: PersistentVolumeClaim
    mask: Mask


class StaticBinding(Struct, frozen=True):
    """A claim and the existing volume it would get.

    Attributes:
        claim: the claim.
        pool: the volumes of its class.
        volume: int64 (N,), position in the pool per node, `NO_VOLUME` for none.
    """

    claim: PersistentVolumeClaim
    pool: VolumePool
    volume: Ints


class Provision(Struct, frozen=True):
    """A claim and where a new volume would be made for it.

    Attributes:
        claim: the claim.
        offer: what its class offers.
        mask: bool (N,), nodes on which it gets no existing volume.
    """

    claim: PersistentVolumeClaim
    offer: Offer
    mask: Mask


class BindingAnswer(Struct, frozen=True):
    """What the binding of a pod's claims means for N nodes.

    Attributes:
        findings: what stands in the way, in the order in which it is found.
        failures: `(mask, text)`: nodes for which no answer can be given; overrides all else on them.
        static: existing volumes that would be bound; a node with findings binds nothing.
        provisions: volumes that would be made.
    """

    findings: tuple[ClaimFinding, ...]
    failures: tuple[tuple[Mask, str], ...]
    static: tuple[StaticBinding, ...]
    provisions: tuple[Provision, ...]

    def hit_by(self, count: int, *obstacles: ClaimObstacle) -> Mask:
        """Nodes with one of the obstacles, bool (N,)."""
        mask = np.zeros(count, bool)
        for finding in self.findings:
            if finding.obstacle in obstacles:
                mask |= finding.mask
        return mask

    def plan(self, row: int, node: str) -> BindingPlan:
        """What placing the pod on a node would take; the node must be free of findings."""
        static = tuple(
            (b.pool.volumes[b.volume[row]].name, ClaimReference(key_of(b.claim), uid_of(b.claim)))
            for b in self.static
            if b.volume[row] != NO_VOLUME
        )
        provisioned = tuple(key_of(p.claim) for p in self.provisions if p.mask[row])
        return BindingPlan(node, static, provisioned)


class VolumeBinder:
    """Answers for pods, one after another, over one catalog and one node table.

    Attributes:
        catalog: the storage objects.
        topology: terms over the nodes.
        csi_nodes: CSINode columns.
        assumed: what earlier pods took.
    """

    def __init__(
        self,
        catalog: StorageCatalog,
        nodes: NodeLabelColumns,
        csi_nodes: CsiNodeColumns,
        assumed: AssumedBindings,
    ) -> None:
        self.catalog = catalog
        self.topology = NodeTopology(nodes)
        self.csi_nodes = csi_nodes
        self.assumed = assumed
        self._row_of = nodes.row_of
        self._pools: dict[str, VolumePool] = {}
        self._provisioning: dict[str, Provisioning] = {}

    def find(self, volumes: PodVolumes, *, attributes_classes: bool = True) -> BindingAnswer:
        """What the claims of a pod mean for each node.

        Args:
            volumes: the claims.
            attributes_classes: whether a claim to be bound may have a class of attributes.
        """
        findings, failures = self._check_bound(volumes.bound)
        search = _DelayedSearch(self, volumes.delayed, attributes_classes)
        search.run()
        return BindingAnswer(
            (*findings, *search.findings),
            (*failures, *search.failures),
            tuple(search.static),
            tuple(search.provisions),
        )

    def selected_node(self, claim: PersistentVolumeClaim) -> str | None:
        """The node that was chosen for a claim to be provisioned, None where none was."""
        assumed = self.assumed.node_of_claim.get(key_of(claim))
        return assumed or claim.metadata.annotations.get(SELECTED_NODE_ANNOTATION)

    def pool(self, class_name: str) -> VolumePool:
        """The volumes of a class."""
        known = self._pools.get(class_name)
        if known is None:
            volumes = self.catalog.volumes_of_class.get(class_name, ())
            known = self._pools[class_name] = VolumePool(volumes, self.topology, self.assumed)
        return known

    def provisioning(self, class_name: str) -> Provisioning:
        """What a class offers."""
        known = self._provisioning.get(class_name)
        if known is None:
            storage_class = self.catalog.classes[class_name]
            known = Provisioning(storage_class, self.catalog, self.topology)
            self._provisioning[class_name] = known
        return known

    def is_node(self, name: str) -> Mask:
        """The node of this name, bool (N,)."""
        mask = np.zeros(self.topology.count, bool)
        row = self._row_of.get(name)
        if row is not None:
            mask[row] = True
        return mask

    def _check_bound(
        self, claims: Sequence[PersistentVolumeClaim]
    ) -> tuple[list[ClaimFinding], list[tuple[Mask, str]]]:
        """Whether the volumes of bound claims are reachable; each node stops at its first problem."""
        findings: list[ClaimFinding] = []
        failures: list[tuple[Mask, str]] = []
        going = np.ones(self.topology.count, bool)
        for claim in claims:
            volume = self.catalog.volumes.get(claim.spec.volume_name)
            if volume is None:
                findings.append(ClaimFinding(ClaimObstacle.VOLUME_MISSING, claim, going))
                break
            reachable, failure = self._reach(volume)
            if failure is not None:
                failures.append((going & failure[0], failure[1]))
                going = going & ~failure[0]
            findings.append(ClaimFinding(ClaimObstacle.VOLUME_UNREACHABLE, claim, going & ~reachable))
            going = going & reachable
        return findings, failures

    def _reach(self, volume: PersistentVolume) -> tuple[Mask, tuple[Mask, str] | None]:
        """Where a bound volume is reachable, bool (N,), and where that cannot be told.

        Nodes on which the volume's in-tree plugin is migrated look at the translated volume.
        """
        affinity = volume.spec.node_affinity
        reachable = self.topology.mask(affinity_terms(affinity.required if affinity else None))
        plugin = plugin_of(volume.spec)
        if plugin is None or not plugin.migrated:
            return reachable, None
        migrated = self.csi_nodes.migrated(plugin)
        if not migrated.any():
            return reachable, None
        try:
            translated = affinity_terms(translated_affinity(plugin, volume))
        except TranslationError as error:
            return reachable, (migrated, f"could not translate pv: {error}")
        return np.where(migrated, self.topology.mask(translated), reachable), None


class _DelayedSearch:
    """One search for the claims that are bound when their pod is scheduled."""

    def __init__(
        self, binder: VolumeBinder, claims: Sequence[PersistentVolumeClaim], attributes_classes: bool
    ) -> None:
        self.findings: list[ClaimFinding] = []
        self.failures: list[tuple[Mask, str]] = []
        self.static: list[StaticBinding] = []
        self.provisions: list[Provision] = []
        self._binder = binder
        self._attributes_classes = attributes_classes
        self._going = np.ones(binder.topology.count, bool)
        selected = [(claim, binder.selected_node(claim)) for claim in claims]
        self._selected = [(claim, node) for claim, node in selected if node is not None]
        self._unselected = [claim for claim, node in selected if node is None]
        go_sort(self._unselected, lambda one, other: requested_storage(one) < requested_storage(other))

    def run(self) -> None:
        """Keep to chosen nodes, look for existing volumes, then for new ones."""
        for claim, node in self._selected:
            here = self._binder.is_node(node)
            self.findings.append(ClaimFinding(ClaimObstacle.SELECTED_ELSEWHERE, claim, self._going & ~here))
            self._going = self._going & here
        if not self._going.any():
            return
        to_provision = [(claim, self._going) for claim, _ in self._selected]
        for claim in self._unselected:
            try:
                found = self._match(claim)
            except _UnmatchableError as error:
                self.failures.append((self._going, str(error)))
                return
            to_provision.append((claim, found == NO_VOLUME))
        for claim, mask in to_provision:
            self._provision(claim, mask)

    def _match(self, claim: PersistentVolumeClaim) -> Ints:
        selector = _selector(claim)
        if claim.spec.volume_attributes_class_name and not self._attributes_classes:
            raise _UnmatchableError(
                f"unsupported volumeAttributesClassName is set on claim {key_of(claim)} when the feature-gate "
                "VolumeAttributesClass is disabled"
            )
        pool = self._binder.pool(class_of_claim(claim))
        taken = [binding.volume for binding in self.static if binding.pool is pool]
        found = pool.find(claim, selector, taken)
        self.static.append(StaticBinding(claim, pool, found))
        return found

    def _provision(self, claim: PersistentVolumeClaim, mask: Mask) -> None:
        """The first claim that cannot be provisioned decides on its nodes."""
        offer = self._binder.provisioning(class_of_claim(claim)).offer(claim)
        self.provisions.append(Provision(claim, offer, mask))
        for obstacle, passes in (
            (ClaimObstacle.NOT_PROVISIONED, np.full(len(mask), offer.provisions)),
            (ClaimObstacle.OUTSIDE_TOPOLOGY, offer.allowed),
            (ClaimObstacle.NO_ROOM, offer.has_room),
        ):
            hit = self._going & mask & ~passes
            if hit.any():
                self.findings.append(ClaimFinding(obstacle, claim, hit))
                self._going = self._going & ~hit


class _UnmatchableError(ValueError):
    """No volume can be looked for; the message is upstream's."""


def _selector(claim: PersistentVolumeClaim) -> Selector | None:
    if claim.spec.selector is None:
        return None
    try:
        return parse_label_selector(claim.spec.selector)
    except SelectorError as error:
        raise _UnmatchableError(
            f"error creating internal label selector for claim: {key_of(claim)}: {error}"
        ) from error
