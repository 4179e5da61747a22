"""The cycles of a scenario with extenders: each is taken as it was recorded, twice (spec 08 §6).

The calls that were recorded are those of the real cycle; the results are those of a look at all nodes.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.conformance.extender_script import ExtenderScript
from kschedctl.extenders.call import ExtenderVerb
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak

_REAL = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM, preemption=False)


class ExtenderScheduler(Scheduler):
    """Decides as the golden files do, after the calls of the real cycle.

    Args:
        configuration: with extenders.
        real: the same where every node is scored.
        options: those of the golden files.
        script: answers the calls, and keeps those that the recordings have.
    """

    def __init__(
        self,
        configuration: SchedulerConfiguration,
        real: SchedulerConfiguration,
        options: SchedulingOptions,
        script: ExtenderScript,
    ) -> None:
        super().__init__(configuration, replace(options, reuse=False), transport=script)
        self._script = script
        self._real = Scheduler(real, _REAL, transport=script)

    def decide(self, pod: PodRecord, cluster: ClusterState, **rules: Any) -> Decision:
        """The decision; where the next search begins is what the real cycle left."""
        with self._script.keeping(ExtenderVerb.FILTER, ExtenderVerb.PRIORITIZE):
            self._real.decide(pod, cluster, **rules)
        start = cluster.next_start
        with self._script.keeping(ExtenderVerb.PREEMPT):
            decision = super().decide(pod, cluster, **rules)
        cluster.next_start = start
        return decision

    def bind(self, decision: Decision) -> str | None:
        """Let the first extender that binds do so; its error, or None where the pod is bound."""
        assert decision.selected_node is not None
        for client in self.extenders.interested(decision.pod.pod):
            if client.extender.bind_verb:
                error = self._script.bind(client.extender, decision.pod.full_name, decision.selected_node)
                if error is None or not client.extender.ignorable:
                    return error
        return None
