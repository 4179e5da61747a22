"""From what the plugins say of a pod to the decision: the search, the choice, or PostFilter (spec 01 §5.4 to §5.9).

Every decision comes this way, whether the plugins were asked for this pod, or their answers for an equal one are
still true.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from msgspec import Struct, structs

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.extenders.chain import Passed
from kschedctl.framework.filter_phase import FilterPhase
from kschedctl.framework.fit_error import fit_error
from kschedctl.framework.runtime import Framework
from kschedctl.framework.scoring import ScorePhase
from kschedctl.framework.status import Code, Status
from kschedctl.preemption.result import PreemptionResult
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.evaluation import Evaluation
from kschedctl.scheduling.leaders import Leaders
from kschedctl.scheduling.node_search import NodeSearch, search
from kschedctl.scheduling.policy import SchedulingPolicy
from kschedctl.scheduling.post_filter import ASK_ALL, PostFilterResult, PostFilterRule, run_post_filter
from kschedctl.scheduling.rebuilt import score_rebuilt

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def conclude(
    policy: SchedulingPolicy,
    framework: Framework,
    pod: PodRecord,
    cluster: ClusterState,
    evaluation: Evaluation,
    known: Decision | None = None,
    post_filter: PostFilterRule = ASK_ALL,
) -> Decision:
    """Take the decision, and move the start of the next search on.

    Args:
        policy: what the configuration and the options say.
        framework: the pod's profile.
        pod: the candidate.
        cluster: the cluster as it was when the plugins were asked.
        evaluation: what they said, of this pod or of an equal one.
        known: how the equal one failed; its PostFilter would say the same again.
        post_filter: what is asked where the pod fits nowhere.
    """
    return _Cycle(policy, framework, pod, cluster, evaluation, post_filter).conclude(known)


class _Cycle(Struct, frozen=True):
    """What the steps of one decision share."""

    policy: SchedulingPolicy
    framework: Framework
    pod: PodRecord
    cluster: ClusterState
    evaluation: Evaluation
    post_filter: PostFilterRule

    @property
    def _count(self) -> int:
        """How many nodes there are for this decision."""
        scope = self.evaluation.scope
        return self.cluster.present.count if scope is None else len(scope)

    def conclude(self, known: Decision | None) -> Decision:
        status = self.evaluation.phase.status
        if status is not None and status.code is Code.ERROR:
            return self._error(status.message)
        if self.evaluation.leaders is not None and self.policy.takes_leader(self.framework, self.pod):
            return self._led_by(self.evaluation.leaders)
        found, passed = self._search()
        if passed.error is not None:
            return self._error(passed.error)
        if self.policy.extenders.are_called:
            found = found.without(_dropped(found, passed, self.cluster))
        if len(passed.feasible):
            return self._scheduled(found, passed)
        return self._unschedulable(found, passed) if known is None else known.with_(pod=self.pod)

    def _led_by(self, leaders: Leaders) -> Decision:
        """The decision where all nodes are looked at, after which the next search begins where this one did."""
        return Decision(
            self.pod,
            self.cluster,
            Outcome.SCHEDULED,
            framework=self.framework,
            evaluation=self.evaluation,
            feasible=leaders.feasible,
            selected=leaders.best(),
            evaluated=len(self.evaluation.order),
        )

    def _error(self, message: str) -> Decision:
        return Decision(self.pod, self.cluster, Outcome.ERROR, message, self.framework, self.evaluation)

    def _ask_extenders(self, feasible: Ints) -> Passed:
        return self.policy.extenders.filter(self.pod, self.cluster, feasible)

    def _search(self) -> tuple[NodeSearch, Passed]:
        """The nodes that are looked at, and what extenders leave of them, or the error that ends the search."""
        evaluation = self.evaluation
        first, filters = evaluation.nominated, evaluation.filters
        fits_first = first is not None and bool(evaluation.passed[first])
        tried: Mapping[str, Status] = {}
        if fits_first and self.policy.takes_nominated_unseen:
            alone = np.array([first])
            passed = self._ask_extenders(alone)
            if passed.error is None and len(passed.feasible):
                return NodeSearch(alone, alone), passed
            tried = passed.statuses  # an error there is only logged
        target = self.policy.target(self.framework, len(evaluation.order))
        found = search(evaluation.order, evaluation.passed, self.cluster.next_start, target)
        if first is not None and fits_first and not self.policy.takes_nominated_unseen:
            found = found.including(first)
            return found, self._ask_extenders(found.feasible)
        error = None
        if filters is not None:
            found, error = _up_to_error(found, filters)
            if first is not None and filters.codes[first] > Code.ERROR and first not in found.examined:
                found = NodeSearch(np.append(found.examined, first), found.feasible)
        seen_twice = [r for r in map(self.cluster.row_of, tried) if r is None or evaluation.passed[r]]
        self.cluster.advance_start(len(found.examined) + len(seen_twice), self._count)
        if error is not None:
            return found, Passed(found.feasible, error=error)
        passed = self._ask_extenders(found.feasible)
        return found, structs.replace(passed, statuses={**tried, **passed.statuses}) if tried else passed

    def _scores(self, passed: Passed) -> ScorePhase:
        if passed.rebuilt is None:
            scores = self.evaluation.score(self.pod, self.cluster, passed.feasible)
        else:
            scores = score_rebuilt(self.framework, self.pod, self.cluster, passed.feasible, passed.rebuilt)
        extenders = self.policy.extenders
        if scores.error is not None or not extenders.interested(self.pod.pod):
            return scores
        nodes = passed.rebuilt or [self.cluster.nodes.objects[row] for row in passed.feasible.tolist()]
        return scores.with_columns(extenders.prioritize(self.pod, nodes))

    def _scheduled(self, found: NodeSearch, passed: Passed) -> Decision:
        evaluation, feasible = self.evaluation, passed.feasible
        scores: ScorePhase | None = None
        if len(feasible) > 1 or self.policy.options.score_single:
            scores = self._scores(passed)
        error = None if scores is None else scores.error
        taken = evaluation.nominated is not None and evaluation.nominated in feasible
        if error is not None and (not taken or self.policy.options.score_single):
            # The real one takes a nominated node unscored.
            return self._error(error).with_(fault=scores.fault if scores else None)
        if taken:
            selected, scores = evaluation.nominated, scores if error is None else None
        elif scores is None:
            selected = int(feasible[0])
        else:
            names = (
                [*self.cluster.nodes.names, *passed.made_up] if passed.made_up else self.cluster.nodes.names
            )
            selected = self.policy.choose(self.pod, scores.best, feasible, names)
        tied = np.array([selected]) if scores is None else feasible[scores.best]
        return Decision(
            self.pod,
            self.cluster,
            Outcome.SCHEDULED,
            framework=self.framework,
            evaluation=evaluation,
            examined=self._mask(found.examined),
            feasible=feasible,
            scores=None if evaluation.filters is None else scores,
            tied=tied,
            selected=selected,
            evaluated=len(found.examined),
            by_extenders=passed if self.policy.extenders.are_called else None,
        )

    def _mask(self, examined: Ints) -> Mask | None:
        """Bool (N,), nodes with a verdict of their own; None where the verdicts are not kept."""
        if self.evaluation.filters is None:
            return None
        mask = np.zeros(self.cluster.nodes.count, bool)
        mask[examined] = True
        return mask

    def _unschedulable(self, found: NodeSearch, passed: Passed) -> Decision:
        phase, filters, count = self.evaluation.phase, self.evaluation.filters, self._count
        examined = self._mask(found.examined)
        rest = phase.status or self.evaluation.absent
        codes = np.full(self.cluster.nodes.count, Code.UNRESOLVABLE if rest is None else rest.code, np.uint8)
        reasons: dict[str, int] = {}
        told = len(found.examined)
        if filters is not None and examined is not None:
            own = examined.copy()
            for node, status in passed.statuses.items():
                row = self.cluster.row_of(node)
                told += row is None or not examined[row]
                for text in status.reasons:
                    reasons[text] = reasons.get(text, 0) + 1
                if row is not None:
                    own[row], codes[row] = False, status.code
            codes[own] = filters.codes[own]
            for text, nodes in filters.histogram(own).items():
                reasons[text] = reasons.get(text, 0) + nodes
        left_out = count - told
        if self.evaluation.absent is not None and left_out:
            text = self.evaluation.absent.message
            reasons[text] = reasons.get(text, 0) + left_out
        result = self._post_filter(codes)
        refused = "" if phase.status is None else phase.status.message
        return Decision(
            self.pod,
            self.cluster,
            Outcome.UNSCHEDULABLE,
            result.message,
            framework=self.framework,
            evaluation=self.evaluation,
            examined=examined,
            feasible=passed.feasible,
            evaluated=len(found.examined),
            event=fit_error(count, reasons, pre_filter=refused, post_filter=result.message),
            preemption=result.preemption,
            keeps_nomination=result.keeps_nomination,
            by_extenders=passed if self.policy.extenders.are_called else None,
        )

    def _post_filter(self, codes: npt.NDArray[np.uint8]) -> PostFilterResult:
        """What PostFilter says, from the code of every node, uint8 (N,)."""
        if not self.policy.options.preemption or not self.post_filter.runs:
            return PostFilterResult(keeps_nomination=not self.post_filter.runs)
        pod, cluster, framework, phase = self.pod, self.cluster, self.framework, self.evaluation.phase
        nominated = None if self.evaluation.hinted else self.evaluation.nominated
        where = "" if nominated is None else cluster.nodes.names[nominated]

        def try_preemption() -> PreemptionResult:
            if refusal := self.post_filter.no_preemption:
                return PreemptionResult(eligible=False, message=refusal)
            limits = self.policy.candidate_limits(framework, pod)
            extenders = self.policy.extenders
            return self.policy.preempt(
                framework, phase, pod, cluster, codes, where, limits=limits, extenders=extenders
            )

        return run_post_filter(framework, phase, pod, cluster, try_preemption)


def _dropped(found: NodeSearch, passed: Passed, cluster: ClusterState) -> Ints:
    """Rows of which an extender says nothing but that they are not among those it leaves, int64 (k,)."""
    gone = found.feasible[~np.isin(found.feasible, passed.feasible)]
    names = cluster.nodes.names
    return np.array([row for row in gone.tolist() if names[row] not in passed.statuses], np.int64)


def _up_to_error(found: NodeSearch, filters: FilterPhase) -> tuple[NodeSearch, str | None]:
    """The search up to the first node on which a filter ends in an error, and the error."""
    if not filters.has_errors:
        return found, None
    errors = np.flatnonzero(filters.codes[found.examined] == Code.ERROR)
    if not len(errors):
        return found, None
    cut = int(errors[0])
    return NodeSearch(found.examined[:cut], found.feasible), filters.error_of(int(found.examined[cut])) or ""
