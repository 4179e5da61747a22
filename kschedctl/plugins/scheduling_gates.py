"""SchedulingGates: a pod with gates never enters the queue (spec 02 D.1)."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec, Reads


class SchedulingGates(Plugin[None, None]):
    """Holds back pods that list scheduling gates."""

    spec = PluginSpec(
        name="SchedulingGates",
        points=frozenset({ExtensionPoint.PRE_ENQUEUE}),
        reads=Reads.NODES,
    )

    def interests(self) -> tuple[Interest, ...]:
        """The last gate of the pod goes."""
        return (Interest(Resource.TARGET_POD, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED, _has_no_gates),)

    def pre_enqueue(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """The gates that are still there."""
        gates = pod.pod.spec.scheduling_gates
        if not gates:
            return None
        return f"waiting for scheduling gates: [{' '.join(gate.name for gate in gates)}]"


def _has_no_gates(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    return not event.new.pod.spec.scheduling_gates
