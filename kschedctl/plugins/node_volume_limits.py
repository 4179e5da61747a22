"""NodeVolumeLimits: how many volumes of each CSI driver a node attaches (spec 04 §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import Plugin, PluginContext, PreFilterResult
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import PASS, Mask, Verdicts, first_of
from kschedctl.volumes.attached import AttachedVolumes
from kschedctl.volumes.attachment_worlds import AttachmentWorlds
from kschedctl.volumes.attachments import AttachmentError, MissingClaimError, attachments_of, may_attach
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.csi_nodes import NO_LIMIT

REASON = "node(s) exceed max volume count"

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the pod attaches on nodes of one kind: unique name -> driver, or why that cannot be told."""

    volumes: Mapping[str, str]
    code: Code = Code.SUCCESS
    text: str = ""


@dataclass(frozen=True, slots=True)
class _State:
    with_csi: _Wanted
    """On nodes that have a CSINode, where in-tree volumes count for their CSI driver."""
    without_csi: _Wanted
    pod: PodRecord


class NodeVolumeLimits(Plugin):
    """Counts per node and driver are kept up to date; a filter compares columns."""

    name = "NodeVolumeLimits"
    has_row_state = True

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._wants_driver = context.gates.enabled("VolumeLimitScaling")

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult:
        """State: what the pod attaches. Skips where no volume can count; never rejects."""
        catalog = ClusterStorage.of(cluster).catalog
        state = _State(_wanted(pod, catalog, migrated=True), _wanted(pod, catalog, migrated=False), pod)
        return PreFilterResult(state, skip=not may_attach(pod.pod))

    def filter(self, state: Any, rows: Rows) -> Verdicts:
        """Reject rows on which a driver would have more volumes than it attaches."""
        storage = ClusterStorage.of(rows.cluster)
        has_csi = rows.column(storage.csi_nodes.present)
        steps = [_unknown(state.with_csi, has_csi), _unknown(state.without_csi, ~has_csi)]
        if self._wants_driver:
            steps += [
                _missing_driver(state.with_csi, has_csi, rows),
                _missing_driver(state.without_csi, ~has_csi, rows),
            ]
        if state.with_csi.volumes:
            worlds = self._worlds(rows, storage.attached)
            steps += [
                _broken(rows.column(storage.csi_nodes.limited), worlds),
                self._exceeded(state, rows, worlds),
            ]
        return first_of(len(rows), *steps)

    def _exceeded(self, state: _State, rows: Rows, worlds: AttachmentWorlds) -> Verdicts:
        csi_nodes = ClusterStorage.of(rows.cluster).csi_nodes
        exceeded = np.zeros(len(rows), bool)
        for driver in sorted(set(state.with_csi.volumes.values())):
            limit = rows.column(csi_nodes.limit(driver))
            if (limit != NO_LIMIT).any():
                fresh = _fresh(state.with_csi.volumes, driver, worlds, len(rows))
                exceeded |= (limit != NO_LIMIT) & (fresh > 0) & (worlds.used(driver) + fresh > limit)
        return Verdicts.reject(exceeded, Code.UNSCHEDULABLE, REASON)

    def row_state(self, state: Any, rows: Rows) -> AttachmentWorlds:
        """What is attached now."""
        return AttachmentWorlds(ClusterStorage.of(rows.cluster).attached, rows.index)

    def change(self, state: Any, row_state: Any, rows: Rows, pods: Ints, sign: int) -> None:
        """Attach or detach what the changed pods use."""
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

    def details(self, state: Any, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Limit, use and need of each driver that is short."""
        storage = ClusterStorage.of(rows.cluster)
        worlds = self._worlds(rows, storage.attached)
        found = []
        for driver in sorted(set(state.with_csi.volumes.values())):
            limit = int(rows.column(storage.csi_nodes.limit(driver))[row])
            used = int(worlds.used(driver)[row])
            needs = int(_fresh(state.with_csi.volumes, driver, worlds, len(rows))[row])
            if limit != NO_LIMIT and needs and used + needs > limit:
                text = (
                    f"csi driver {driver}: {used} of {limit} attachments used on {rows.node(row).name}, "
                    f"this pod needs {needs} more"
                )
                subject = f"attachments of {driver}"
                found.append(Detail(self.name, REASON, subject, text, needs, limit - used, limit))
        return tuple(found)


def _wanted(pod: PodRecord, catalog: StorageCatalog, *, migrated: bool) -> _Wanted:
    try:
        return _Wanted(attachments_of(pod.pod, catalog, strict=True, migrated=migrated))
    except MissingClaimError as error:
        return _Wanted({}, Code.UNRESOLVABLE, str(error))
    except AttachmentError as error:
        return _Wanted({}, Code.ERROR, str(error))


def _unknown(wanted: _Wanted, nodes: Mask) -> Verdicts:
    """Reject nodes for which it cannot be told what the pod attaches."""
    return Verdicts.reject(nodes, wanted.code, wanted.text) if wanted.text else PASS


def _broken(limited: Mask, worlds: AttachmentWorlds) -> Verdicts:
    """Fail on nodes with a limit where some pod's attachments cannot be told."""
    failures = worlds.failures()
    mask = np.zeros(len(limited), bool)
    mask[list(failures)] = True
    return Verdicts.reject(mask & limited, Code.ERROR, lambda row: failures[row])


def _missing_driver(wanted: _Wanted, nodes: Mask, rows: Rows) -> Verdicts:
    """Reject nodes without a driver that insists on being there; of several the first by name is told."""
    storage = ClusterStorage.of(rows.cluster)
    steps = []
    for driver in sorted(set(wanted.volumes.values())):
        found = storage.catalog.drivers.get(driver)
        if found is not None and found.spec.prevent_pod_scheduling_if_missing:
            missing = nodes & ~rows.column(storage.csi_nodes.installed(driver))
            reason = f"{driver} CSI driver is not installed on the node"
            steps.append(Verdicts.reject(missing, Code.UNSCHEDULABLE, reason))
    return first_of(len(rows), *steps)


def _fresh(volumes: Mapping[str, str], driver: str, worlds: AttachmentWorlds, count: int) -> Ints:
    """How many of the pod's volumes of a driver no pod on the row uses yet, int64 (R,)."""
    fresh = np.zeros(count, np.int64)
    for name, its_driver in volumes.items():
        if its_driver == driver:
            fresh += ~worlds.holds(name)
    return fresh
