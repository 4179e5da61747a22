"""In which queue of kube-scheduler a pending pod must be by its conditions, and what would get it tried again."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.objects.meta import Condition
from kschedctl.reports.model import ReportObject, doc
from kschedctl.reports.waking import tried_again, wakers
from kschedctl.scheduling.decision import Decision, Outcome

_SCHEDULED: Final = "PodScheduled"

QueueName = Literal["Active", "Backoff", "Unschedulable", "Gated"]


class QueueState(ReportObject, frozen=True):
    """Where a pending pod waits."""

    queue: Annotated[
        QueueName,
        doc(
            "Active: it is tried next; Backoff: an error is tried again after a while; Unschedulable: it waits for "
            "something to happen; Gated: a plugin keeps it out of the queue."
        ),
    ]
    certain: Annotated[
        bool, doc("Whether it must be so; else it may also back off for some seconds after an event.")
    ]
    text: Annotated[str, doc("The same in a sentence, with what would get it tried again.")]
    wakes: Annotated[list[str], doc("What would get it tried again, beside its own turn.")]


def queue_state(decision: Decision) -> QueueState | None:
    """Where a pod of the cluster waits that is on no node; None where it is in no queue.

    To be asked for while the cluster is as it was decided in.
    """
    if decision.outcome in (Outcome.NO_PROFILE, Outcome.TERMINATING) or decision.framework is None:
        return None
    if decision.outcome is Outcome.GATED:
        keeping = [
            plugin
            for plugin in decision.framework.at(ExtensionPoint.PRE_ENQUEUE)
            if plugin.pre_enqueue(decision.pod, decision.cluster)
        ]
        wakes = wakers(keeping)
        return QueueState(
            queue="Gated", certain=True, text=f"kept out of it: {tried_again(wakes)}", wakes=wakes
        )
    written = next((c for c in decision.pod.pod.status.conditions if c.type == _SCHEDULED), None)
    if written is None or written.status != "False":
        return QueueState(
            queue="Active", certain=True, text="not tried yet, as its conditions say: it is next", wakes=[]
        )
    if written.reason == "SchedulerError":
        return QueueState(
            queue="Backoff",
            certain=True,
            text=f"its last attempt ended with an error: {tried_again([])}",
            wakes=[],
        )
    return _after_failure(decision, written)


def _after_failure(decision: Decision, written: Condition) -> QueueState | None:
    """A pod that was tried in vain; None where its condition says something else."""
    if written.reason != "Unschedulable":
        return None
    assert decision.framework is not None
    rejecting: list[AnyPlugin] = [p for p in decision.framework.plugins if p.name in decision.rejectors]
    wakes = wakers(rejecting)
    if decision.outcome is Outcome.SCHEDULED:
        text = "failed before, and would fit now: tried again when something happens that helps it, or within 6 min"
        return QueueState(queue="Unschedulable", certain=False, text=text, wakes=[])
    text = f"failed, and waits: {tried_again(wakes)}, or within 6 min" if wakes else "failed, and waits"
    return QueueState(queue="Unschedulable", certain=False, text=text, wakes=wakes)
