"""A decision in the shape of the golden files."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kschedctl.framework.scoring import ScorePhase
from kschedctl.framework.status import Status
from kschedctl.preemption.result import PreemptionResult
from kschedctl.scheduling.decision import Decision, Outcome

Result = dict[str, Any]


def golden_result(decision: Decision, *, native: bool = False) -> Result:
    """What the golden files hold of one decision; fields without a value are left out."""
    result: Result = {"pod": decision.pod.full_name, "outcome": str(decision.outcome)}
    if decision.outcome is Outcome.GATED:
        return result | {"gated": decision.message}
    if decision.outcome not in (Outcome.SCHEDULED, Outcome.UNSCHEDULABLE):
        return result | ({"error": decision.message} if decision.message else {})
    return result | (_native(decision) if native else _full(decision))


def _native(decision: Decision) -> Result:
    if decision.outcome is Outcome.UNSCHEDULABLE:
        return {"event": decision.event}
    assert decision.feasible is not None
    return {
        "selected": decision.selected_node,
        "evaluated": decision.evaluated,
        "feasibleCount": len(decision.feasible),
    }


def fit_parts(decision: Decision) -> Result:
    """The statuses of a pod and of the nodes that it does not fit on."""
    result: Result = {}
    if decision.pre_filter is not None:
        result["preFilter"] = _status(decision.pre_filter)
    if decision.filters is not None and decision.examined is not None and decision.feasible is not None:
        names = decision.cluster.nodes.names
        rejected = decision.examined & (decision.filters.codes != 0)
        failed = {names[r]: _status(decision.status_of(r)) for r in rejected.nonzero()[0].tolist()}
        said = {} if decision.by_extenders is None else decision.by_extenders.statuses
        failed |= {node: _status(replace(status, plugin="")) for node, status in said.items()}
        if failed:
            result["failed"] = failed
        if decision.absent is not None:
            result["absent"] = _status(decision.absent)
    return result


def _full(decision: Decision) -> Result:
    result = fit_parts(decision)
    if decision.feasible is not None and len(decision.feasible):
        result["feasible"] = sorted(decision.names[r] for r in decision.feasible.tolist())
    if decision.scores is not None:
        result |= _scores(decision.scores, decision)
    if decision.selected is not None:
        result["selected"] = decision.selected_node
    if decision.event:
        result["event"] = decision.event
    if decision.preemption is not None:
        result["preemption"] = _preemption(decision.preemption, decision)
    return result


def _status(status: Status | None) -> Result | None:
    if status is None:
        return None
    return {"code": status.code.upstream, "plugin": status.plugin, "reasons": list(status.reasons)}


def _scores(scores: ScorePhase, decision: Decision) -> Result:
    names = [decision.names[r] for r in scores.feasible.tolist()]
    table: list[dict[str, int]] = [{} for _ in names]
    for column in scores.columns:
        for i, value in enumerate(column.weighted.tolist()):
            if column.scored is None or column.scored[i]:
                table[i][column.plugin] = table[i].get(column.plugin, 0) + value
    return {
        "scores": dict(zip(names, table, strict=True)),
        "totals": dict(zip(names, scores.totals.tolist(), strict=True)),
        "ties": [decision.names[r] for r in decision.ties],
    }


def _preemption(found: PreemptionResult, decision: Decision) -> Result:
    names, records = decision.cluster.nodes.names, decision.cluster.pods.records
    result: Result = {"eligible": found.eligible}
    if found.candidates:
        result["candidates"] = {
            names[row]: {
                "pods": [records[pod].full_name for pod in candidate.victims],
                "pdbViolations": candidate.violations,
            }
            for row, candidate in found.candidates.items()
        }
    if found.failed:
        result["failed"] = {names[row]: _status(status) for row, status in found.failed.items()}
    if found.chosen:
        result["chosen"] = [names[row] for row in found.chosen]
    if found.nominated is not None:
        result["nominated"] = names[found.nominated]
    if found.nominated is None and decision.message:
        result["message"] = decision.message
    return result
