"""From a decision to its report; the only place where rows become names and NumPy values become numbers."""

from __future__ import annotations

from dataclasses import dataclass

from kschedctl.admission.invalid import Invalid
from kschedctl.framework.scoring import ScorePhase
from kschedctl.framework.status import Detail, Status
from kschedctl.framework.versions import Version
from kschedctl.reports.background import background_report
from kschedctl.reports.closest import closest_node
from kschedctl.reports.comparison import comparison_of
from kschedctl.reports.events import event_of
from kschedctl.reports.explanation import (
    Explanation,
    Failure,
    FailureDetail,
    NodeReport,
    NodeStatus,
    PluginScore,
    Ties,
)
from kschedctl.reports.model import ClusterSummary, PodSummary, SchedulerSummary, rejection_code
from kschedctl.reports.preemption import preemption_report
from kschedctl.reports.reasons import group_reasons
from kschedctl.reports.sentences import listed
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.options import TieBreak


@dataclass(frozen=True, slots=True)
class ReportHead:
    """What reports on the same cluster and scheduler share."""

    scheduler: SchedulerSummary
    cluster: ClusterSummary


def explanation_of(decision: Decision, head: ReportHead, pod: PodSummary) -> Explanation:
    """The report on a decision; to be made while the cluster is as it was decided."""
    nodes = _nodes(decision)
    rejected = [node for node in nodes if not node.feasible]
    unplaced = decision.outcome is Outcome.UNSCHEDULABLE
    counts = decision.cluster.usage.pod_count.tolist()
    pods_on = dict(zip(decision.cluster.nodes.names, counts, strict=True))
    return Explanation(
        scheduler=head.scheduler,
        cluster=head.cluster,
        pod=pod,
        outcome=decision.outcome.value,
        message=decision.message if not unplaced else "",
        problems=[],
        selected_node=decision.selected_node,
        ties=_ties(decision, head.scheduler),
        comparison=comparison_of(decision),
        feasible=len(nodes) - len(rejected),
        scored=decision.scores is not None,
        nodes=nodes,
        reasons=group_reasons(rejected),
        background=[background_report(found) for found in decision.background()],
        closest=closest_node(rejected, pods_on) if unplaced else None,
        advice=decision.advice(),
        event=event_of(decision),
        preemption=preemption_report(decision),
    )


def refusal_of(invalid: Invalid, head: ReportHead, pod: PodSummary) -> Explanation:
    """The report on a pod that the API server would refuse."""
    return Explanation(
        scheduler=head.scheduler,
        cluster=head.cluster,
        pod=pod,
        outcome=Outcome.INVALID.value,
        message=str(invalid),
        problems=[str(problem) for problem in invalid.errors],
        selected_node=None,
        ties=None,
        comparison=None,
        feasible=0,
        scored=False,
        nodes=[],
        reasons=[],
        background=[],
        closest=None,
        advice=None,
        event=None,
        preemption=None,
    )


def _nodes(decision: Decision) -> list[NodeReport]:
    if decision.outcome not in (Outcome.SCHEDULED, Outcome.UNSCHEDULABLE):
        return []
    scores = _scores(decision.scores)
    feasible = set() if decision.feasible is None else set(decision.feasible.tolist())
    examined = decision.examined
    return [
        _node(
            decision,
            row,
            feasible=row in feasible,
            examined=examined is not None and bool(examined[row]),
            scores=scores.get(row),
        )
        for row in range(decision.cluster.nodes.count)
    ]


def _node(
    decision: Decision,
    row: int,
    *,
    feasible: bool,
    examined: bool,
    scores: tuple[dict[str, PluginScore], int] | None,
) -> NodeReport:
    status = None if feasible else decision.status_of(row)
    by_plugin, total = scores or ({}, None)
    return NodeReport(
        name=decision.cluster.nodes.names[row],
        feasible=feasible,
        examined=examined,
        status=None if status is None else _status(status),
        all_failures=[] if feasible else _failures_of(decision, row, examined=examined),
        scores=by_plugin,
        total=total,
    )


def _status(status: Status) -> NodeStatus:
    return NodeStatus(plugin=status.plugin, code=rejection_code(status.code), reasons=list(status.reasons))


def _failures_of(decision: Decision, row: int, *, examined: bool) -> list[Failure]:
    if not examined and decision.absent is not None:
        return [_left_out(decision, decision.absent)]
    details = decision.details_of(row)
    return [
        Failure(
            plugin=failure.plugin,
            code=rejection_code(failure.code),
            reasons=list(failure.reasons),
            details=[_detail(detail) for detail in details if detail.plugin == failure.plugin],
        )
        for failure in decision.failures_of(row)
    ]


def _left_out(decision: Decision, absent: Status) -> Failure:
    """A node that was not looked at, because PreFilter plugins leave only some others."""
    phase = decision.phase
    assert phase is not None
    row_of = decision.cluster.nodes.row_of
    left = [n if n in row_of else f"{n}, which is not in the cluster" for n in sorted(phase.nodes or ())]
    text = f"{' and '.join(sorted(phase.narrowed_by))} leaves only {listed(left)}"
    detail = FailureDetail(reason=absent.message, subject=text, text=text, needs=None, free=None, total=None)
    return Failure(
        plugin=absent.plugin,
        code=rejection_code(absent.code),
        reasons=list(absent.reasons),
        details=[detail],
    )


def _detail(detail: Detail) -> FailureDetail:
    return FailureDetail(
        reason=detail.reason,
        subject=detail.subject,
        text=detail.text,
        needs=detail.needs,
        free=detail.free,
        total=detail.total,
    )


def _scores(phase: ScorePhase | None) -> dict[int, tuple[dict[str, PluginScore], int]]:
    """Row -> scores by plugin, and the total."""
    if phase is None:
        return {}
    columns = [
        (c.plugin, c.weight, c.raw.tolist(), c.normalized.tolist(), c.weighted.tolist())
        for c in phase.columns
    ]
    totals = phase.totals.tolist()
    return {
        row: (
            {
                plugin: PluginScore(raw=raw[i], normalized=share[i], weight=weight, weighted=weighted[i])
                for plugin, weight, raw, share, weighted in columns
            },
            totals[i],
        )
        for i, row in enumerate(phase.feasible.tolist())
    }


def _ties(decision: Decision, scheduler: SchedulerSummary) -> Ties | None:
    if len(decision.ties) < 2:
        return None
    names = [decision.cluster.nodes.names[row] for row in decision.ties]
    rule = str(scheduler.options.get("tieBreak", TieBreak.UPSTREAM))
    random = scheduler.version == Version.V1_34
    return Ties(nodes=names, random=random, chance=1 / len(names) if random else None, rule=rule)
