"""NodeVolumeLimits: how many volumes of each CSI driver a node attaches (spec 04 §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PluginContext, PreFilterResult, RowState
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import Mask, Verdicts, first_of
from kschedctl.plugins.hints.volumes import LIMITS
from kschedctl.plugins.signatures import Fragments, of_volumes
from kschedctl.volumes.attached import AttachedVolumes
from kschedctl.volumes.attachment_worlds import AttachmentWorlds
from kschedctl.volumes.attachments import AttachmentError, MissingClaimError, attachments_of, may_attach
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.csi_nodes import NO_LIMIT, Counted

REASON = "node(s) exceed max volume count"

Ints = npt.NDArray[np.int64]


ATTACHMENTS_OF: Final = "attachments of "
"""What volumes on a node are called, before the name of their driver."""


class _Wanted(Struct, frozen=True):
    """What the pod attaches on nodes of one kind, or why that cannot be told."""

    nodes: Mask
    """bool (N,): the nodes of this kind: on them the same in-tree volumes count for their CSI driver."""
    volumes: Mapping[str, str] = field(default_factory=dict)
    """Unique name -> driver."""
    code: Code = Code.SUCCESS
    text: str = ""


class Shortage(Struct, frozen=True):
    """A driver that attaches less on a node than a pod would need.

    Attributes:
        driver: its name.
        limit: how many volumes of it the node attaches.
        used: how many are attached.
        needs: how many the pod would add.
    """

    driver: str
    limit: int
    used: int
    needs: int


class NodeVolumeLimits(Plugin[tuple[_Wanted, ...], None]):
    """Counts per node and driver are kept up to date; a filter compares columns."""

    spec = PluginSpec(
        name="NodeVolumeLimits",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}),
        has_row_state=True,
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._wants_driver = context.gates.enabled("VolumeLimitScaling")
        self._all_drivers = context.facts.every_csi_driver_must_be_present
        self._portworx_by_annotation = context.facts.portworx_by_annotation

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The volumes."""
        return of_volumes(pod)

    def interests(self) -> tuple[Interest, ...]:
        """Attachments that end, and limits that rise."""
        return LIMITS

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[tuple[_Wanted, ...]]:
        """State: what the pod attaches, by kind of node. Skips where no volume can count; never rejects."""
        storage = ClusterStorage.of(cluster)
        kinds = storage.counting_nodes(portworx_by_annotation=self._portworx_by_annotation)
        state = tuple(_wanted(pod, storage.catalog, counted, nodes) for counted, nodes in kinds.items())
        return PreFilterResult(state, skip=not may_attach(pod.pod))

    def filter(self, state: tuple[_Wanted, ...], rows: Rows) -> Verdicts:
        """Reject rows on which a driver would have more volumes than it attaches."""
        steps: list[Verdicts] = []
        for wanted in state:
            nodes = rows.column(wanted.nodes)
            if wanted.text:
                steps.append(Verdicts.reject(nodes, wanted.code, wanted.text))
            elif wanted.volumes and nodes.any():
                steps += self._judge(wanted, nodes, rows)
        return first_of(*steps)

    def _judge(self, wanted: _Wanted, nodes: Mask, rows: Rows) -> list[Verdicts]:
        storage = ClusterStorage.of(rows.cluster)
        steps = [self._missing_driver(wanted, nodes, rows)] if self._wants_driver else []
        limited = nodes & rows.column(storage.csi_nodes.limited)
        if limited.any():
            worlds = self._worlds(rows, self._attached(rows.cluster))
            steps += [_broken(limited, rows, worlds), _exceeded(wanted, limited, rows, worlds)]
        return steps

    def _missing_driver(self, wanted: _Wanted, nodes: Mask, rows: Rows) -> Verdicts:
        """Reject nodes without a driver that has to be there; of several the first by name is told."""
        storage = ClusterStorage.of(rows.cluster)
        steps = []
        for driver in sorted(set(wanted.volumes.values())):
            found = storage.catalog.drivers.get(driver)
            if found is not None and (self._all_drivers or found.spec.prevent_pod_scheduling_if_missing):
                missing = nodes & ~rows.column(storage.csi_nodes.installed(driver))
                reason = f"{driver} CSI driver is not installed on the node"
                steps.append(Verdicts.reject(missing, Code.UNSCHEDULABLE, reason))
        return first_of(*steps)

    def _attached(self, cluster: ClusterState) -> AttachedVolumes:
        return ClusterStorage.of(cluster).attached(portworx_by_annotation=self._portworx_by_annotation)

    def row_state(self, state: tuple[_Wanted, ...], rows: Rows) -> AttachmentWorlds:
        """What is attached now."""
        return AttachmentWorlds(self._attached(rows.cluster), rows.index)

    def change(
        self, state: tuple[_Wanted, ...], row_state: RowState, rows: Rows, pods: Ints, sign: int
    ) -> None:
        """Attach or detach what the changed pods use."""
        assert isinstance(row_state, AttachmentWorlds)
        row_state.change(pods, sign)

    def _worlds(self, rows: Rows, attached: AttachedVolumes) -> AttachmentWorlds:
        """Attachments of the rows; made from their pods where the profile has no PreFilter to keep them."""
        kept = rows.row_states.get(self.name) if rows.hypothetical else None
        if isinstance(kept, AttachmentWorlds):
            return kept
        worlds = AttachmentWorlds(attached, rows.index)
        if rows.hypothetical:
            for row in range(len(rows)):
                now, before = Counter(rows.pods(row)), Counter(rows.cluster.usage.pods[rows.index[row]])
                for pod in now - before:
                    worlds.change_row(row, pod, 1)
                for pod in before - now:
                    worlds.change_row(row, pod, -1)
        return worlds

    def shortages(self, state: tuple[_Wanted, ...], rows: Rows, row: int) -> Iterator[Shortage]:
        """The drivers that attach less on a row than the pod would need, by name."""
        csi_nodes = ClusterStorage.of(rows.cluster).csi_nodes
        worlds = self._worlds(rows, self._attached(rows.cluster))
        (volumes,) = (wanted.volumes for wanted in state if wanted.nodes[rows.index[row]])
        for driver in sorted(set(volumes.values())):
            limit = int(rows.column(csi_nodes.limit(driver))[row])
            used = int(worlds.used(driver)[row])
            needs = int(_fresh(volumes, driver, worlds, len(rows))[row])
            if limit != NO_LIMIT and needs and used + needs > limit:
                yield Shortage(driver, limit, used, needs)

    def details(self, state: tuple[_Wanted, ...], rows: Rows, row: int) -> tuple[Detail, ...]:
        """Limit, use and need of each driver that is short."""
        name = rows.node(row).name
        return tuple(
            Detail(
                self.name,
                REASON,
                f"{ATTACHMENTS_OF}{short.driver}",
                f"csi driver {short.driver}: {short.used} of {short.limit} attachments used on {name}, "
                f"this pod needs {short.needs} more",
                short.needs,
                short.limit - short.used,
                short.limit,
            )
            for short in self.shortages(state, rows, row)
        )


