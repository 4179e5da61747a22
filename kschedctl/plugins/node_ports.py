"""NodePorts: host ports that are taken (spec 02 D.7)."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.ports import HostPort, collide
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import Mask, Verdicts
from kschedctl.plugins.hints.ports import INTERESTS
from kschedctl.plugins.signatures import Fragments

REASON = "node(s) didn't have free ports for the requested pod ports"


class NodePorts(Plugin[tuple[HostPort, ...], None]):
    """Rejects nodes on which any wanted host port is in use."""

    spec = PluginSpec(
        name="NodePorts",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}),
        reads=Reads.ROW,
        filter_state_missing='reading "PreFilterNodePorts" from cycleState: not found',
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The numbers of the host ports."""
        return {"HostPorts": sorted({port[2] for port in pod.pod_class.ports})}

    def interests(self) -> tuple[Interest, ...]:
        """Ports that pods give back, and new nodes."""
        return INTERESTS

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[tuple[HostPort, ...]]:
        """State: the wanted ports. Skips where the pod wants none."""
        ports = pod.pod_class.ports
        return PreFilterResult(ports, skip=not ports)

    def filter(self, state: tuple[HostPort, ...], rows: Rows) -> Verdicts:
        """Reject rows where a wanted port meets a used one."""
        busy: Mask = np.zeros(len(rows), bool)
        for port in state:
            busy |= rows.port_conflicts(port)
        return Verdicts.reject(busy, Code.UNSCHEDULABLE, REASON)

    def details(self, state: tuple[HostPort, ...], rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which port, and who holds it."""
        found = []
        for port in state:
            holder = _holder(rows, row, port)
            if holder is not None:
                subject = f"port {port[2]}/{port[1]} is taken"
                found.append(Detail(self.name, REASON, subject, f"port {port[2]}/{port[1]} held by {holder}"))
        return tuple(found)


def _holder(rows: Rows, row: int, wanted: HostPort) -> str | None:
    for pod in rows.pods(row):
        record = rows.cluster.pods.records[pod]
        if any(collide(wanted, used) for used in record.pod_class.ports):
            return record.full_name
    return None
