"""Finding an existing volume for a claim, on all nodes at once (spec 04 §3.5)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from kschedctl.objects.selectors import Selector, parse_label_selector
from kschedctl.objects.storage import PersistentVolume, PersistentVolumeClaim
from kschedctl.volumes.assumed import AssumedBindings
from kschedctl.volumes.claims import capacity_of, requested_storage
from kschedctl.volumes.reservations import Reservations
from kschedctl.volumes.topology import Ints, Mask, NodeTopology, Terms, affinity_terms

NO_VOLUME: Final = -1

_FILESYSTEM = "Filesystem"


class VolumePool:
    """The volumes of one class as columns, in order of size and then of name.

    The smallest volume that fits wins. Among equal sizes the real scheduler takes a random one; here it is
    the first by name.

    Attributes:
        volumes: the P volumes.
    """

    def __init__(
        self, volumes: Sequence[PersistentVolume], topology: NodeTopology, assumed: AssumedBindings
    ) -> None:
        self.volumes = tuple(sorted(volumes, key=lambda v: (capacity_of(v).nano, v.name)))
        self._topology = topology
        self._reservations = Reservations(self.volumes, assumed)
        self._sizes = [capacity_of(volume).nano for volume in self.volumes]
        self._available = self._column([v.status.phase == "Available" for v in self.volumes])
        self._deleted = self._column([v.metadata.deletion_timestamp is not None for v in self.volumes])
        sorts = [_sort_of(v) for v in self.volumes]
        self._sorts = list(dict.fromkeys(sorts))
        code = {sort: i for i, sort in enumerate(self._sorts)}
        self._labelled_by: dict[Selector, Mask] = {}
        self._sort = np.fromiter((code[sort] for sort in sorts), np.int64, len(sorts))

    def _column(self, cells: list[bool]) -> Mask:
        return np.fromiter(cells, bool, len(cells))

    def find(self, claim: PersistentVolumeClaim, selector: Selector | None, taken: Sequence[Ints]) -> Ints:
        """The volume for the claim on each node.

        Args:
            claim: a claim of this class that is not bound.
            selector: its parsed selector, None where it has none.
            taken: for each earlier claim of the pod in this class its volume per node, int64 (N,).

        Returns:
            int64 (N,), position in `volumes`, `NO_VOLUME` where none fits.
        """
        reservations = self._reservations.catch_up()
        suitable = self._suitable(claim)
        found = self._smallest(suitable & self._free(claim, selector) & ~reservations.claimed, taken)
        undecided = np.ones(self._topology.count, bool)
        for position in reservations.of(claim):
            if suitable[position]:
                # A volume reserved for the claim decides alone: unreachable means no volume on that node.
                here = undecided.copy()
                for earlier in taken:
                    here &= earlier != position
                reachable = self._topology.mask(self._terms[position])
                found = np.where(here, np.where(reachable, position, NO_VOLUME), found)
                undecided &= ~here
        return found

    def unfit(self, claim: PersistentVolumeClaim, row: int) -> dict[str, list[str]]:
        """Why the volumes do not serve a claim on one node: reason -> their names, each volume told once."""
        reservations = self._reservations.catch_up()
        claimed = reservations.claimed.copy()
        claimed[reservations.of(claim)] = False
        reachable = np.array([row in self._topology.rows(terms) for terms in self._distinct], bool)
        left = np.ones(len(self.volumes), bool)
        selector = None if claim.spec.selector is None else parse_label_selector(claim.spec.selector)
        found = {}
        for why, mask in (
            ("not reachable", ~reachable[self._reach]),
            ("taken", claimed),
            ("too small", self._column([size < requested_storage(claim).nano for size in self._sizes])),
            ("not available", ~self._available),
            (
                "without the labels that the claim selects",
                ~left if selector is None else ~self._labelled(selector),
            ),
            ("of another kind", left),
        ):
            found[why] = [self.volumes[at].name for at in np.flatnonzero(left & mask)]
            left = left & ~mask
        return found

    def _suitable(self, claim: PersistentVolumeClaim) -> Mask:
        """Size, mode and attributes fit and the volume stays, bool (P,): the tests before all others."""
        fits = ~self._deleted
        fits[: bisect_left(self._sizes, requested_storage(claim).nano)] = False
        wanted = (claim.spec.volume_mode or _FILESYSTEM, claim.spec.volume_attributes_class_name or "")
        same = [sort[:2] == wanted for sort in self._sorts]
        fits &= np.array(same, bool)[self._sort]
        return fits

    def _free(self, claim: PersistentVolumeClaim, selector: Selector | None) -> Mask:
        """Phase, access modes and labels are right, bool (P,); not asked of a reserved volume."""
        modes = frozenset(claim.spec.access_modes)
        grants = [modes <= sort[2] for sort in self._sorts]
        free: Mask = self._available & np.array(grants, bool)[self._sort]
        return free if selector is None else free & self._labelled(selector)

    def _labelled(self, selector: Selector) -> Mask:
        """Volumes whose labels the selector selects, bool (P,)."""
        known = self._labelled_by.get(selector)
        if known is None:
            known = self._column([selector.matches(volume.metadata.labels) for volume in self.volumes])
            self._labelled_by[selector] = known
        return known

    def _smallest(self, candidates: Mask, taken: Sequence[Ints]) -> Ints:
        """The first candidate that each node reaches and that no earlier claim has, int64 (N,).

        Volumes with the same reach form a group. Earlier claims took at most `len(taken)` volumes of a node,
        so of each group the first `len(taken) + 1` candidates are enough.
        """
        members = self._by_reach[candidates[self._by_reach]]
        reach = self._reach[members]
        if not len(members):
            return np.full(self._topology.count, NO_VOLUME)
        starts = np.flatnonzero(np.r_[True, reach[1:] != reach[:-1]])
        rank = np.arange(len(members)) - np.repeat(starts, np.diff(np.r_[starts, len(members)]))
        positions, rows = self._pairs(members[rank <= len(taken)])
        for earlier in taken:
            kept = earlier[rows] != positions
            positions, rows = positions[kept], rows[kept]
        best = np.full(self._topology.count, len(self.volumes))
        np.minimum.at(best, rows, positions)
        best[best == len(self.volumes)] = NO_VOLUME
        return best

    def _pairs(self, members: Ints) -> tuple[Ints, Ints]:
        """Each member with each row that reaches it: positions and rows, int64 each."""
        reach = self._reach[members]
        starts, counts = self._reach_start[reach], self._reach_size[reach]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(members, counts), self._reach_rows[np.repeat(starts, counts) + within]

    @cached_property
    def _terms(self) -> list[Terms]:
        """Where each volume is reachable; static matching never translates in-tree volumes."""
        return [
            affinity_terms(v.spec.node_affinity.required if v.spec.node_affinity else None)
            for v in self.volumes
        ]

    @cached_property
    def _distinct(self) -> dict[Terms, int]:
        """Distinct reach -> its number."""
        return {terms: i for i, terms in enumerate(dict.fromkeys(self._terms))}

    @cached_property
    def _reach(self) -> Ints:
        """int64 (P,): number of each volume's reach."""
        return np.fromiter((self._distinct[t] for t in self._terms), np.int64, len(self.volumes))

    @cached_property
    def _by_reach(self) -> Ints:
        """int64 (P,): positions in order of reach, then of size."""
        return np.argsort(self._reach, kind="stable")

    @cached_property
    def _reach_size(self) -> Ints:
        """int64 (distinct,): how many rows."""
        sizes = [len(self._topology.rows(terms)) for terms in self._distinct]
        return np.array(sizes, np.int64)

    @cached_property
    def _reach_start(self) -> Ints:
        """int64 (distinct,): where the rows begin in `_reach_rows`."""
        return np.cumsum(self._reach_size) - self._reach_size

    @cached_property
    def _reach_rows(self) -> Ints:
        """int64: rows of all distinct reaches, one after the other."""
        return np.concatenate([self._topology.rows(terms) for terms in self._distinct])


def _sort_of(volume: PersistentVolume) -> tuple[str, str, frozenset[str]]:
    """What volumes of a class differ in beside size: mode, attributes class, access modes."""
    spec = volume.spec
    return (
        spec.volume_mode or _FILESYSTEM,
        spec.volume_attributes_class_name or "",
        frozenset(spec.access_modes),
    )
