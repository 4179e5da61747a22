"""From a decision, and what was found behind it, to the report on its preemption."""

from __future__ import annotations

from kschedctl.admission.invalid import Invalid
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.events import event_of
from kschedctl.reports.explain.groups import group_report
from kschedctl.reports.model import PodSummary
from kschedctl.reports.preempt.candidates import candidate_nodes
from kschedctl.reports.preempt.model import Aftermath, EvictedPod, OutcomeName, Preemption
from kschedctl.reports.preempt.obstacles import no_candidates
from kschedctl.reports.preempt.victims import PodFacts, displaced, evicted_pod
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif.judgement.cascade import Cascade
from kschedctl.whatif.judgement.preemption import PreemptionStudy


def answer_of(found: PreemptionStudy, head: ReportHead, pod: PodSummary) -> Preemption:
    """The report on what was found; to be made while the cluster is as it was decided."""
    decision = found.decision
    facts = PodFacts(decision.cluster, head.cluster.taken_at)
    victims = _victims(found, facts)
    event = event_of(decision)
    return Preemption(
        scheduler=head.scheduler,
        cluster=head.cluster,
        pod=pod,
        outcome=_outcome(decision),
        eligible=decision.preemption is not None and decision.preemption.eligible,
        message=_message(decision),
        problems=[],
        selected_node=decision.selected_node,
        nominated_node=_nominated(decision),
        equal_nodes=_equal_nodes(decision),
        victims=victims,
        age_reference=facts.age_reference if victims else None,
        candidates=candidate_nodes(decision),
        no_candidates=no_candidates(found.obstacles, decision.cluster.nodes.names),
        aftermath=None if found.cascade is None else _aftermath(found.cascade, facts),
        event=None if event is None else event.message,
        group=group_report(decision.group),
    )


def refusal_answer(invalid: Invalid, head: ReportHead, pod: PodSummary) -> Preemption:
    """The report on a pod that the API server would refuse."""
    return Preemption(
        scheduler=head.scheduler,
        cluster=head.cluster,
        pod=pod,
        outcome=Outcome.INVALID.value,
        eligible=False,
        message=str(invalid),
        problems=[str(problem) for problem in invalid.errors],
        selected_node=None,
        nominated_node=None,
        equal_nodes=[],
        victims=[],
        age_reference=None,
        candidates=[],
        no_candidates=[],
        aftermath=None,
        event=None,
        group=None,
    )


def _outcome(decision: Decision) -> OutcomeName:
    return "Preempts" if _nominated(decision) is not None else decision.outcome.value


def _message(decision: Decision) -> str:
    if decision.outcome is not Outcome.UNSCHEDULABLE:
        return decision.message
    found = decision.preemption
    if decision.group is not None and found is None:
        return "" if _nominated(decision) is not None else decision.group.message
    if found is None:
        return "" if not decision.cluster.nodes.count else "the profile has no DefaultPreemption"
    if found.nominated is not None or (found.eligible and not found.error and found.message):
        return ""
    return found.message or f"preemption is not tried: {decision.message}"


def _nominated(decision: Decision) -> str | None:
    found, group = decision.preemption, decision.group
    if group is not None and group.evicts:
        return group.node_of(decision.pod.full_name)
    if found is None or found.nominated is None:
        return None
    return decision.cluster.nodes.names[found.nominated]


def _equal_nodes(decision: Decision) -> list[str]:
    found = decision.preemption
    if found is None or len(found.chosen) < 2:
        return []
    return [decision.cluster.nodes.names[row] for row in found.chosen]


def _victims(found: PreemptionStudy, facts: PodFacts) -> list[EvictedPod]:
    preemption, records = found.decision.preemption, found.decision.cluster.pods.records
    if found.of_group:
        return [
            evicted_pod(records[pod], facts, charges, breaks_budget=any(charge.broken for charge in charges))
            for pod, charges in found.charges.items()
        ]
    if preemption is None or preemption.nominated is None:
        return []
    candidate = preemption.candidates[preemption.nominated]
    return [
        evicted_pod(records[pod], facts, found.charges.get(pod, ()), breaks_budget=pod in candidate.breaking)
        for pod in candidate.victims
    ]


def _aftermath(cascade: Cascade, facts: PodFacts) -> Aftermath:
    return Aftermath(
        placed_on=cascade.placed_on,
        message=cascade.message,
        victims=[displaced(victim, facts) for victim in cascade.victims],
        dropped_nominations=[record.full_name for record in cascade.dropped],
        decided=cascade.decided,
        cut=cascade.cut,
    )
