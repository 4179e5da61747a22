"""NodeUnschedulable: cordoned nodes (spec 02 D.3)."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import PASS, Verdicts
from kschedctl.objects.node import Taint
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.objects.well_known import CORDON_TAINT
from kschedctl.plugins.hints.nodes import cordon_interests
from kschedctl.plugins.signatures import Fragments, of_tolerations

REASON = "node(s) were unschedulable"
_TAINT = Taint(key=CORDON_TAINT, effect="NoSchedule")


class NodeUnschedulable(Plugin[bool, None]):
    """Rejects nodes with `spec.unschedulable`, unless the pod tolerates the taint that stands for it."""

    spec = PluginSpec(
        name="NodeUnschedulable",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}),
        reads=Reads.NODES,
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The tolerations."""
        return of_tolerations(pod.pod.spec)

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that are not cordoned any more, and new tolerations."""
        return cordon_interests(
            _TAINT, comparison=self.context.gates.enabled("TaintTolerationComparisonOperators")
        )

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[bool]:
        """State: whether the pod may go to cordoned nodes."""
        comparison = self.context.gates.enabled("TaintTolerationComparisonOperators")
        return PreFilterResult(is_tolerated(pod.pod.spec.tolerations, _TAINT, comparison=comparison))

    def filter(self, state: bool, rows: Rows) -> Verdicts:
        """Reject cordoned rows."""
        if state:
            return PASS
        cordoned = rows.column(rows.cluster.nodes.unschedulable)
        return Verdicts.reject(np.asarray(cordoned), Code.UNRESOLVABLE, REASON)

    def details(self, state: bool, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Cordoned: there is no more to say."""
        return (Detail(self.name, REASON, "cordoned", "cordoned"),)
