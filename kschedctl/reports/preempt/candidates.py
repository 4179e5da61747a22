"""The candidate nodes of a preemption, with the criterion that told each from the chosen one."""

from __future__ import annotations

from typing import Final

from kschedctl.cluster.pods import PodTable
from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.objects.phrases import plural
from kschedctl.preemption.result import Candidate
from kschedctl.reports.preempt.model import CandidateNode, Loss
from kschedctl.scheduling.decision import Decision

EARLIER: Final = "earlier start"


def candidate_nodes(decision: Decision) -> list[CandidateNode]:
    """All candidates: the nominated node, those equal to it, then those that lost, the best first."""
    found, names = decision.preemption, decision.cluster.nodes.names
    if found is None or found.nominated is None:
        return []
    table = decision.cluster.pods
    best = _node(table, names[found.nominated], found.candidates[found.nominated])
    nodes = [_node(table, names[row], candidate) for row, candidate in found.candidates.items()]
    told = [
        node if (criterion := found.criteria.get(row)) is None else _lost(node, best, criterion)
        for row, node in zip(found.candidates, nodes, strict=True)
    ]
    return sorted(told, key=lambda node: (node.lost is not None, node.node != best.node, *_merit(node)))


def _node(table: PodTable, name: str, candidate: Candidate) -> CandidateNode:
    records = [table.records[pod] for pod in candidate.victims]
    priorities = [record.priority for record in records]
    highest = max(priorities)
    starts = [record.pod.status.start_time for record in records if record.priority == highest]
    return CandidateNode(
        node=name,
        victims=[record.full_name for record in records],
        pdb_violations=candidate.violations,
        highest_priority=highest,
        priority_sum=sum(priorities),
        start_time=min(starts, key=start_of),
        lost=None,
    )


def _merit(node: CandidateNode) -> tuple[int, int, int, int, int, str]:
    """The criteria in order, smaller is better, then the name."""
    count = len(node.victims)
    start = NO_START if node.start_time is None else start_of(node.start_time)
    return (
        node.pdb_violations,
        node.highest_priority,
        node.priority_sum + count * 2**31,
        count,
        -start,
        node.node,
    )


def _lost(node: CandidateNode, best: CandidateNode, criterion: str) -> CandidateNode:
    return CandidateNode(
        node=node.node,
        victims=node.victims,
        pdb_violations=node.pdb_violations,
        highest_priority=node.highest_priority,
        priority_sum=node.priority_sum,
        start_time=node.start_time,
        lost=Loss(criterion=criterion, text=_why(node, best)),
    )


def _why(node: CandidateNode, best: CandidateNode) -> str:
    """The first difference between two nodes, as a person would say it."""
    if node.pdb_violations != best.pdb_violations:
        than = f" > {best.pdb_violations}" if best.pdb_violations else ""
        return plural(node.pdb_violations, "PDB violation") + than
    if node.highest_priority != best.highest_priority:
        return f"highest priority {node.highest_priority} > {best.highest_priority}"
    if len(node.victims) != len(best.victims):
        against = f"{len(node.victims)} victims > {len(best.victims)}"
        # What decides is the sum, in which each victim counts 2^31 beyond its priority.
        opposed = node.priority_sum < best.priority_sum
        return f"{against}, which outweighs the sum of priorities" if opposed else against
    if node.priority_sum != best.priority_sum:
        return f"sum of priorities {node.priority_sum} > {best.priority_sum}"
    return EARLIER
