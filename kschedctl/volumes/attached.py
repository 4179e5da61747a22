"""Volumes attached to each node, kept up to date while pods come and go (spec 04 §2.3).

A volume counts once on a node, however many pods use it. Attachments that a controller has recorded count as
well, used or not, so that evicting their users frees nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.volumes.attachments import AttachmentError, attachments_of, may_attach
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.csi_nodes import Counted
from kschedctl.volumes.topology import Ints, Mask


class PodAttachments(Struct, frozen=True):
    """What one pod attaches.

    Attributes:
        volumes: unique name -> driver.
        error: why it cannot be told, None where it can.
    """

    volumes: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None


NOTHING = PodAttachments()


class AttachedVolumes:
    """The unique volumes of the pods on N nodes."""

    def __init__(self, cluster: ClusterState, catalog: StorageCatalog, counted: Sequence[Counted]) -> None:
        """Read the pods on nodes; `counted` says by row which in-tree plugins count."""
        self._cluster = cluster
        self._catalog = catalog
        self._counted = counted
        self._of_class: dict[tuple[int, Counted], PodAttachments] = {}
        self._recorded = [_recorded(name, catalog) for name in cluster.nodes.names]
        self._may_attach = np.zeros(0, bool)
        self._read_all()

    def _read_all(self) -> None:
        """Begin with the pods that are on nodes now."""
        cluster = self._cluster
        self._users: dict[str, dict[int, int]] = defaultdict(dict)
        self._used: dict[str, Ints] = {}
        self._broken: dict[int, dict[int, str]] = defaultdict(dict)
        self._follower = cluster.changes.follow()
        for row, recorded in enumerate(self._recorded):
            for driver in recorded.values():
                self._column(driver)[row] += 1
        placed = np.flatnonzero(cluster.pods.node >= 0)
        for pod in placed[self.may_attach(placed)].tolist():
            self._change(cluster.pods.records[pod], int(cluster.pods.node[pod]), 1)

    def catch_up(self) -> AttachedVolumes:
        """Follow the changes of the cluster since the last call; the node table must be the same."""
        changes = self._follower.news()
        if changes is None:
            self._read_all()
            return self
        for change in changes:
            self._change(change.pod, change.row, change.sign)
        return self

    def may_attach(self, pods: Ints) -> Mask:
        """Which of the pods have a volume that could count, ids int64 (k,) -> bool (k,)."""
        table = self._cluster.pods
        new = [may_attach(pod_class.pod) for pod_class in table.classes.since(len(self._may_attach))]
        if new:
            self._may_attach = np.append(self._may_attach, new)
        return self._may_attach[table.pod_class[pods]]

    def of_pod(self, pod: int, row: int) -> PodAttachments:
        """What a pod attaches on a node; missing claims are ignored."""
        return self._of(self._cluster.pods.records[pod], row)

    def _of(self, record: PodRecord, row: int) -> PodAttachments:
        pod_class, counted = record.pod_class, self._counted[row]
        known = self._of_class.get((pod_class.index, counted))
        if known is None:
            known = _read(record, self._catalog, counted)
            # The claim of a generic ephemeral volume carries the pod's name, so equal pods differ.
            if all(volume.ephemeral is None for volume in pod_class.spec.volumes):
                self._of_class[pod_class.index, counted] = known
        return known

    def used(self, driver: str) -> Ints:
        """How many volumes of a driver each node has, recorded ones included, int64 (N,); read-only."""
        return self._column(driver)

    def broken_rows(self) -> Ints:
        """Nodes with pods whose attachments cannot be told, int64, ascending."""
        return np.array(sorted(row for row, pods in self._broken.items() if pods), np.int64)

    def users(self, name: str, row: int) -> int:
        """How many pods on a node use a volume."""
        return self._users[name].get(row, 0) if name in self._users else 0

    def holds(self, name: str) -> Mask:
        """Nodes on which some pod uses a volume, bool (N,)."""
        mask = np.zeros(self._cluster.nodes.count, bool)
        if name in self._users:
            mask[list(self._users[name])] = True
        return mask

    def is_recorded(self, name: str, row: int) -> bool:
        """Whether a controller has recorded the attachment of a volume to a node."""
        return name in self._recorded[row]

    def broken(self, row: int) -> Mapping[int, str]:
        """Pods on a node whose attachments cannot be told, with the reason."""
        return self._broken.get(row, {})

    def _column(self, driver: str) -> Ints:
        known = self._used.get(driver)
        if known is None:
            known = self._used[driver] = np.zeros(self._cluster.nodes.count, np.int64)
        return known

    def _change(self, pod: PodRecord, row: int, sign: int) -> None:
        attached = self._of(pod, row)
        if attached.error is not None:
            if sign > 0:
                self._broken[row][pod.id] = attached.error
            else:
                del self._broken[row][pod.id]
            return
        for name, driver in attached.volumes.items():
            users = self._users[name]
            before = users.get(row, 0)
            after = before + sign
            if after:
                users[row] = after
            else:
                del users[row]
            if not (before and after) and name not in self._recorded[row]:
                self._column(driver)[row] += sign


def _read(record: PodRecord, catalog: StorageCatalog, counted: Counted) -> PodAttachments:
    if not may_attach(record.pod):
        return NOTHING
    try:
        return PodAttachments(attachments_of(record.pod, catalog, counted, strict=False))
    except AttachmentError as error:
        return PodAttachments(error=str(error))


def _recorded(node: str, catalog: StorageCatalog) -> dict[str, str]:
    """Unique name -> driver of the attachments recorded for a node; only CSI volumes that exist count."""
    found = {}
    for attachment in catalog.attachments_of_node.get(node, ()):
        spec = attachment.spec
        volume = catalog.volumes.get(spec.source.persistent_volume_name or "")
        if spec.attacher and volume is not None and volume.spec.csi is not None:
            found[f"{spec.attacher}/{volume.spec.csi.volume_handle}"] = spec.attacher
    return found
