"""What a decision found on every node: rows become names, NumPy values become numbers."""

from __future__ import annotations

from kschedctl.framework.scoring import ScorePhase
from kschedctl.reports.explain.model import Failure, NodeReport, NodeVerdict, PluginScore
from kschedctl.reports.explain.refusals import examined_rows, refusals_of
from kschedctl.scheduling.decision import Decision, Outcome


def node_reports(decision: Decision) -> list[NodeReport]:
    """The report on every node in the order of rows; empty where nodes were not looked at.

    Nodes that are refused alike share their status and their failures.
    """
    if decision.outcome not in (Outcome.SCHEDULED, Outcome.UNSCHEDULABLE):
        return []
    scores = _scores(decision.scores)
    feasible = set() if decision.feasible is None else set(decision.feasible.tolist())
    no_failures: list[Failure] = []
    verdicts: dict[int, tuple[NodeVerdict | None, list[Failure]]] = {
        row: (refusal.status, refusal.failures) for refusal in refusals_of(decision) for row in refusal.rows
    }
    found = []
    for row, (name, examined) in enumerate(zip(decision.names, examined_rows(decision), strict=True)):
        status, failures = verdicts.get(row, (None, no_failures))
        by_plugin, total = scores.get(row, ({}, None))
        found.append(
            NodeReport(
                name=name,
                feasible=row in feasible,
                examined=examined,
                status=status,
                all_failures=failures,
                scores=by_plugin,
                total=total,
            )
        )
    return found


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
