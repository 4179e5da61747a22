"""A scheduler with a clock: what its attempts, its plugins and its extenders take."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.extenders.call import Call, Reply, Transport
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.framework.timings import Timings, timed
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.scheduling.post_filter import PREEMPTION

_RESULTS: Final = {
    Outcome.SCHEDULED: "scheduled",
    Outcome.UNSCHEDULABLE: "unschedulable",
    Outcome.ERROR: "error",
}
"""Outcome of an attempt -> what kube-scheduler's metrics call it; nothing else is an attempt."""


class MeasuredScheduler(Scheduler):
    """Decides as `Scheduler` does, and notes how long it takes.

    Args:
        configuration: profiles, arguments, version, gates and plugins.
        options: what to do where the real scheduler leaves room.
        transport: carries calls to the extenders of the configuration; None: none of them is called.
        timings: where the times go.
    """

    def __init__(
        self,
        configuration: SchedulerConfiguration,
        options: SchedulingOptions,
        transport: Transport | None,
        timings: Timings,
    ) -> None:
        measured = replace(configuration, registry=timed(configuration.registry, timings))
        carrier = None if transport is None else MeasuredTransport(transport, timings)
        super().__init__(measured, options, carrier)
        # What sessions over changed clusters take over is not measured yet.
        self.configuration, self.transport = configuration, transport
        self._timings = timings
        preempt = timings.around("PostFilter", PREEMPTION, self._policy.preempt)
        self._policy = replace(self._policy, preempt=preempt)

    def decide(self, pod: PodRecord, cluster: ClusterState, **rules: Any) -> Decision:
        """The decision, and how long it took."""
        start = self._timings.now()
        decision = super().decide(pod, cluster, **rules)
        return self._noted(decision, start)

    def attempt(self, pod: PodRecord, cluster: ClusterState, **rules: Any) -> Decision:
        """The decision for a member of a group, and how long it took."""
        start = self._timings.now()
        decision = super().attempt(pod, cluster, **rules)
        return self._noted(decision, start)

    def _noted(self, decision: Decision, start: float) -> Decision:
        result = _RESULTS.get(decision.outcome)
        if result is not None and decision.framework is not None:
            profile = decision.framework.profile.scheduler_name
            self._timings.attempt(profile, result, self._timings.now() - start)
        return decision


class MeasuredTransport:
    """Carries calls by another transport; each extender is measured under its URL."""

    def __init__(self, inner: Transport, timings: Timings) -> None:
        self._inner, self._timings = inner, timings

    def send(self, call: Call) -> Reply:
        """The reply to a call.

        Raises:
            CallError: there is none.
        """
        point = f"Extender{str(call.verb).capitalize()}"
        return self._timings.around(point, call.extender.url_prefix, self._inner.send)(call)
