"""Which volumes of a pool are for which claims, kept up to date while pods take volumes and give them back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from kschedctl.objects.storage import PersistentVolume, PersistentVolumeClaim
from kschedctl.volumes.assumed import AssumedBindings, ClaimReference
from kschedctl.volumes.claims import ClaimKey, key_of, uid_of
from kschedctl.volumes.topology import Mask


class Reservations:
    """The claims of P volumes: what is written in them, and what earlier pods took."""

    def __init__(self, volumes: Sequence[PersistentVolume], assumed: AssumedBindings) -> None:
        self._volumes = volumes
        self._assumed = assumed
        self._position = {volume.name: i for i, volume in enumerate(volumes)}
        self._written = [_written(volume) for volume in volumes]
        self._now: list[ClaimReference | None] = [None] * len(volumes)
        self._of_claim: dict[ClaimKey, set[int]] = defaultdict(set)
        self._claimed = np.zeros(len(volumes), bool)
        self._follower = assumed.changes.follow()
        self._read(self._position)

    def catch_up(self) -> Reservations:
        """Follow what was taken and given back since the last call."""
        news = self._follower.news()
        self._read(self._position if news is None else news)
        return self

    def _read(self, names: Iterable[str]) -> None:
        """Look at some volumes anew; those of other pools are passed over."""
        for name in names:
            position = self._position.get(name)
            if position is not None:
                self._set(position, self._assumed.claim_of_volume.get(name, self._written[position]))

    @property
    def claimed(self) -> Mask:
        """Volumes that are for some claim, bool (P,); read-only."""
        return self._claimed

    def of(self, claim: PersistentVolumeClaim) -> list[int]:
        """Positions of the volumes that are for this very claim, by name."""
        key, uid = key_of(claim), uid_of(claim)
        named = self._of_claim.get(key, ())
        mine = [i for i in named if (now := self._now[i]) is not None and now.is_for(key, uid)]
        return sorted(mine, key=lambda i: self._volumes[i].name)

    def _set(self, position: int, reference: ClaimReference | None) -> None:
        before = self._now[position]
        if before is not None:
            self._of_claim[before.key].discard(position)
        if reference is not None:
            self._of_claim[reference.key].add(position)
        self._now[position] = reference
        self._claimed[position] = reference is not None


def _written(volume: PersistentVolume) -> ClaimReference | None:
    reference = volume.spec.claim_ref
    if reference is None:
        return None
    return ClaimReference(ClaimKey(reference.namespace, reference.name), reference.uid)
