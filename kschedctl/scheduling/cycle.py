"""One scheduling cycle: from a pod and a cluster to a decision (spec 01 §5)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration import DefaultPreemptionArgs, SchedulerConfiguration
from kschedctl.framework.default_plugins import ExtensionPoint
from kschedctl.framework.filter_phase import FilterPhase
from kschedctl.framework.fit_error import NO_NODES, fit_error
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.scoring import ScorePhase, run_scores
from kschedctl.framework.status import Code, Status
from kschedctl.plugins.registry import PLUGINS
from kschedctl.preemption.evaluator import CandidateLimits, preempt
from kschedctl.preemption.result import PreemptionResult

from .chance import Draw, chance
from .class_cache import ClassCache
from .decision import Decision, Outcome
from .node_search import Search, confined_rows, sampling_target, search
from .options import Sampling, SchedulingOptions
from .post_filter import run_post_filter
from .tie_break import break_tie

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Scheduler:
    """The profiles of a configuration, ready to decide.

    Args:
        configuration: profiles, arguments, version and gates.
        options: what to do where the real scheduler leaves room.
        plugins: plugin name -> class.
    """

    def __init__(
        self,
        configuration: SchedulerConfiguration,
        options: SchedulingOptions | None = None,
        plugins: Mapping[str, type[Plugin]] = PLUGINS,
    ) -> None:
        self.configuration = configuration
        self.options = options or SchedulingOptions()
        self._cache = ClassCache()
        self._cached_for: ClusterState | None = None
        self._frameworks = {
            profile.scheduler_name: Framework(profile, plugins, configuration.version, configuration.gates)
            for profile in configuration.profiles
        }

    def framework(self, scheduler_name: str) -> Framework | None:
        """The profile that handles pods of this name."""
        return self._frameworks.get(scheduler_name)

    def decide(self, pod: PodRecord, cluster: ClusterState, *, nominated: str | None = None) -> Decision:
        """What kube-scheduler would decide for the pod; the cluster stays as it is but for the search's start.

        Args:
            pod: a pending pod of the cluster's pod table.
            cluster: the cluster.
            nominated: node nominated for the pod by an earlier preemption; None: as the cluster knows.
        """
        framework = self._frameworks.get(pod.pod.spec.scheduler_name)
        if framework is None:
            text = f"no profile handles schedulerName {pod.pod.spec.scheduler_name}"
            return Decision(pod, cluster, Outcome.NO_PROFILE, text)
        if (gate := framework.pre_enqueue(pod, cluster)) is not None:
            return Decision(pod, cluster, Outcome.GATED, gate, framework)
        if pod.pod.is_terminating:
            text = f"skip schedule deleting pod: {pod.full_name}"
            return Decision(pod, cluster, Outcome.TERMINATING, text, framework)
        wanted = cluster.node_to_try_first(pod) if nominated is None else nominated
        if not wanted and self._reuses and cluster.nodes.count:
            known = self._from_class(framework, pod, cluster)
            if known is not None:
                return known
        return _Cycle(self, framework, pod, cluster, wanted).run()

    @property
    def _reuses(self) -> bool:
        """Whether only the choice is asked for: the verdicts and scores behind it are then not kept."""
        return self.options.reuse and not self.options.every_failure and not self.options.score_single

    def _from_class(self, framework: Framework, pod: PodRecord, cluster: ClusterState) -> Decision | None:
        """The decision from what is known of the pod's class; None where it has to be taken in full."""
        if self._cached_for is not cluster:
            self._cached_for, self._cache = cluster, ClassCache()
        evaluation = self._cache.evaluation(framework, pod, cluster)
        if evaluation is None:
            return None
        passing = evaluation.passing(pod, cluster)
        if passing is None:
            return None
        passes, phase = passing
        if cluster.nominations:
            for refusal in framework.nominated_refusals(pod, phase, Rows(cluster)):
                passes[refusal.row] = False
        order = evaluation.order
        target = self.sampling_target(framework, len(order))
        found = search(order, passes, cluster.next_start, target)
        feasible = found.feasible
        if not len(feasible):
            return None
        cluster.advance_start(len(found.examined))
        totals = evaluation.totals(pod, cluster, feasible) if len(feasible) > 1 else np.zeros(1, np.int64)
        return Decision(
            pod,
            cluster,
            Outcome.SCHEDULED,
            framework=framework,
            phase=phase,
            feasible=feasible,
            tied=feasible[totals == totals.max()],
            selected=self.choose(pod, totals, feasible, cluster.nodes.names),
            evaluated=len(found.examined),
        )

    def sampling_target(self, framework: Framework, nodes: int) -> int | None:
        """How many feasible nodes end the search, None for no end."""
        if self.options.sampling is Sampling.OFF:
            return None
        if not framework.at(ExtensionPoint.SCORE):
            return 1
        own = framework.profile.percentage_of_nodes_to_score
        common = self.configuration.percentage_of_nodes_to_score
        return sampling_target(nodes, common if own is None else own)

    def choose(self, pod: PodRecord, totals: Ints, feasible: Ints, names: list[str]) -> int:
        """The row that is taken among the feasible ones, int64 (F,), by their totals, int64 (F,)."""
        rule, version = self.options.tie_break, self.configuration.version

        def draw() -> random.Random:
            return chance(self.options.seed, Draw.NODE, pod)

        return int(feasible[break_tie(totals, feasible, names, rule, version, draw)])

    def candidate_limits(self, framework: Framework, pod: PodRecord) -> CandidateLimits | None:
        """How many preemption candidates the real one looks for; None where every node is tried."""
        if self.options.sampling is Sampling.OFF:
            return None
        args = framework.profile.args_of(DefaultPreemptionArgs)
        return CandidateLimits(
            args.min_candidate_nodes_percentage,
            args.min_candidate_nodes_absolute,
            chance(self.options.seed, Draw.OFFSET, pod),
        )


