"""Nodes that an extender makes up: kube-scheduler takes them for empty ones, and no pod ever runs there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

from kschedctl.reports.caveats.quotas import REFUSED_BY_QUOTA
from kschedctl.reports.model import Caveat, ClusterSummary
from kschedctl.scheduling.decision import Decision

_CODE: Final = "made-up-node"
NOWHERE: Final = "Nowhere"
"""Stands for the outcome Scheduled where the node is not there."""
REFUSED: Final = "Refused"
"""Stands for the outcome of a pod that kube-scheduler never sees: a quota keeps it from being created."""


class PodReport(Protocol):
    """A report on one pod."""

    @property
    def outcome(self) -> str:
        """How it ends."""

    @property
    def cluster(self) -> ClusterSummary:
        """The cluster, with the caveats of this answer."""


def made_up_caveats(decision: Decision) -> Iterator[Caveat]:
    """That extenders named nodes which the cluster does not have; it is grave where the pod would go there."""
    for node, url in decision.made_up.items():
        taken = node == decision.selected_node
        consequence = "; the pod is bound to it and cannot run" if taken else ""
        text = (
            f"extender {url} sends back node {node}, which the cluster does not have, and kube-scheduler takes it for "
            f"an empty node{consequence}"
        )
        yield Caveat(code=_CODE, message=text, may_change_answer=taken)


def practical_outcome(answer: PodReport) -> str:
    """How it ends for people: a pod that goes to a node which is not there, or is not created, goes nowhere."""
    if any(caveat.code == REFUSED_BY_QUOTA for caveat in answer.cluster.caveats):
        return REFUSED
    made_up = any(caveat.code == _CODE and caveat.may_change_answer for caveat in answer.cluster.caveats)
    return NOWHERE if made_up else answer.outcome
