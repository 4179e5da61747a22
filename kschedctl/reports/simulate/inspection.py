"""What reports on many pods keep of the last decision for each that finds no node: far less than an explanation."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from msgspec import Struct

from kschedctl.reports.explain.model import NodeReport, ReasonGroup
from kschedctl.reports.explain.nodes import node_reports
from kschedctl.reports.explain.reasons import reason_groups
from kschedctl.reports.explain.refusals import refusals_of
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.scheduling.cycle import with_every_failure
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.evaluation import Evaluation
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


class Inspector:
    """Inspects decisions.

    Args:
        nodes: keep what was found on all nodes.
    """

    def __init__(self, *, nodes: bool) -> None:
        self._nodes = nodes
        self._reasons: WeakKeyDictionary[Evaluation, list[ReasonGroup]] = WeakKeyDictionary()
        """Pods that filters see alike share an evaluation, as long as nothing moves."""

    def inspect(self, decision: Decision) -> Inspection:
        """What there is to say of a decision, while the cluster is as it was decided in."""
        pod = decision.pod.pod
        own = pinned_node(pod) if is_daemon(pod) else ""
        nodes: list[NodeReport] = []
        if self._nodes or own:
            reports = node_reports(with_every_failure(decision))
            nodes = [node for node in reports if self._nodes or node.name == own]
        return Inspection(decision.outcome.value, decision.advice(), self._reasons_of(decision), nodes)

    def _reasons_of(self, decision: Decision) -> list[ReasonGroup]:
        evaluation, names = decision.evaluation, decision.names
        known = None if evaluation is None else self._reasons.get(evaluation)
        if known is not None:
            return known
        refusals = refusals_of(with_every_failure(decision))
        found = reason_groups((each.failures, [names[row] for row in each.rows]) for each in refusals)
        if evaluation is not None:
            self._reasons[evaluation] = found
        return found
