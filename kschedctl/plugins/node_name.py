"""NodeName: a pod that names its node (spec 02 D.4)."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, Interest, Resource
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import PASS, Verdicts
from kschedctl.plugins.signatures import Fragments

REASON = "node(s) didn't match the requested node name"


class NodeName(Plugin[str, None]):
    """Rejects every node but the one in `spec.nodeName`."""

    spec = PluginSpec(
        name="NodeName",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}),
        reads=Reads.NODES,
        judges_deferred_pods=True,
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The node that the pod asks for."""
        return {"NodeName": pod.pod.node_name}

    def interests(self) -> tuple[Interest, ...]:
        """New nodes."""
        return (Interest(Resource.NODE, Action.ADD),)

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[str]:
        """State: the name that the pod asks for; no other node can match."""
        name = pod.pod.node_name
        return PreFilterResult(name, nodes=frozenset({name}) if name else None)

    def filter(self, state: str, rows: Rows) -> Verdicts:
        """Reject rows of another name."""
        if not state:
            return PASS
        wanted = rows.cluster.nodes.row_of.get(state, -1)
        return Verdicts.reject(np.asarray(rows.index != wanted), Code.UNRESOLVABLE, REASON)

    def details(self, state: str, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which node the pod asks for."""
        text = f"spec.nodeName asks for {state}"
        return (Detail(self.name, REASON, text, text),)
