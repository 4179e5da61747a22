"""Which pods name which claims and legacy disks; equal pods are looked at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from kschedctl.cluster.pods import PodTable
from kschedctl.volumes.claims import ClaimKey, claim_uses
from kschedctl.volumes.legacy_disks import LegacyDisk, legacy_disks
from kschedctl.volumes.topology import Ints


class VolumeUsers:
    """An index over the classes of a pod table, which only ever grow."""

    def __init__(self, pods: PodTable) -> None:
        self._pods = pods
        self._seen = 0
        self._naming: dict[str, Counter[int]] = defaultdict(Counter)
        self._disks: dict[tuple[str, ...], list[tuple[int, LegacyDisk]]] = defaultdict(list)

    def catch_up(self) -> VolumeUsers:
        """Read the classes that came since the last call."""
        classes = self._pods.classes
        for pod_class in classes.since(self._seen):
            for use in claim_uses(pod_class.pod):
                if not use.ephemeral:
                    self._naming[use.key.name][pod_class.index] += 1
            for disk in legacy_disks(pod_class.spec):
                for address in disk.addresses:
                    self._disks[address].append((pod_class.index, disk))
        self._seen = len(classes)
        return self

    def volumes_naming(self, claim: str) -> Mapping[int, int]:
        """Class -> how many of its volumes name a claim, in any namespace; generic ephemeral ones do not."""
        return self._naming.get(claim, {})

    def pods_using(self, claim: ClaimKey) -> list[int]:
        """Ids of the pods on nodes that use a claim."""
        classes = self._pods.classes
        using = [k for k in self.volumes_naming(claim.name) if classes[k].namespace == claim.namespace]
        if not using:
            return []
        found: list[int] = np.flatnonzero(
            np.isin(self._pods.pod_class, using) & (self._pods.node >= 0)
        ).tolist()
        return found

    def conflicting(self, disks: Sequence[LegacyDisk]) -> Ints:
        """int64 (C,): 1 for each class of pods that cannot share a node with these disks."""
        weights = np.zeros(len(self._pods.classes), np.int64)
        for own in disks:
            for address in own.addresses:
                for pod_class, other in self._disks.get(address, ()):
                    if own.conflicts_with(other):
                        weights[pod_class] = 1
        return weights
