"""DynamicResources: claims of the pod must have, or find, their devices (spec 05).

Nearly every question is about pods without claims in clusters without device classes. The allocator is loaded
only where one of them is there: start-up is a feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.configuration.args import DynamicResourcesArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.normalize import share_of_maximum
from kschedctl.framework.placement import GroupChange, GroupScope
from kschedctl.framework.plugin import (
    MISSING,
    Plugin,
    PluginContext,
    PreFilterResult,
    PreScoreResult,
    Scores,
)
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Background, Code, Detail, Status
from kschedctl.framework.verdicts import Verdicts
from kschedctl.objects.resource import DeviceClass

if TYPE_CHECKING:
    from kschedctl.plugins.device_claims import DeviceClaims

from kschedctl.plugins.hints.claims import claim_interests
from kschedctl.plugins.signatures import Fragments

STATE_MISSING = "not found"
NO_CLAIMS = "no new claims to deallocate"


class DynamicResources(Plugin[Any, Any]):
    """Hands pods that claims or device classes concern to `DeviceClaims`; for the others there is nothing to do."""

    spec = PluginSpec(
        name="DynamicResources",
        points=frozenset(
            {
                ExtensionPoint.PRE_ENQUEUE,
                ExtensionPoint.PRE_FILTER,
                ExtensionPoint.FILTER,
                ExtensionPoint.POST_FILTER,
                ExtensionPoint.SCORE,
                ExtensionPoint.RESERVE,
                ExtensionPoint.PRE_BIND,
                ExtensionPoint.POD_GROUP_POST_FILTER,
            }
        ),
        args=DynamicResourcesArgs,
        filter_state_missing=STATE_MISSING,
        score_title="Devices",
        narrows_to="the devices of the pod can be reached only from",
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        if ExtensionPoint.PRE_FILTER not in context.points:
            self.score_state_missing = STATE_MISSING  # it has no PreScore: Score reads what PreFilter left

    @cached_property
    def _claims(self) -> DeviceClaims:
        from kschedctl.plugins.device_claims import DeviceClaims

        return DeviceClaims(self.name, self.context)

    def _concerns(self, pod: PodRecord, cluster: ClusterState) -> bool:
        """Whether the pod has claims, or might ask for an extended resource that devices back."""
        return bool(pod.pod.spec.resource_claims) or bool(cluster.objects.all(DeviceClass))

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments | None:
        """Nothing, unless the pod has claims, which are its own."""
        return None if pod.pod.spec.resource_claims else {}

    def interests(self) -> tuple[Interest, ...]:
        """Claims, classes, slices and nodes that come or change."""
        facts = self.context.facts
        return claim_interests(facts.devices, deletions=facts.deleted_claims_wake)

    def pre_enqueue(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """Every claim of the pod must exist and be its own."""
        return self._claims.pre_enqueue(pod, cluster) if pod.pod.spec.resource_claims else None

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[Any]:
        """State: the claims. Skips where the pod needs none."""
        if not self._concerns(pod, cluster):
            return PreFilterResult(skip=True)
        return self._claims.pre_filter(pod, cluster)

    def filter(self, state: Any, rows: Rows) -> Verdicts:
        """Reject rows that lack devices, or that the devices cannot be reached from."""
        return self._claims.filter(state, rows)

    def post_filter(self, pod: PodRecord, state: Any, cluster: ClusterState) -> Status | None:
        """Tell whether a claim can be freed; `not found` where PreFilter ended before this plugin's turn."""
        if state is MISSING:
            return Status(Code.ERROR, (STATE_MISSING,))
        if not self._concerns(pod, cluster):
            return Status(Code.UNSCHEDULABLE, (NO_CLAIMS,) if self.context.facts.deallocation_is_told else ())
        return self._claims.post_filter(pod, state, cluster)

    def carry_out(self, pod: PodRecord, state: Any, cluster: ClusterState) -> bool:
        """Free the claim that PostFilter found, one at a time."""
        return self._concerns(pod, cluster) and self._claims.carry_out(pod, state, cluster)

    def group_post_filter(
        self, group: GroupScope, members: Sequence[tuple[PodRecord, Any]], cluster: ClusterState
    ) -> GroupChange | None:
        """What becomes of claims when a group fits nowhere; nothing where it is bound to a topology.

        `not found` where no member came as far as this plugin.
        """
        if group.is_composite or group.topology_key is not None:
            return None
        if all(state is MISSING for _, state in members):
            return GroupChange(Status(Code.ERROR, ("not found",)), lambda: None)
        return self._claims.group_post_filter(group, members, cluster)

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[Any]:
        """State: as in PreFilter."""
        if not self._concerns(pod, cluster):
            return PreScoreResult()
        return self._claims.pre_score(pod, cluster, feasible)

    def score(self, state: Any, rows: Rows) -> Scores | Status:
        """The earlier the alternatives that a node can serve, the higher; 0 without claims."""
        return np.zeros(len(rows), np.int64) if state is None else self._claims.score(state, rows)

    def normalize(self, state: Any, scores: Scores, feasible: npt.NDArray[np.int64]) -> Scores:
        """Percent of the best."""
        return share_of_maximum(scores)

    def reserve(self, pod: PodRecord, state: Any, cluster: ClusterState, row: int) -> Status | None:
        """Check that Filter found devices for all claims."""
        return None if state is None else self._claims.reserve(pod, state, cluster, row)

    def unreserve(self, pod: PodRecord, state: Any, cluster: ClusterState, row: int) -> None:
        """Let the claims be as they were before the pod had its devices."""
        if state is not None:
            self._claims.unreserve(pod, state, cluster)

    def reserve_unfiltered(self, pod: PodRecord, state: Any) -> Status | None:
        """Devices that nobody looked for are not found."""
        return None if state is None else self._claims.reserve_unfiltered(state)

    def pre_bind(self, pod: PodRecord, state: Any, cluster: ClusterState, row: int) -> Status | None:
        """Allocate the claims and reserve them for the pod."""
        return None if state is None else self._claims.pre_bind(pod, state, cluster, row)

    def works_before_binding(self, state: Any) -> bool:
        """Claims are written with their devices."""
        return state is not None

    def details(self, state: Any, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which request could have which devices, and why it could not have the others."""
        return () if state is None else self._claims.details(state, rows, row)

    def background(
        self,
        pod: PodRecord,
        cluster: ClusterState,
        state: Any,
        feasible: npt.NDArray[np.int64] | None,
    ) -> tuple[Background, ...]:
        """The devices that each request would get."""
        return () if state is None else self._claims.background(pod, cluster, state, feasible)
