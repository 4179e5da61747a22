"""Which images lie on which nodes (spec 02 D.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kschedctl.objects.node import Node


@dataclass(frozen=True, slots=True)
class ImageSpread:
    """One image name in the cluster.

    Attributes:
        size: bytes, as the first node that lists the name reports it; other reports are not used.
        rows: int64 (k,), the nodes that have it.
    """

    size: int
    rows: npt.NDArray[np.int64]


def image_table(nodes: Sequence[Node], addition: Sequence[int]) -> dict[str, ImageSpread]:
    """Spread of every image name.

    Args:
        nodes: by row.
        addition: rows in order of addition to the cluster, which decides whose size counts.
    """
    sizes: dict[str, int] = {}
    rows: dict[str, list[int]] = {}
    for row in addition:
        names: set[str] = set()
        for image in nodes[row].status.images:
            for name in image.names:
                sizes.setdefault(name, image.size_bytes)
                if name not in names:
                    names.add(name)
                    rows.setdefault(name, []).append(row)
    return {name: ImageSpread(size, np.array(rows[name], np.int64)) for name, size in sizes.items()}
