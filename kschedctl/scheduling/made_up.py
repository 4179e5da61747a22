"""Pods that would go to a node which an extender made up: kube-scheduler binds them, and nothing runs there."""

from __future__ import annotations

from kschedctl.scheduling.decision import Decision, Outcome


def error_of_made_up(decision: Decision) -> str:
    """Why a pod is not placed where it would go."""
    node = str(decision.selected_node)
    return (
        f'extender "{decision.made_up[node]}" sent back a node "{node}" that the cluster does not have; '
        "kube-scheduler would bind the pod to it, where it cannot run"
    )


def unless_made_up(decision: Decision) -> Decision:
    """The decision, or an error where the pod would go to a node that is not there."""
    if not decision.takes_made_up:
        return decision
    return decision.with_(outcome=Outcome.ERROR, message=error_of_made_up(decision), selected=None)
