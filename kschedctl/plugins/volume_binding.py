"""VolumeBinding: claims must have, find or get a volume that the node reaches (spec 04 §3)."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.configuration.args import VolumeBindingArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PluginContext, PreFilterResult, PreScoreResult, Scores
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.verdicts import Verdicts, first_of
from kschedctl.objects.go import quote, round_half_away
from kschedctl.plugins.hints.volumes import BINDING
from kschedctl.plugins.packing import broken_line
from kschedctl.plugins.signatures import Fragments, of_volumes
from kschedctl.volumes.advice import advice
from kschedctl.volumes.binding import BindingAnswer, ClaimObstacle
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.pod_volumes import PodVolumes, UnusableClaim, VolumeClaimProblem, sort_claims
from kschedctl.volumes.utilization import utilizations
from kschedctl.volumes.wording import room, sentence, subject

UNREACHABLE = "node(s) didn't match PersistentVolume's node affinity"
UNBINDABLE = "node(s) didn't find available persistent volumes to bind"
NO_ROOM = "node(s) did not have enough free storage"
VOLUME_MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"

REASONS = {
    UNREACHABLE: (ClaimObstacle.VOLUME_UNREACHABLE,),
    UNBINDABLE: (
        ClaimObstacle.SELECTED_ELSEWHERE,
        ClaimObstacle.NOT_PROVISIONED,
        ClaimObstacle.OUTSIDE_TOPOLOGY,
    ),
    NO_ROOM: (ClaimObstacle.NO_ROOM,),
    VOLUME_MISSING: (ClaimObstacle.VOLUME_MISSING,),
}
"""Reasons in upstream's order, and what gives rise to them."""

_REASON_OF = {obstacle: reason for reason, obstacles in REASONS.items() for obstacle in obstacles}
_SHAPE_SCALE = 10
"""Shape scores are 0..10, node scores 0..100."""


class _State(Struct, frozen=True, dict=True):
    """A pod's claims, and what they mean for each node, found out when first asked for."""

    volumes: PodVolumes
    storage: ClusterStorage
    attributes_classes: bool
    """Whether the gate VolumeAttributesClass is on."""

    @cached_property
    def answer(self) -> BindingAnswer:
        return self.storage.binder.find(self.volumes, attributes_classes=self.attributes_classes)


STATE_MISSING = "not found"