@dataclass
class _Cycle:
    """The steps of one cycle, over what they share."""

    scheduler: Scheduler
    framework: Framework
    pod: PodRecord
    cluster: ClusterState
    nominated: str

    def run(self) -> Decision:
        """Take the decision."""
        if not self.cluster.nodes.count:
            return self._decision(Outcome.UNSCHEDULABLE, event=NO_NODES)
        phase = self.framework.run_pre_filter(self.pod, self.cluster)
        if phase.status is not None and phase.status.code is Code.ERROR:
            return self._decision(Outcome.ERROR, phase.status.message, phase=phase)
        if phase.status is not None:
            return self._rejected(phase, phase.status)
        return self._filtered(phase)

    def _decision(self, outcome: Outcome, message: str = "", **parts: object) -> Decision:
        return Decision(self.pod, self.cluster, outcome, message, self.framework, **parts)  # type: ignore[arg-type]

    def _rejected(self, phase: PreFilterPhase, status: Status) -> Decision:
        """PreFilter refuses the pod: every node has that status."""
        codes = np.full(self.cluster.nodes.count, status.code, np.uint8)
        decision = self._decision(Outcome.UNSCHEDULABLE, phase=phase, pre_filter=status)
        return self._post_filter(decision, phase, codes, {}, status.message)

    def _filtered(self, phase: PreFilterPhase) -> Decision:
        cluster, framework = self.cluster, self.framework
        order = confined_rows(phase, cluster)
        considered = np.zeros(cluster.nodes.count, bool)
        considered[order] = True
        first = cluster.nodes.row_of.get(self.nominated)
        if first is not None:
            considered[first] = True
        filters = framework.run_filters_with_nominated(
            self.pod,
            phase,
            Rows(cluster),
            among=considered,
            every=self.scheduler.options.every_failure,
        )
        passed = filters.feasible
        if first is not None and passed[first] and self._stops_at_nominated:
            found = Search(np.array([first]), np.array([first]))
        else:
            target = self.scheduler.sampling_target(framework, len(order))
            found = search(order, passed, cluster.next_start, target)
        errors = np.flatnonzero(filters.codes[found.examined] == Code.ERROR)
        examined = found.examined[: errors[0]] if len(errors) else found.examined
        # An error on the nominated node is only logged: it leaves no status.
        if first is not None and filters.codes[first] > Code.ERROR:
            examined = np.append(examined, first) if first not in examined else examined
            if (blocked := filters.status_of(first)) is not None and phase.nodes is not None:
                phase.narrowed_by.add(blocked.plugin)
        if not (first is not None and passed[first]):
            cluster.advance_start(len(examined))
        if len(errors):
            error = filters.error_of(int(found.examined[errors[0]])) or ""
            return self._decision(Outcome.ERROR, error, phase=phase, filters=filters)
        return self._judged(phase, filters, examined, found.feasible)

    @property
    def _stops_at_nominated(self) -> bool:
        """The real one looks at the nominated node alone; tables for people show all nodes."""
        return self.scheduler.options.sampling is Sampling.UPSTREAM

    def _judged(
        self, phase: PreFilterPhase, filters: FilterPhase, examined: Ints, feasible: Ints
    ) -> Decision:
        own = np.zeros(self.cluster.nodes.count, bool)
        own[examined] = True
        absent = None
        if phase.nodes is not None:
            text = f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(phase.narrowed_by))}]"
            absent = Status(Code.UNRESOLVABLE, (text,))
        decision = self._decision(
            Outcome.UNSCHEDULABLE,
            phase=phase,
            absent=absent,
            filters=filters,
            examined=own,
            feasible=feasible,
            evaluated=len(examined),
        )
        if len(feasible):
            return self._scored(decision, feasible)
        codes = np.where(own, filters.codes, np.uint8(Code.UNRESOLVABLE))
        reasons = filters.histogram(own)
        rest = self.cluster.nodes.count - len(examined)
        if absent is not None and rest:
            reasons[absent.reasons[0]] = reasons.get(absent.reasons[0], 0) + rest
        return self._post_filter(decision, phase, codes, reasons, "")

    def _scored(self, decision: Decision, feasible: Ints) -> Decision:
        names = self.cluster.nodes.names
        wanted = self.cluster.nodes.row_of.get(self.nominated)
        scores: ScorePhase | None = None
        if len(feasible) > 1 or self.scheduler.options.score_single:
            scores = run_scores(self.framework, self.pod, self.cluster, feasible)
            if scores.error is not None:
                return self._decision(
                    Outcome.ERROR, scores.error, phase=decision.phase, filters=decision.filters
                )
            best = feasible[scores.totals == scores.totals.max()]
            selected = self.scheduler.choose(self.pod, scores.totals, feasible, names)
        else:
            best = feasible
            selected = int(best[0])
        if wanted is not None and wanted in feasible:
            selected = wanted
        return replace(decision, outcome=Outcome.SCHEDULED, scores=scores, tied=best, selected=selected)

    def _post_filter(
        self,
        decision: Decision,
        phase: PreFilterPhase,
        codes: npt.NDArray[np.uint8],
        reasons: dict[str, int],
        pre_filter: str,
    ) -> Decision:
        count = self.cluster.nodes.count
        if not self.scheduler.options.preemption:
            return replace(decision, event=fit_error(count, reasons, pre_filter=pre_filter))

        def try_preemption() -> PreemptionResult:
            pod = self.pod
            limits = self.scheduler.candidate_limits(self.framework, pod)
            return preempt(self.framework, phase, pod, self.cluster, codes, self.nominated, limits=limits)

        result = run_post_filter(self.framework, phase, self.pod, self.cluster, try_preemption)
        event = fit_error(count, reasons, pre_filter=pre_filter, post_filter=result.message)
        return replace(
            decision,
            event=event,
            preemption=result.preemption,
            message=result.message,
            keeps_nomination=result.keeps_nomination,
        )
