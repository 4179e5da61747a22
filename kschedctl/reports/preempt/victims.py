"""The victims of a preemption, with all that a person wants to know before they go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property

import numpy as np

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.start_times import NO_START, start_of, start_times
from kschedctl.cluster.state import ClusterState
from kschedctl.reports.preempt.model import BudgetCharge, Displaced, EvictedPod
from kschedctl.whatif.judgement.cascade import Evicted
from kschedctl.whatif.judgement.preemption import Charge
from kschedctl.workloads.controllers import is_static
from kschedctl.workloads.ownership import Ownership
from kschedctl.workloads.workload import WORKLOADS, WorkloadKey

_SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PodFacts:
    """What reports say of pods of one cluster, beyond the pod itself.

    Args:
        cluster: the cluster.
        taken_at: when it was looked at (RFC 3339), None where that is not known.
    """

    def __init__(self, cluster: ClusterState, taken_at: str | None) -> None:
        self._cluster = cluster
        self._taken_at = taken_at

    @cached_property
    def _ownership(self) -> Ownership:
        objects = self._cluster.objects
        return Ownership(obj for kind in WORKLOADS for obj in objects.all(kind).values())

    @cached_property
    def age_reference(self) -> str | None:
        """To what ages relate: the time of the snapshot, else the newest start of a pod; None without either."""
        if self._taken_at is not None and start_of(self._taken_at) != NO_START:
            return self._taken_at
        starts = start_times(self._cluster, range(len(self._cluster.pods)))
        known = starts[starts != NO_START]
        return _rfc3339(int(np.max(known))) if len(known) else None

    def age_seconds(self, pod: AdmittedPod) -> int | None:
        """How long a pod has run at the reference, None where it or the pod's start is not known."""
        start = start_of(pod.status.start_time)
        if self.age_reference is None or start == NO_START:
            return None
        return max(0, (start_of(self.age_reference) - start) // _SECOND)

    def owner(self, pod: AdmittedPod) -> WorkloadKey | None:
        """The workload at the top of a pod's chain of owners; None for a pod that nothing controls."""
        if pod.source is None or pod.metadata.controller is None:
            return None
        return self._ownership.root(pod.source)


def evicted_pod(
    record: PodRecord, facts: PodFacts, charges: Sequence[Charge], *, breaks_budget: bool
) -> EvictedPod:
    """The report on one victim."""
    pod = record.pod
    controller = pod.metadata.controller
    return EvictedPod(
        namespace=record.namespace,
        name=record.name,
        node=pod.node_name,
        priority=record.priority,
        owner=_owner(pod, facts),
        daemon=controller is not None and controller.kind == "DaemonSet",
        static=is_static(pod),
        terminating=pod.is_terminating,
        start_time=pod.status.start_time,
        age_seconds=facts.age_seconds(pod),
        breaks_budget=breaks_budget,
        budgets=[
            BudgetCharge(
                namespace=charge.budget.namespace,
                name=charge.budget.name,
                allowed=charge.budget.status.disruptions_allowed,
                number=charge.number,
                violated=charge.broken,
            )
            for charge in charges
        ],
    )


def displaced(evicted: Evicted, facts: PodFacts) -> Displaced:
    """The report on a victim and on those that go because of it."""
    record = evicted.pod
    return Displaced(
        namespace=record.namespace,
        name=record.name,
        priority=record.priority,
        owner=_owner(record.pod, facts),
        evicted_from=evicted.origin,
        breaks_budget=evicted.breaks_budget,
        fate=evicted.fate.value,
        node=evicted.node,
        message=evicted.message,
        keeps_claims=evicted.keeps_claims,
        victims=[displaced(victim, facts) for victim in evicted.victims],
    )


def _owner(pod: AdmittedPod, facts: PodFacts) -> str | None:
    owner = facts.owner(pod)
    return None if owner is None else f"{owner.kind}/{owner.name}"


def _rfc3339(nanoseconds: int) -> str:
    moment = _EPOCH + timedelta(seconds=nanoseconds // _SECOND)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
