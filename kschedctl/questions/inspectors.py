"""Who looks at the decisions of a run as they are taken, and says what would make pods fit that find no node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from kschedctl.cluster.state import ClusterState
from kschedctl.questions.cluster import Cluster
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.simulate.build import explainer
from kschedctl.reports.simulate.inspection import Inspection, Inspector
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.session import Session

_FEW_NODES: Final = 1000
_MOST_SUGGESTED: Final = 5
"""Of so many groups of pending pods it is said what would make one of their pods fit."""
_MOST_SUGGESTED_OF_MANY: Final = 2
"""The same in a cluster of more than a few nodes."""


def inspector(
    cluster: Cluster, head: ReportHead, *, detail: bool = False, suggest: bool = False
) -> Callable[[Session], Inspect]:
    """Looks at decisions as they are taken; without `detail` only at failures, of which every plugin is asked.

    Args:
        cluster: the cluster as loaded.
        head: what the explanations begin with.
        detail: explain placements, too.
        suggest: say of the first failures what would make the pod fit.
    """
    look = explainer(head) if detail else Inspector(nodes=bool(cluster.gaps)).inspect

    def inspect_in(session: Session) -> Inspect:
        closed = newly_closed(cluster.session.cluster, session.cluster)
        left = _MOST_SUGGESTED if session.cluster.nodes.count <= _FEW_NODES else _MOST_SUGGESTED_OF_MANY

        def inspect(decision: Decision) -> Explanation | Inspection:
            nonlocal left
            report = look(decision)
            if decision.outcome is not Outcome.UNSCHEDULABLE or left <= 0 or decision.group:
                return report
            left -= 1
            suggestions = _suggested(session, decision, closed)
            if isinstance(report, Inspection):
                return replace(report, suggestions=suggestions)
            return replace(report, suggestions=suggestions, searched="briefly")

        return inspect

    return inspect_in if suggest else lambda session: look


def newly_closed(before: ClusterState, after: ClusterState) -> frozenset[str]:
    """The nodes that are cordoned or have hard taints that they had not: somebody wants them closed."""
    known = before.nodes

    def is_closed_anew(row: int, name: str) -> bool:
        old = known.row_of.get(name)
        node = after.nodes.objects[row]
        if old is None or node is known.objects[old]:
            return False
        fresh = set(node.spec.taints) - set(known.objects[old].spec.taints)
        cordoned = node.spec.unschedulable and not known.objects[old].spec.unschedulable
        return cordoned or any(taint.is_hard for taint in fresh)

    return frozenset(name for row, name in enumerate(after.nodes.names) if is_closed_anew(row, name))


def _suggested(session: Session, decision: Decision, closed: frozenset[str]) -> list[SuggestionReport]:
    """What would make one of the pods fit, in the cluster as it is at the end."""
    if decision.pod.pod.source is None:
        return []
    from kschedctl.advice.commands import home_of_existing
    from kschedctl.advice.search import suggestions
    from kschedctl.advice.situation import ownership_of
    from kschedctl.reports.suggest.build import suggestion_reports

    made = suggestions(session, decision.pod, decision, closed=closed)
    return suggestion_reports(made, home_of_existing(decision.pod, ownership_of(session))) if made else []
