"""VolumeRestrictions: legacy disks that pods must not share, and claims for one pod only (spec 04 §1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult, RowState
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.verdicts import Verdicts, first_of
from kschedctl.objects.go import quote
from kschedctl.plugins.hints.volumes import RESTRICTIONS
from kschedctl.plugins.signatures import Fragments, of_volumes
from kschedctl.volumes.advice import advice
from kschedctl.volumes.claims import READ_WRITE_ONCE_POD, ClaimKey, claim_uses
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.legacy_disks import LegacyDisk, legacy_disks

REASON_DISK = "node(s) had no available disk"
REASON_ONE_POD = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use "
    "by another pod"
)

Ints = npt.NDArray[np.int64]


class _State(Struct, frozen=True):
    disks: tuple[LegacyDisk, ...]
    exclusive: tuple[ClaimKey, ...]
    """Claims with the access mode ReadWriteOncePod."""
    in_use: int
    """How many of them some pod in the cluster uses."""


class _Worlds(Struct):
    """int64 (R,) each: pods with a conflicting disk, and the count of claims in use."""

    conflicts: Ints
    in_use: Ints

    def take(self, at: Ints) -> _Worlds:
        return _Worlds(self.conflicts[at], self.in_use[at])


class VolumeRestrictions(Plugin[_State, None]):
    """Pods are compared by class: what equal pods mount is looked at once."""

    spec = PluginSpec(
        name="VolumeRestrictions",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}),
        reads=Reads.PODS,
        has_row_state=True,
        filter_state_missing='cannot read "PreFilterVolumeRestrictions" from cycleState',
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The volumes."""
        return of_volumes(pod)

    def interests(self) -> tuple[Interest, ...]:
        """Volumes that pods give back, claims that are made, and new nodes."""
        return RESTRICTIONS

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[_State]:
        """State: the pod's disks and exclusive claims. Skips where nothing can conflict."""
        storage = ClusterStorage.of(cluster)
        exclusive: dict[ClaimKey, None] = {}
        for use in claim_uses(pod.pod):
            if use.ephemeral:
                continue
            claim = storage.catalog.claims.get(use.key)
            if claim is None:
                reason = f"persistentvolumeclaim {quote(use.key.name)} not found"
                return PreFilterResult(status=Status(Code.UNRESOLVABLE, (reason,)))
            if READ_WRITE_ONCE_POD in claim.spec.access_modes:
                exclusive[use.key] = None
        disks = legacy_disks(pod.pod.spec)
        in_use = sum(1 for key in exclusive if storage.users.pods_using(key))
        return PreFilterResult(
            _State(disks, tuple(exclusive), in_use),
            skip=not disks and not in_use,
            for_good=not disks and not exclusive,
        )

    def advice(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """About the claim, class or volume that is missing or not ready."""
        return advice(pod.pod, ClusterStorage.of(cluster).catalog)

    def filter(self, state: _State, rows: Rows) -> Verdicts:
        """Reject rows with a conflicting disk, else all rows while an exclusive claim is in use."""
        worlds = rows.row_states[self.name] if rows.hypothetical else self.row_state(state, rows)
        assert isinstance(worlds, _Worlds)
        return first_of(
            Verdicts.reject(worlds.conflicts > 0, Code.UNSCHEDULABLE, REASON_DISK),
            Verdicts.reject(worlds.in_use > 0, Code.UNSCHEDULABLE, REASON_ONE_POD),
        )

    def row_state(self, state: _State, rows: Rows) -> _Worlds:
        """Both counts as they are now."""
        in_use = np.full(len(rows), state.in_use)
        if not state.disks:
            return _Worlds(np.zeros(len(rows), np.int64), in_use)
        cluster = rows.cluster
        weights = ClusterStorage.of(cluster).users.conflicting(state.disks)
        return _Worlds(cluster.pods.sum_by_node(weights, cluster.nodes.count)[rows.index], in_use)

    def change(self, state: _State, row_state: RowState, rows: Rows, pods: Ints, sign: int) -> None:
        """Count the changed pods; claims go by name alone, whatever the namespace, volume by volume."""
        assert isinstance(row_state, _Worlds)
        cluster = rows.cluster
        users = ClusterStorage.of(cluster).users
        changed = np.flatnonzero(pods >= 0)
        pod_class = cluster.pods.pod_class[pods[changed]]
        if state.disks:
            row_state.conflicts[changed] += sign * users.conflicting(state.disks)[pod_class]
        for key in state.exclusive:
            for naming, volumes in users.volumes_naming(key.name).items():
                row_state.in_use[changed[pod_class == naming]] += sign * volumes

    def details(self, state: _State, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Who holds the disk or the claim."""
        cluster = rows.cluster
        users = ClusterStorage.of(cluster).users
        verdicts = self.filter(state, rows)
        reasons = verdicts.reasons_of(row) if verdicts.codes is not None else ()
        if REASON_DISK in reasons:
            conflicting = users.conflicting(state.disks)
            holders = (cluster.pods.records[pod] for pod in rows.pods(row))
            names = [pod.full_name for pod in holders if conflicting[pod.pod_class.index]]
            text = f"a disk of the pod is in use here by pod {', '.join(names)}"
            return (Detail(self.name, REASON_DISK, "disk in use", text),)
        if REASON_ONE_POD in reasons:
            return tuple(_claim_detail(key, cluster, users.pods_using(key)) for key in state.exclusive)
        return ()


def _claim_detail(key: ClaimKey, cluster: ClusterState, pods: list[int]) -> Detail:
    names = [
        f"{cluster.pods.records[pod].full_name} on {cluster.nodes.names[cluster.pods.node[pod]]}"
        for pod in pods
    ]
    text = f"claim {key.name} is for one pod only (ReadWriteOncePod) and used by {', '.join(names)}"
    return Detail(VolumeRestrictions.spec.name, REASON_ONE_POD, f"claim {key.name} is in use", text)
