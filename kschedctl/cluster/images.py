"""Which images lie on which nodes (spec 02 D.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.objects.go import int64_of
from kschedctl.objects.node import Node

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class ImageSpread(Struct, frozen=True):
    """One image name in the cluster.

    Attributes:
        rows: int64 (k,), the nodes that have it, in order of addition.
        sizes: int64 (k,), bytes, as each of them reports it.
        kept: bytes, as a node reported it that had it first and is gone; None: no such node.
        known_counts: int64 (k,), how many nodes have it, as the scheduler's snapshot of each of them says; None: k.
    """

    rows: Ints
    sizes: Ints
    kept: int | None = None
    known_counts: Ints | None = None

    @property
    def size(self) -> int:
        """Bytes, as the first node that has it, or had it, reports it; other reports are not used."""
        return int(self.sizes[0]) if self.kept is None else self.kept

    def spread_size(self, nodes: int) -> int | Ints:
        """The size times the share of N nodes that have it, on each of `rows`."""
        if self.known_counts is None:
            return int64_of(self.size * (len(self.rows) / nodes))
        return np.array(
            [int64_of(self.size * (count / nodes)) for count in self.known_counts.tolist()], np.int64
        )

    def among(self, nodes: Mask) -> ImageSpread | None:
        """The same over the nodes that are left, bool (N,); None where none of them has it."""
        held = nodes[self.rows]
        return ImageSpread(self.rows[held], self.sizes[held], self.size) if held.any() else None


def image_table(
    nodes: Sequence[Node], addition: Sequence[int], kept: Mapping[str, int]
) -> dict[str, ImageSpread]:
    """Spread of every image name.

    Args:
        nodes: by row.
        addition: rows in order of addition to the cluster, which decides whose size counts.
        kept: image name -> size that an earlier node reported.
    """
    found: dict[str, dict[int, int]] = {}
    for row in addition:
        for image in nodes[row].status.images:
            for name in image.names:
                found.setdefault(name, {}).setdefault(row, image.size_bytes)
    return {
        name: ImageSpread(
            np.array(list(sizes), np.int64), np.array(list(sizes.values()), np.int64), kept.get(name)
        )
        for name, sizes in found.items()
    }
