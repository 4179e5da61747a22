"""Making a new volume for a claim: where its class and the published capacities allow it (spec 04 §3.6)."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Final

import numpy as np
from msgspec import Struct

from kschedctl.objects.quantity import parse
from kschedctl.objects.storage import CsiStorageCapacity, PersistentVolumeClaim, StorageClass
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.topology import NOWHERE, Ints, Mask, NodeTopology, class_terms, selector_terms

NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
NO_CAPACITY: Final = -1


class Offer(Struct, frozen=True):
    """Where a new volume for a claim can be made.

    Attributes:
        provisions: whether the class makes volumes at all.
        allowed: bool (N,), nodes within the class's topologies.
        capacities: published capacities large enough for the claim; None where the driver publishes none and
            nothing is checked.
        source: int64 (N,), index into `capacities` of the first that covers the node, `NO_CAPACITY` for none.
    """

    provisions: bool
    allowed: Mask
    capacities: tuple[CsiStorageCapacity, ...] | None
    source: Ints

    @property
    def has_room(self) -> Mask:
        """Nodes on which the driver has room for the claim, bool (N,)."""
        if self.capacities is None:
            return np.ones(len(self.source), bool)
        has_room: Mask = self.source != NO_CAPACITY
        return has_room


class Provisioning:
    """What one class offers on the N nodes."""

    def __init__(self, storage_class: StorageClass, catalog: StorageCatalog, topology: NodeTopology) -> None:
        self._class = storage_class
        self._topology = topology
        driver = catalog.drivers.get(storage_class.provisioner)
        self._checks_capacity = driver is not None and bool(driver.spec.storage_capacity)
        self._capacities = [
            (limit, selector_terms(capacity.node_topology), capacity)
            for capacity in catalog.capacities_of_class.get(storage_class.name, ())
            if (limit := volume_limit(capacity)) is not None
        ]
        self._limits = sorted({limit for limit, _, _ in self._capacities})
        self._offers: dict[int | None, Offer] = {}

    def offer(self, claim: PersistentVolumeClaim) -> Offer:
        """Where a volume for the claim can be made; claims are judged one by one, nothing is subtracted."""
        raw = claim.spec.resources.requests.get("storage")
        size = None if raw is None or not self._checks_capacity else parse(raw).value()
        # Sizes that the same capacities hold have one offer.
        held_from = None if size is None else bisect_left(self._limits, size)
        known = self._offers.get(held_from)
        if known is None:
            known = self._offers[held_from] = self._offer(size)
        return known

    def _offer(self, size: int | None) -> Offer:
        """The offer for so many bytes, None where they are not checked."""
        provisions = self._class.provisioner not in ("", NO_PROVISIONER)
        source = np.full(self._topology.count, NO_CAPACITY)
        if size is None:
            return Offer(provisions, self._allowed, None, source)
        fitting = [(terms, c) for limit, terms, c in self._capacities if limit >= size and terms != NOWHERE]
        for i in reversed(range(len(fitting))):
            source[self._topology.rows(fitting[i][0])] = i
        return Offer(provisions, self._allowed, tuple(c for _, c in fitting), source)

    @cached_property
    def largest(self) -> Ints:
        """The largest volume that can be made on each node as published, int64 (N,), bytes; else `NO_CAPACITY`."""
        largest = np.full(self._topology.count, NO_CAPACITY)
        for limit, terms, _ in self._capacities:
            rows = self._topology.rows(terms)
            largest[rows] = np.maximum(largest[rows], limit)
        return largest

    @cached_property
    def _allowed(self) -> Mask:
        return self._topology.mask(class_terms(self._class))


def volume_limit(capacity: CsiStorageCapacity) -> int | None:
    """The largest volume that can be made, in bytes rounded up; None where nothing is published."""
    raw = capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
    return None if raw is None else parse(raw).value()
