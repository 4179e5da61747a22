"""How full nodes would be, in words: of the resources that a scoring strategy counts, and of no others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.plugins.packing import Packing, Usable


def usage_gap(state: Sequence[Packing], row: int, other: int, cluster: ClusterState) -> str:
    """Why two nodes score differently: the shares in use with the pod, where they differ."""
    usable, parts = Usable.of(state, Rows(cluster, np.array([row, other]))), []
    for packing, has, total, used in zip(
        usable.resources, usable.has, usable.total, usable.used, strict=True
    ):
        own, rival = (round(share) for share in (100 * used / total).tolist())
        if has.all() and own != rival:
            parts.append(f"{cluster.resources.names[packing.column]} {own} % against {rival} %")
    return f"requested: {'; '.join(parts)}" if parts else ""
