"""Pods that are equal fail alike, as long as nothing moves (spec 01 §5.4: the start of the search still does)."""

from __future__ import annotations

from kschedctl.cluster.bounded_cache import MIB, BoundedCache, array_bytes
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.runtime import Framework
from kschedctl.scheduling.decision import Decision, Outcome

_MOST = 64 * MIB


class KnownFailures:
    """Decisions for pods that fitted nowhere since the last change of a cluster, by profile and class."""

    def __init__(self) -> None:
        self._revision = -1
        self._kept: BoundedCache[tuple[str, int], Decision] = BoundedCache(_MOST)

    def find(self, framework: Framework, pod: PodRecord, cluster: ClusterState) -> Decision | None:
        """How an equal pod failed in the cluster as it is."""
        if self._revision != cluster.journal.revision or not self._kept:
            return None
        return self._kept.get(_key(framework, pod)) if _is_equal(pod, cluster) else None

    def keep(self, framework: Framework, decision: Decision) -> None:
        """Remember a failure that is no reason to act: nobody is evicted for the pod."""
        if (
            decision.outcome is Outcome.SCHEDULED
            or decision.makes_room
            or not framework.equal_pods_fail_alike
            or not _is_equal(decision.pod, decision.cluster)
        ):
            return
        if self._revision != decision.cluster.journal.revision:
            self._revision = decision.cluster.journal.revision
            self._kept.clear()
        self._kept.put(_key(framework, decision.pod), decision, _nbytes(decision))


def _nbytes(decision: Decision) -> int:
    """What the arrays of a decision take."""
    evaluation = decision.evaluation
    if evaluation is None:
        return 0
    verdicts = 0 if evaluation.filters is None else evaluation.filters.nbytes
    return verdicts + array_bytes(
        evaluation.order, evaluation.passed, evaluation.phase.states, decision.examined
    )


def _key(framework: Framework, pod: PodRecord) -> tuple[str, int]:
    return framework.profile.scheduler_name, pod.pod_class.index


def _is_equal(pod: PodRecord, cluster: ClusterState) -> bool:
    """Whether all that decides is in the pod's class: claims made for it alone are not, nor a node it names."""
    own = pod.pod_class.has_own_claims
    return not own and not pod.pod.node_name and not cluster.nominated_node(pod.id)
