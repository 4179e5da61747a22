"""ImageLocality: nodes that hold the pod's images (spec 02 D.10)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreScoreResult, Scores
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.scoring import MAX_SCORE
from kschedctl.framework.versions import ImageVolumes
from kschedctl.objects.pod import PodSpec
from kschedctl.plugins.signatures import Fragments

_MIB = 1024 * 1024
_LOW = 23 * _MIB
_HIGH_PER_CONTAINER = 1000 * _MIB


class ImageLocality(Plugin[None, npt.NDArray[np.int64]]):
    """Sum of the sizes of images that are there, each scaled by how widely it is spread."""

    spec = PluginSpec(
        name="ImageLocality",
        points=frozenset({ExtensionPoint.SCORE}),
        reads=Reads.NODES,
        score_title="Image",
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The images of all containers."""
        return {"ImageNames": sorted(set(images_of(pod.pod.spec, ImageVolumes.IGNORED)))}

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[npt.NDArray[np.int64]]:
        """State: scores of all nodes, int64 (N,)."""
        spec = pod.pod.spec
        nodes, there, volumes = cluster.nodes, cluster.present, self.context.facts.image_volumes
        present, met = np.zeros(nodes.count, np.int64), False
        for name in images_of(spec, volumes):
            spread = nodes.images.get(name)
            met = met or spread is not None
            if spread is not None and not there.all:
                spread = spread.among(there.mask)
            if spread is not None:
                present[spread.rows] += spread.spread_size(there.count)
        holders = len(spec.init_containers) + len(spec.containers)
        if volumes is ImageVolumes.COUNTED:
            holders += len(image_volumes(spec))
        high = _HIGH_PER_CONTAINER * holders
        clamped = np.clip(present, _LOW, max(high, _LOW))
        if high <= _LOW:
            return PreScoreResult(np.zeros(nodes.count, np.int64))
        return PreScoreResult(MAX_SCORE * (clamped - _LOW) // (high - _LOW), counts_nodes=met)

    def score(self, state: npt.NDArray[np.int64], rows: Rows) -> Scores:
        """The score of each row."""
        return np.zeros(len(rows), np.int64) if rows.emptied else np.asarray(rows.column(state))

    def score_gap(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64], row: int, other: int
    ) -> str:
        """The images that only one of the nodes holds."""
        parts = []
        for name in dict.fromkeys(images_of(pod.pod.spec, self.context.facts.image_volumes)):
            spread = cluster.nodes.images.get(name)
            holding = [
                cluster.nodes.names[r] for r in (row, other) if spread is not None and r in spread.rows
            ]
            if len(holding) == 1:
                parts.append(f"{holding[0]} holds {name}")
        return "; ".join(parts)


def images_of(spec: PodSpec, volumes: ImageVolumes) -> list[str]:
    """The images of a pod by their names on nodes; an image that is used twice counts twice."""
    names = [c.image for c in (*spec.init_containers, *spec.containers)]
    if volumes is not ImageVolumes.IGNORED:
        names += image_volumes(spec)
    return [_normalized(name) for name in names]


def image_volumes(spec: PodSpec) -> list[str]:
    """The images that a pod mounts as volumes, as its spec names them."""
    return [volume.image.reference for volume in spec.volumes if volume.image is not None]


def _normalized(name: str) -> str:
    """The name with `:latest` where it has no tag: no colon to the right of the last slash."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"
