"""The storage part of a cluster's state, made when first asked for."""

from __future__ import annotations

from functools import cached_property

from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.state import ClusterState

from .assumed import AssumedBindings, BindingPlan
from .attached import AttachedVolumes
from .binding import VolumeBinder
from .catalog import StorageCatalog
from .csi_nodes import CsiNodeColumns
from .users import VolumeUsers


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

    @property
    def attached(self) -> AttachedVolumes:
        """What is attached to each node now."""
        return self._current.attached.catch_up()

    @property
    def users(self) -> VolumeUsers:
        """Which pods name which claims and disks."""
        return self._users.catch_up()

    def reserve(self, plan: BindingPlan) -> None:
        """Take what a plan says; undone with the cluster's journal."""
        self._cluster.journal.record(self.assumed.commit(plan))

    @property
    def _current(self) -> _Columns:
        """Columns of the present node table: another table has other rows."""
        if self._columns.nodes is not self._cluster.nodes:
            self._columns = _Columns(self._cluster, self.catalog, self.assumed)
        return self._columns


class _Columns:
    """What depends on the rows of one node table."""

    def __init__(self, cluster: ClusterState, catalog: StorageCatalog, assumed: AssumedBindings) -> None:
        self.nodes: NodeTable = cluster.nodes
        self._cluster = cluster
        self._catalog = catalog
        self._assumed = assumed

    @cached_property
    def csi_nodes(self) -> CsiNodeColumns:
        return CsiNodeColumns(self.nodes.names, self._catalog.csi_nodes)

    @cached_property
    def binder(self) -> VolumeBinder:
        return VolumeBinder(self._catalog, self.nodes, self.csi_nodes, self._assumed)

    @cached_property
    def attached(self) -> AttachedVolumes:
        return AttachedVolumes(self._cluster, self._catalog)
