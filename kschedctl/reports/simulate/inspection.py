"""What reports on many pods keep of the last decision for each that finds no node: far less than an explanation."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.reports.explain.model import NodeReport, ReasonGroup
from kschedctl.reports.explain.nodes import node_reports
from kschedctl.reports.explain.reasons import reason_groups
from kschedctl.reports.explain.refusals import refusals_of
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.scheduling.cycle import with_every_failure
from kschedctl.scheduling.decision import Decision
from kschedctl.workloads.controllers import is_daemon
from kschedctl.workloads.daemon_set import pinned_node


class Inspection(Struct, frozen=True):
    """Why a pod finds no node.

    Attributes:
        outcome: how the decision ends.
        advice: what can be done where the pod is refused before any node is looked at; None: unknown.
        reasons: why nodes are rejected, most nodes first.
        nodes: what was found on the nodes that matter: of a daemon on its own, else on all or on none.
        suggestions: what would make it fit.
    """

    outcome: str
    advice: str | None
    reasons: list[ReasonGroup]
    nodes: list[NodeReport] = []
    suggestions: list[SuggestionReport] = []


def inspection_of(decision: Decision, *, nodes: bool) -> Inspection:
    """What there is to say of a decision, while the cluster is as it was decided in; `nodes`: keep all of them."""
    decision = with_every_failure(decision)
    names, own = decision.names, pinned_node(decision.pod.pod) if is_daemon(decision.pod.pod) else None
    refused = ((found.failures, [names[row] for row in found.rows]) for found in refusals_of(decision))
    return Inspection(
        decision.outcome.value,
        decision.advice(),
        reason_groups(refused),
        [node for node in node_reports(decision) if nodes or node.name == own] if nodes or own else [],
    )