def _wanted(pod: PodRecord, catalog: StorageCatalog, counted: Counted, nodes: Mask) -> _Wanted:
    try:
        return _Wanted(nodes, attachments_of(pod.pod, catalog, counted, strict=True))
    except MissingClaimError as error:
        return _Wanted(nodes, code=Code.UNRESOLVABLE, text=str(error))
    except AttachmentError as error:
        return _Wanted(nodes, code=Code.ERROR, text=str(error))


def _exceeded(wanted: _Wanted, limited: Mask, rows: Rows, worlds: AttachmentWorlds) -> Verdicts:
    """Reject rows on which some driver has no room for the volumes that are new there."""
    csi_nodes = ClusterStorage.of(rows.cluster).csi_nodes
    exceeded = np.zeros(len(rows), bool)
    for driver in sorted(set(wanted.volumes.values())):
        limit = rows.column(csi_nodes.limit(driver))
        if (limit != NO_LIMIT).any():
            fresh = _fresh(wanted.volumes, driver, worlds, len(rows))
            exceeded |= (limit != NO_LIMIT) & (fresh > 0) & (worlds.used(driver) + fresh > limit)
    return Verdicts.reject(exceeded & limited, Code.UNSCHEDULABLE, REASON)


def _broken(limited: Mask, rows: Rows, worlds: AttachmentWorlds) -> Verdicts:
    """Fail on nodes with a limit where some pod's attachments cannot be told; the first in the list is told."""
    failures = worlds.failures()
    mask = np.zeros(len(limited), bool)
    mask[list(failures)] = True
    first = {row: next(pods[p] for p in rows.pods(row) if p in pods) for row, pods in failures.items()}
    return Verdicts.reject(mask & limited, Code.ERROR, first.__getitem__)


def _fresh(volumes: Mapping[str, str], driver: str, worlds: AttachmentWorlds, count: int) -> Ints:
    """How many of the pod's volumes of a driver no pod on the row uses yet, int64 (R,)."""
    fresh = np.zeros(count, np.int64)
    for name, its_driver in volumes.items():
        if its_driver == driver:
            fresh += ~worlds.holds(name)
    return fresh
