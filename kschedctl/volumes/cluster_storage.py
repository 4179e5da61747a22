"""The storage part of a cluster's state, made when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from kschedctl.cluster.labels import NodeLabels
from kschedctl.cluster.state import ClusterState
from kschedctl.volumes.assumed import AssumedBindings, BindingPlan
from kschedctl.volumes.attached import AttachedVolumes
from kschedctl.volumes.binding import VolumeBinder
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.csi_nodes import Counted, CsiNodeColumns
from kschedctl.volumes.topology import Mask
from kschedctl.volumes.users import VolumeUsers


class ClusterStorage:
    """What the volume plugins share.

    Attributes:
        catalog: the storage objects.
        assumed: what earlier pods of a sequence took.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self.catalog = StorageCatalog.of(cluster.objects)
        self.assumed = AssumedBindings()
        self._cluster = cluster
        self._users = VolumeUsers(cluster.pods)
        self._columns = _Columns(cluster, self.catalog, self.assumed)

    @classmethod
    def of(cls, cluster: ClusterState) -> ClusterStorage:
        """The storage part of a cluster."""
        return cluster.extension(cls, cls)

    @property
    def binder(self) -> VolumeBinder:
        """Answers for unbound and bound claims."""
        return self._current.binder

    @property
    def csi_nodes(self) -> CsiNodeColumns:
        """CSINode columns."""
        return self._current.csi_nodes

    def attached(self, *, portworx_by_annotation: bool = False) -> AttachedVolumes:
        """What is attached to each node now, in-tree volumes counted as `CsiNodeColumns.counted` says."""
        return self._current.attached(portworx_by_annotation).catch_up()

    def counting_nodes(self, *, portworx_by_annotation: bool = False) -> Mapping[Counted, Mask]:
        """Which in-tree plugins count -> the nodes on which it is these, bool (N,)."""
        return self._current.counting_nodes(portworx_by_annotation)

    @property
    def users(self) -> VolumeUsers:
        """Which pods name which claims and disks."""
        return self._users.catch_up()

    def reserve(self, plan: BindingPlan) -> None:
        """Take what a plan says; undone with the cluster's journal."""
        self._cluster.journal.record(self.assumed.commit(plan))

    def release(self, plan: BindingPlan) -> None:
        """Give back what a plan took; undone with the cluster's journal."""
        self._cluster.journal.record(self.assumed.release(plan))

    @property
    def _current(self) -> _Columns:
        """Columns of the rows as they are now."""
        if self._columns.log is not self._cluster.changes:
            self._columns = _Columns(self._cluster, self.catalog, self.assumed)
        return self._columns


class _Columns:
    """What depends on which row is which node; what labels say of it changes with them."""

    def __init__(self, cluster: ClusterState, catalog: StorageCatalog, assumed: AssumedBindings) -> None:
        self.log = cluster.changes
        self._binder: tuple[NodeLabels, VolumeBinder] | None = None
        self._cluster = cluster
        self._catalog = catalog
        self._assumed = assumed
        self._attached: dict[bool, AttachedVolumes] = {}
        self._counting: dict[bool, dict[Counted, Mask]] = {}

    @cached_property
    def csi_nodes(self) -> CsiNodeColumns:
        return CsiNodeColumns(self._cluster.nodes.names, self._catalog.csi_nodes)

    @property
    def binder(self) -> VolumeBinder:
        nodes = self._cluster.nodes
        if self._binder is None or self._binder[0] is not nodes.label_columns:
            binder = VolumeBinder(self._catalog, nodes, self.csi_nodes, self._assumed)
            self._binder = nodes.label_columns, binder
        return self._binder[1]

    def attached(self, portworx_by_annotation: bool) -> AttachedVolumes:
        known = self._attached.get(portworx_by_annotation)
        if known is None:
            counted = self.csi_nodes.counted(portworx_by_annotation=portworx_by_annotation)
            known = AttachedVolumes(self._cluster, self._catalog, counted)
            self._attached[portworx_by_annotation] = known
        return known

    def counting_nodes(self, portworx_by_annotation: bool) -> dict[Counted, Mask]:
        known = self._counting.get(portworx_by_annotation)
        if known is None:
            counted = self.csi_nodes.counted(portworx_by_annotation=portworx_by_annotation)
            known = {
                kind: np.fromiter((own == kind for own in counted), bool, len(counted))
                for kind in dict.fromkeys(counted)
            }
            self._counting[portworx_by_annotation] = known
        return known