class VolumeBinding(Plugin[_State, _State]):
    """The search runs over all nodes at once; a node's plan is read off when it is chosen."""

    spec = PluginSpec(
        name="VolumeBinding",
        points=frozenset(
            {
                ExtensionPoint.PRE_FILTER,
                ExtensionPoint.FILTER,
                ExtensionPoint.PRE_SCORE,
                ExtensionPoint.SCORE,
                ExtensionPoint.RESERVE,
                ExtensionPoint.PRE_BIND,
            }
        ),
        args=VolumeBindingArgs,
        filter_state_missing=STATE_MISSING,
        score_title="Volume",
        ignores_pods=True,
        narrows_to="the volumes of the pod can be reached only from",
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._attributes_classes = context.gates.enabled("VolumeAttributesClass")
        self._filters = ExtensionPoint.FILTER in context.points
        self._scores = context.gates.enabled("StorageCapacityScoring")
        points = context.args.shape if context.args is not None else None
        self._prepared = ExtensionPoint.PRE_FILTER in context.points
        if self._scores and not self._prepared:
            self.score_state_missing = STATE_MISSING
        self._shape = [(point.utilization, point.score * _SHAPE_SCALE) for point in points or ()]

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The volumes."""
        return of_volumes(pod)

    def interests(self) -> tuple[Interest, ...]:
        """Volumes, claims, classes, capacities and nodes that come or change."""
        return BINDING

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[_State]:
        """State: the claims. Rejects what no node can mend; skips where there is no claim."""
        storage = ClusterStorage.of(cluster)
        volumes = sort_claims(pod.pod, storage.catalog)
        if isinstance(volumes, UnusableClaim):
            return PreFilterResult(status=Status(Code.UNRESOLVABLE, (_unusable(volumes, pod),)))
        return PreFilterResult(self._state(volumes, storage), skip=not volumes)

    def advice(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """About the claim, class or volume that is missing or not ready."""
        return advice(pod.pod, ClusterStorage.of(cluster).catalog)

    def filter(self, state: _State, rows: Rows) -> Verdicts:
        """Reject rows for up to two reasons: one about bound claims, one about the others."""
        answer: BindingAnswer = state.answer
        count = rows.cluster.nodes.count
        failed = [Verdicts.reject(rows.column(mask), Code.ERROR, text) for mask, text in answer.failures]
        masks = {
            reason: rows.column(answer.hit_by(count, *obstacles)) for reason, obstacles in REASONS.items()
        }
        rejected = np.logical_or.reduce(list(masks.values()))
        reasons = tuple((mask, reason) for reason, mask in masks.items() if mask.any())
        codes = rejected.astype(np.uint8) * np.uint8(Code.UNRESOLVABLE)
        return first_of(*failed, Verdicts(codes if reasons else None, reasons))

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[_State]:
        """State: as in PreFilter. Skips unless storage capacity is scored."""
        if not self._scores:
            return PreScoreResult(skip=True)
        if not self._prepared:
            return PreScoreResult(status=Status(Code.ERROR, (STATE_MISSING,)))
        storage = ClusterStorage.of(cluster)
        volumes = sort_claims(pod.pod, storage.catalog)
        usable = volumes if isinstance(volumes, PodVolumes) else PodVolumes()
        return PreScoreResult(self._state(usable, storage))

    def _state(self, volumes: PodVolumes, storage: ClusterStorage) -> _State:
        return _State(volumes, storage, self._attributes_classes)

    def score(self, state: _State, rows: Rows) -> Scores:
        """The mean over the classes of what the shape gives for their utilization; 0 without what Filter found."""
        if not (self._scores and self._filters) or state is None or not state.volumes.delayed:
            return np.zeros(len(rows), np.int64)
        used = [utilizations(state.answer, row) for row in rows.index[rows.present].tolist()]
        score_of = {points: self._mean(points) for points in set(used)}
        scores = np.zeros(len(rows), np.int64)
        scores[rows.present] = [score_of[points] for points in used]
        return scores

    def _mean(self, points: tuple[int, ...]) -> int:
        if not points:
            return 0
        values = broken_line(self._shape, np.array(points, np.int64))
        return round_half_away(int(values.sum()) / len(points))

    def reserve(self, pod: PodRecord, state: _State, cluster: ClusterState, row: int) -> Status | None:
        """Promise existing volumes to the claims, and the node to those that get a new one, as Filter found them."""
        if self._filters and state is not None and state.volumes.delayed:
            state.storage.reserve(state.answer.plan(row, cluster.nodes.names[row]))
        return None

    def unreserve(self, pod: PodRecord, state: _State | None, cluster: ClusterState, row: int) -> None:
        """Give back the volumes that were promised."""
        if self._filters and state is not None and state.volumes.delayed:
            state.storage.release(state.answer.plan(row, cluster.nodes.names[row]))

    def works_before_binding(self, state: _State | None) -> bool:
        """Volumes are bound or made."""
        return state is not None and bool(state.volumes.delayed)

    def details(self, state: _State, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which claim, volume, class or capacity stands in the way."""
        node, binder = int(rows.index[row]), state.storage.binder
        found = []
        for finding in (f for f in state.answer.findings if f.mask[node]):
            needs, free = room(finding, binder, node) or (None, None)
            about, text = subject(finding, binder, node), sentence(finding, binder, node)
            found.append(Detail(self.name, _REASON_OF[finding.obstacle], about, text, needs, free))
        return tuple(found)


def _unusable(found: UnusableClaim, pod: PodRecord) -> str:
    """Upstream's text for a claim that stops the pod."""
    name = quote(found.use.key.name)
    match found.problem:
        case VolumeClaimProblem.MISSING:
            return f"persistentvolumeclaim {name} not found"
        case VolumeClaimProblem.EPHEMERAL_MISSING:
            return f"waiting for ephemeral volume controller to create the persistentvolumeclaim {name}"
        case VolumeClaimProblem.LOST:
            volume = quote(found.claim.spec.volume_name if found.claim is not None else "")
            return f"persistentvolumeclaim {name} bound to non-existent persistentvolume {volume}"
        case VolumeClaimProblem.DELETED:
            return f"persistentvolumeclaim {name} is being deleted"
        case VolumeClaimProblem.NOT_OWNER:
            return f"PVC {found.use.key} was not created for pod {pod.full_name} (pod is not owner)"
        case VolumeClaimProblem.UNBOUND:
            return "pod has unbound immediate PersistentVolumeClaims"
