"""PodGroupPodsCount: the more members have a node, the better the placement (spec 07 §6.4)."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.placement import PlacementTrial
from kschedctl.framework.plugin import Plugin, Scores
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.scoring import MAX_SCORE
from kschedctl.framework.status import Code, Status

NONE_PLACED = "no pods from pod group are assigned to any of the candidate placements"


class PodGroupPodsCount(Plugin[None, None]):
    """Members that had a node before the cycle count as well, which makes differences smaller."""

    spec = PluginSpec(
        name="PodGroupPodsCount",
        points=frozenset({ExtensionPoint.PLACEMENT_SCORE}),
    )

    def score_placement(self, trial: PlacementTrial, cluster: ClusterState) -> int:
        """How many members would have a node."""
        return trial.scheduled + len(trial.placed)

    def normalize_placements(self, scores: Scores) -> Scores | Status:
        """Percent of the best."""
        best = int(scores.max())
        if best == 0:
            return Status(Code.ERROR, (NONE_PLACED,))
        return np.asarray(scores * MAX_SCORE // best)
