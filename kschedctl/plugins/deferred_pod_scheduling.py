"""DeferredPodScheduling: a running pod whose resize was put off asks for room on its own node (spec 06 §4.4)."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import Verdicts, first_of

REASON_OTHER_NODE = "pod assigned to different node"
REASON_NO_PREEMPTION = "node had resize preemption disabled"


class DeferredPodScheduling(Plugin[str, None]):
    """Lets a deferred pod have its own node alone, unless that node forbids to make room for resizes."""

    spec = PluginSpec(
        name="DeferredPodScheduling",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER, ExtensionPoint.PERMIT}),
        reads=Reads.NODES,
        judges_deferred_pods=True,
    )

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[str]:
        """State: the pod's node. Skips for all other pods."""
        return PreFilterResult(pod.pod.node_name, skip=not pod.pod.is_resize_deferred)

    def filter(self, state: str, rows: Rows) -> Verdicts:
        """Reject other nodes, and nodes that forbid it."""
        nodes = rows.cluster.nodes
        forbids = np.array([bool(node.spec.forbids_resize_preemption) for node in nodes.objects], bool)
        other = np.asarray(rows.index != nodes.row_of.get(state, -1))
        return first_of(
            Verdicts.reject(other, Code.UNRESOLVABLE, REASON_OTHER_NODE),
            Verdicts.reject(rows.column(forbids), Code.UNRESOLVABLE, REASON_NO_PREEMPTION),
        )

    def details(self, state: str, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Where the pod runs, or what its node forbids."""
        if rows.node(row).name != state:
            text = f"the pod runs on {state}, where it waits for its resize"
            return (Detail(self.name, REASON_OTHER_NODE, text, text),)
        text = "spec.podPreemptionPolicy.disableResizePreemption of the node"
        return (Detail(self.name, REASON_NO_PREEMPTION, text, text),)
