"""DynamicResources, as far as it concerns pods without claims (spec 01 §5.9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import MISSING, PreFilterResult, Scores
from kschedctl.framework.status import Code, Status

from .pending import PendingPlugin

NO_CLAIMS = "no new claims to deallocate"


class DynamicResources(PendingPlugin):
    """Scores 0 everywhere, and answers first in PostFilter."""

    name = "DynamicResources"
    filter_state_missing = "not found"

    def needs(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """Claims of the pod."""
        return "resource claims" if pod.pod.spec.resource_claims else None

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult:
        """Nothing to allocate, but the state that PostFilter asks for is there."""
        super().pre_filter(pod, cluster)
        return PreFilterResult(skip=True)

    def score(self, state: Any, rows: Rows) -> Scores:
        """0: there is nothing to compare."""
        return np.zeros(len(rows), np.int64)

    def post_filter(self, pod: PodRecord, state: Any, cluster: ClusterState) -> Status | None:
        """`not found` where another plugin ended PreFilter before this one."""
        if state is MISSING:
            return Status(Code.ERROR, ("not found",))
        return Status(Code.UNSCHEDULABLE, (NO_CLAIMS,))
