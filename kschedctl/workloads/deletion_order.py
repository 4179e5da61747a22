"""Which pods a controller deletes first when it has too many."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from kschedctl.objects.go import parse_int
from kschedctl.objects.pod import Pod
from kschedctl.workloads.readiness import is_ready

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_COST = re.compile(r"-|0$|[1-9]")
"""What a cost begins with."""
_PHASES = {"Pending": 0, "Unknown": 1}
_RUNNING = 2


def replica_deletion_order(pods: Iterable[Pod]) -> list[Pod]:
    """Pods in the order in which a replica set deletes them.

    Those on no node first; then by phase; those not ready; the cheapest by annotation; those with most siblings on
    their node; the youngest. Since when they are ready and how often they restarted is not read.
    """
    candidates = list(pods)
    siblings = Counter(pod.spec.node_name for pod in candidates)
    youngest = _youngest_first(candidates)
    return sorted(
        youngest, key=lambda pod: (*_standing(pod), _deletion_cost(pod), -siblings[pod.spec.node_name])
    )


def job_deletion_order(pods: Iterable[Pod]) -> list[Pod]:
    """Pods in the order in which a job deletes them: as a replica set does, but neither by cost nor by siblings."""
    return sorted(_youngest_first(pods), key=_standing)


def _youngest_first(pods: Iterable[Pod]) -> list[Pod]:
    by_name = sorted(pods, key=lambda pod: pod.name)
    return sorted(by_name, key=lambda pod: pod.metadata.creation_timestamp or "", reverse=True)


def _standing(pod: Pod) -> tuple[bool, int, bool]:
    return bool(pod.spec.node_name), _PHASES.get(pod.status.phase, _RUNNING), is_ready(pod)


def _deletion_cost(pod: Pod) -> int:
    cost = pod.metadata.annotations.get(DELETION_COST, "0")
    return parse_int(cost, 32) or 0 if _COST.match(cost) else 0
