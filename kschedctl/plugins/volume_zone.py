"""VolumeZone: zone labels of bound volumes must agree with the node's (spec 04 §4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.verdicts import Verdicts
from kschedctl.objects.go import quote
from kschedctl.plugins.hints.volumes import ZONE
from kschedctl.plugins.signatures import Fragments, of_volumes
from kschedctl.volumes.advice import advice
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.wording import place_of_labels
from kschedctl.volumes.zones import UnknownZones, ZoneConstraint, ZoneProblem, violations, zone_constraints

REASON = "node(s) had no available volume zone"

_TEXTS = {
    ZoneProblem.CLAIM_UNNAMED: "PersistentVolumeClaim had no name",
    ZoneProblem.CLAIM_MISSING: "persistentvolumeclaim {} not found",
    ZoneProblem.NEITHER_VOLUME_NOR_CLASS: "PersistentVolumeClaim had no pv name and storageClass name",
    ZoneProblem.CLASS_MISSING: "storageclass.storage.k8s.io {} not found",
    ZoneProblem.VOLUME_UNNAMED: "PersistentVolume had no name",
    ZoneProblem.VOLUME_MISSING: "persistentvolume {} not found",
}


class VolumeZone(Plugin[Sequence[ZoneConstraint], None]):
    """Each label of a volume is decided over all nodes."""

    spec = PluginSpec(
        name="VolumeZone",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}),
        ignores_pods=True,
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The volumes."""
        return of_volumes(pod)

    def interests(self) -> tuple[Interest, ...]:
        """Volumes, claims, classes and nodes that come or change."""
        return ZONE

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[Sequence[ZoneConstraint]]:
        """State: the constraints. Skips where no volume has a usable zone or region label."""
        constraints = zone_constraints(pod.pod, ClusterStorage.of(cluster).catalog)
        if isinstance(constraints, UnknownZones):
            reason = _TEXTS[constraints.problem].format(quote(constraints.subject))
            return PreFilterResult((), status=Status(Code.UNRESOLVABLE, (reason,)))
        return PreFilterResult(constraints, skip=not constraints)

    def advice(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """About the claim, class or volume that is missing or not ready."""
        return advice(pod.pod, ClusterStorage.of(cluster).catalog)

    def filter(self, state: Sequence[ZoneConstraint], rows: Rows) -> Verdicts:
        """Reject rows outside any constraint."""
        outside = np.zeros(rows.cluster.nodes.count, bool)
        for constraint in state:
            outside |= violations(constraint, rows.cluster.nodes)
        return Verdicts.reject(rows.column(outside), Code.UNRESOLVABLE, REASON)

    def details(self, state: Sequence[ZoneConstraint], rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which volume belongs to which zone."""
        node = int(rows.index[row])
        return tuple(_detail(c) for c in state if violations(c, rows.cluster.nodes)[node])


def _detail(constraint: ZoneConstraint) -> Detail:
    where = place_of_labels(constraint.key, constraint.values)
    text = f"claim {constraint.claim.name} is bound to {constraint.volume}, which is labelled to be {where}"
    return Detail(VolumeZone.spec.name, REASON, f"volume {constraint.volume} is {where}", text)
