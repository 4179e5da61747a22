"""From a decision to its report; here and in `node_reports` NumPy values become numbers."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from kschedctl.admission.invalid import Invalid
from kschedctl.objects.fault import Fault
from kschedctl.reports.explain.background import background_report
from kschedctl.reports.explain.closest import closest_node, nearest_nodes
from kschedctl.reports.explain.comparison import comparison_of
from kschedctl.reports.explain.events import event_of
from kschedctl.reports.explain.groups import group_report
from kschedctl.reports.explain.holders import holders_of
from kschedctl.reports.explain.model import Explanation, FaultReport, Ties
from kschedctl.reports.explain.nodes import node_reports
from kschedctl.reports.explain.preemption import preemption_report
from kschedctl.reports.explain.reasons import group_reasons
from kschedctl.reports.explain.requests import request_origins
from kschedctl.reports.explain.room import room_of
from kschedctl.reports.explain.surprises import surprises
from kschedctl.reports.model import ClusterSummary, PodSummary, SchedulerSummary
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.options import TieBreak

_HOLDERS: Final = 8
"""On so many nodes it is told who holds what is short."""


class ReportHead(Struct, frozen=True):
    """What reports on the same cluster and scheduler share."""

    scheduler: SchedulerSummary
    cluster: ClusterSummary


def explanation_of(decision: Decision, head: ReportHead, pod: PodSummary) -> Explanation:
    """The report on a decision; to be made while the cluster is as it was decided."""
    nodes = node_reports(decision)
    rejected = [node for node in nodes if not node.feasible]
    unplaced = decision.outcome is Outcome.UNSCHEDULABLE
    return Explanation(
        scheduler=head.scheduler,
        cluster=head.cluster,
        pod=pod,
        outcome=decision.outcome.value,
        message=decision.message if not unplaced else "",
        fault=_fault(decision.fault),
        group=group_report(decision.group),
        problems=[],
        selected_node=decision.selected_node,
        ties=_ties(decision, head.scheduler),
        comparison=comparison_of(decision),
        feasible=len(nodes) - len(rejected),
        scored=decision.scores is not None,
        nodes=nodes,
        reasons=group_reasons(rejected),
        background=[background_report(found) for found in decision.background()],
        requests=request_origins(decision.pod.pod, rejected),
        closest=closest_node(rejected) if unplaced else None,
        holders=holders_of(decision, nearest_nodes(rejected, _HOLDERS)) if unplaced else [],
        room=room_of(decision, rejected) if unplaced else [],
        surprises=surprises(decision),
        advice=decision.advice(),
        event=event_of(decision),
        preemption=preemption_report(decision),
        suggestions=[],
        searched=None,
        stories=[],
    )


def refusal_of(invalid: Invalid, head: ReportHead, pod: PodSummary) -> Explanation:
    """The report on a pod that the API server would refuse."""
    return Explanation(
        scheduler=head.scheduler,
        cluster=head.cluster,
        pod=pod,
        outcome=Outcome.INVALID.value,
        message=str(invalid),
        fault=None,
        group=None,
        problems=[str(problem) for problem in invalid.errors],
        selected_node=None,
        ties=None,
        comparison=None,
        feasible=0,
        scored=False,
        nodes=[],
        reasons=[],
        background=[],
        requests=[],
        closest=None,
        holders=[],
        room=[],
        surprises=[],
        advice=invalid.hint,
        event=None,
        preemption=None,
        suggestions=[],
        searched=None,
        stories=[],
    )


def _fault(fault: Fault | None) -> FaultReport | None:
    if fault is None:
        return None
    return FaultReport(issue=fault.issue, text=fault.text, mended=fault.mended)


def _ties(decision: Decision, scheduler: SchedulerSummary) -> Ties | None:
    if len(decision.ties) < 2 or decision.framework is None:
        return None
    names = [decision.names[row] for row in decision.ties]
    facts = decision.framework.version.facts
    columns = () if decision.scores is None else decision.scores.columns
    # Nodes that an extender scored are drawn among in every version.
    drawn = facts.ties_are_random or any(c.scored is not None and bool(c.scored.all()) for c in columns)
    return Ties(
        nodes=names,
        random=drawn or facts.node_order_is_random,
        chance=1 / len(names) if drawn else None,
        rule=str(scheduler.options.get("tieBreak", TieBreak.UPSTREAM)),
    )
