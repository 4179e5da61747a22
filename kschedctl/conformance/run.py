"""Replay a scenario with the rules by which the golden decisions were taken (conformance README)."""

from __future__ import annotations

from kschedctl.admission.chain import Admission
from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.build import build_cluster
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.objects.core import LimitRange, PriorityClass, RuntimeClass
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import evict_and_retry, place
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak

from .emit import Result, golden_result
from .scenario import Scenario

GOLDEN = SchedulingOptions(tie_break=TieBreak.FIRST, score_single=True)
NATIVE = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM, preemption=False)


def replay(scenario: Scenario) -> list[Result]:
    """Our results for every candidate of a scenario, in the golden shape.

    Raises:
        UnsupportedError: a candidate needs a plugin that is not evaluated yet.
    """
    return _Replay(scenario).run()


class _Replay:
    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        gates = feature_gates(scenario.version, scenario.gates)
        configuration = load_configuration(scenario.config, scenario.version, gates)
        self._scheduler = Scheduler(configuration, NATIVE if scenario.native else GOLDEN)
        context = AdmissionContext.of(
            priority_classes=[o for o in scenario.objects if isinstance(o, PriorityClass)],
            runtime_classes=[o for o in scenario.objects if isinstance(o, RuntimeClass)],
            limit_ranges=[o for o in scenario.objects if isinstance(o, LimitRange)],
        )
        self._admission = Admission(context)
        in_place = gates.enabled("InPlacePodLevelResourcesVerticalScaling")
        self._cluster: ClusterState = build_cluster(
            scenario.objects, self._admission, in_place_pod_level=in_place
        )

    def run(self) -> list[Result]:
        results = []
        for pod in self._scenario.pods:
            admitted = self._admission.admit_candidate(pod)
            if isinstance(admitted, Invalid):
                results.append({"pod": pod.full_name, "outcome": "Invalid", "error": str(admitted)})
                continue
            record = self._cluster.add_pod(admitted)
            results.append(self._one(record))
        return results

    def _one(self, pod: PodRecord) -> Result:
        decision = self._scheduler.decide(pod, self._cluster)
        result = golden_result(decision, native=self._scenario.native)
        if self._scenario.sequence or self._scenario.native:
            self._apply(decision, result)
        return result

    def _apply(self, decision: Decision, result: Result) -> None:
        """Let the decision take effect for the pods that follow."""
        if decision.outcome is Outcome.SCHEDULED and decision.selected is not None:
            place(decision)
        elif decision.preemption is not None and decision.preemption.nominated is not None:
            self._preempt(decision, result)

    def _preempt(self, decision: Decision, result: Result) -> None:
        again = evict_and_retry(self._scheduler, decision)
        preemption = decision.preemption
        assert preemption is not None
        assert preemption.nominated is not None
        victims = preemption.candidates[preemption.nominated].victims
        result["victims"] = [self._cluster.pods.records[pod].full_name for pod in victims]
        if again.outcome is Outcome.SCHEDULED:
            result["selected"] = again.selected_node
            place(again)
