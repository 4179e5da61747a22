"""What preemption says, with names for rows and pods for ids."""

from __future__ import annotations

from kschedctl.preemption.result import Candidate
from kschedctl.reports.explain.model import PreemptionCandidate, PreemptionFailure, PreemptionReport, Victim
from kschedctl.reports.explain.reasons import natural_key
from kschedctl.reports.model import rejection_code
from kschedctl.scheduling.decision import Decision


def preemption_report(decision: Decision) -> PreemptionReport | None:
    """The report on preemption, None where it was not asked."""
    found = decision.preemption
    if found is None:
        return None
    names = decision.cluster.nodes.names
    tried = sorted({*found.candidates, *found.failed}, key=lambda row: natural_key(names[row]))
    return PreemptionReport(
        eligible=found.eligible,
        nominated=None if found.nominated is None else names[found.nominated],
        chosen=[names[row] for row in found.chosen],
        candidates=[
            PreemptionCandidate(
                node=names[row],
                victims=_victims(candidate, decision),
                pdb_violations=candidate.violations,
                lost_by=found.criteria.get(row),
            )
            for row in tried
            if (candidate := found.candidates.get(row)) is not None
        ],
        failed=[
            PreemptionFailure(
                node=names[row],
                plugin=status.plugin,
                code=rejection_code(status.code),
                reasons=list(status.reasons),
            )
            for row in tried
            if (status := found.failed.get(row)) is not None
        ],
        message=found.message,
    )


def _victims(candidate: Candidate, decision: Decision) -> list[Victim]:
    records = [decision.cluster.pods.records[pod] for pod in candidate.victims]
    return [
        Victim(
            namespace=record.namespace,
            name=record.name,
            priority=record.priority,
            breaks_budget=record.id in candidate.breaking,
        )
        for record in records
    ]
