"""Pods that are equal, or that filters see alike, fail alike as long as nothing moves (spec 01 §5.4).

Where the search begins still moves.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from kschedctl.cluster.bounded_cache import MIB, BoundedCache
from kschedctl.cluster.group_members import group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.scheduling.decision import Decision, Outcome

_MOST: Final = 64 * MIB
_A_ROW: Final = 64
"""Bytes that the arrays of a decision take for each row, about."""
_NODES_AND_ROWS: Final = (Reads.NODES, Reads.USAGE, Reads.ROW)


class KnownFailures:
    """Decisions for pods that fitted nowhere since the last change of a cluster.

    They are known by profile and class, and by what filters see of a pod: for pods of many apps that is the same.
    """

    def __init__(self) -> None:
        self._revision = -1
        self._kept: BoundedCache[Hashable, Decision] = BoundedCache(_MOST)

    def find(self, framework: Framework, pod: PodRecord, cluster: ClusterState) -> Decision | None:
        """How an equal pod failed in the cluster as it is."""
        if self._revision != cluster.journal.revision or not self._kept:
            return None
        return self._kept.get(_of_class(framework, pod)) if _is_equal(pod, cluster) else None

    def find_alike(
        self, framework: Framework, pod: PodRecord, phase: PreFilterPhase, cluster: ClusterState
    ) -> Decision | None:
        """How a pod failed of which PreFilter had left the same."""
        if self._revision != cluster.journal.revision or not self._kept or not _is_equal(pod, cluster):
            return None
        key = _of_filters(framework, pod, phase, cluster)
        return None if key is None else self._kept.get(key)

    def keep(self, framework: Framework, decision: Decision) -> None:
        """Remember a failure that is no reason to act: nobody is evicted for the pod."""
        makes_room = decision.preemption is not None and decision.preemption.nominated is not None
        pod, cluster = decision.pod, decision.cluster
        if (
            decision.outcome is Outcome.SCHEDULED
            or makes_room
            or not framework.equal_pods_fail_alike
            or not _is_equal(pod, cluster)
        ):
            return
        if self._revision != cluster.journal.revision:
            self._revision = cluster.journal.revision
            self._kept.clear()
        size = 0 if decision.evaluation is None else _A_ROW * cluster.nodes.count
        self._kept.put(_of_class(framework, pod), decision, size)
        if decision.phase is not None:
            alike = _of_filters(framework, pod, decision.phase, cluster)
            if alike is not None:
                self._kept.put(alike, decision, 0)


def _of_class(framework: Framework, pod: PodRecord) -> Hashable:
    return framework.profile.scheduler_name, pod.pod_class.index


def _of_filters(
    framework: Framework, pod: PodRecord, phase: PreFilterPhase, cluster: ClusterState
) -> Hashable | None:
    """What filters and preemption see of a pod; None where more of it matters than can be told."""
    if phase.status is not None or phase.nodes is not None:
        return None
    if framework.may_look_behind_filters or group_of(pod) is not None:
        return None
    seen = framework.filters_seen(pod, phase, cluster, _NODES_AND_ROWS)
    return None if seen is None else (seen, pod.pod.preemption_policy)


def _is_equal(pod: PodRecord, cluster: ClusterState) -> bool:
    """Whether all that decides is in the pod's class: claims made for it alone are not, nor a node it names."""
    own = pod.pod_class.has_own_claims
    return not own and not pod.pod.node_name and not cluster.nominated_node(pod.id)
