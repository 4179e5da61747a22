"""What a decision does to the cluster: assume and reserve, or evict and try once more (spec 01 §7, §9.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import MISSING, AnyPlugin
from kschedctl.framework.runtime import states_or_missing
from kschedctl.framework.status import Code, Status
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.made_up import error_of_made_up

Ints = npt.NDArray[np.int64]
MAX_WAIT: Final = 900.0
"""Seconds after which kube-scheduler waits for Permit no longer, whatever a plugin says."""


def place(decision: Decision) -> Status | None:
    """Put a scheduled pod on its node, reserve what it uses and bind it; all of it is journalled.

    Nobody waits for Permit here: a plugin that would let the pod wait lets it go.

    Returns:
        The status of the plugin that refused, everything then taken back; None where the pod is placed.
    """
    start = decision.cluster.mark()
    refused = reserve(decision) or permit(decision).status or prepare_binding(decision)
    if refused is not None:
        decision.cluster.undo_to(start)
    return refused


def reserve(decision: Decision) -> Status | None:
    """Assume a scheduled pod on its node and run Reserve; a refusal leaves everything to be undone."""
    assert decision.selected is not None
    if decision.takes_made_up:
        return Status(Code.ERROR, (error_of_made_up(decision),))
    decision.cluster.assume(decision.pod.id, decision.selected)
    return _each(decision, ExtensionPoint.RESERVE, lambda plugin: plugin.reserve)


def prepare_binding(decision: Decision) -> Status | None:
    """Run PreBind; a refusal leaves everything to be undone."""
    return _each(decision, ExtensionPoint.PRE_BIND, lambda plugin: plugin.pre_bind)


Step = Callable[[PodRecord, Any, ClusterState, int], Status | None]


def _each(decision: Decision, point: ExtensionPoint, step_of: Callable[[AnyPlugin], Step]) -> Status | None:
    """Run a step of every plugin of a point, up to the first that refuses."""
    framework, phase = decision.framework, decision.phase
    assert decision.selected is not None
    assert framework is not None
    assert phase is not None
    for plugin in framework.at(point):
        if plugin.name in phase.skipped:
            continue
        state = states_or_missing(phase, plugin.name)
        missing = plugin.spec.filter_state_missing if state is MISSING else None
        refused = (
            step_of(plugin)(decision.pod, state, decision.cluster, decision.selected)
            if missing is None
            else Status(Code.ERROR, (missing,))
        )
        if refused is not None:
            return _refusal(point, plugin.name, refused)
    return None


class Wait(Struct, frozen=True):
    """For how many seconds at most a plugin lets a pod wait, with which other waiting pods it gives up, and why."""

    seconds: float
    gives_up_with: tuple[int, ...]
    reason: str


class Permission(Struct):
    """What Permit comes to.

    Attributes:
        status: of the plugin that rejected the pod, or failed.
        waits: plugin that lets the pod wait -> how.
        lets_go: plugin and id of each waiting pod that it keeps no longer.
        turns_away: plugin and id of each waiting pod that it rejects.
        activates: ids of pods that are to be tried at once.
    """

    status: Status | None = None
    waits: dict[str, Wait] = field(default_factory=dict)
    lets_go: list[tuple[str, int]] = field(default_factory=list)
    turns_away: list[tuple[str, int]] = field(default_factory=list)
    activates: list[int] = field(default_factory=list)


def permit(decision: Decision, waiting: Callable[[str], Sequence[PodRecord]] = lambda _: ()) -> Permission:
    """Run Permit of a pod with a reserved node.

    Args:
        decision: the decision.
        waiting: the pods that wait for a plugin.
    """
    framework, phase = decision.framework, decision.phase
    assert decision.selected is not None
    assert framework is not None
    assert phase is not None
    found = Permission()
    for plugin in framework.at(ExtensionPoint.PERMIT):
        state = phase.states.get(plugin.name)
        said = plugin.permit(decision.pod, state, decision.cluster, decision.selected, waiting(plugin.name))
        found.lets_go += [(plugin.name, pod) for pod in said.lets_go]
        found.activates += said.activates
        found.turns_away += [(plugin.name, pod) for pod in said.turns_away]
        if said.status is not None:
            found.status = _refusal(ExtensionPoint.PERMIT, plugin.name, said.status)
            break
        if said.wait is not None:
            found.waits[plugin.name] = Wait(min(said.wait, MAX_WAIT), said.gives_up_with, said.reason)
    return found


def give_back(decision: Decision) -> None:
    """Take a pod off its node that waited for Permit, with all that it had reserved; whatever came after stays."""
    cluster, framework, phase, pod = decision.cluster, decision.framework, decision.phase, decision.pod
    assert decision.selected is not None
    assert framework is not None
    assert phase is not None
    for plugin in reversed(framework.at(ExtensionPoint.RESERVE)):
        if plugin.name not in phase.skipped:
            plugin.unreserve(pod, phase.states.get(plugin.name), cluster, decision.selected)
    if cluster.pods.node[pod.id] >= 0:
        cluster.remove(pod.id, for_good=False)


def refusal_on_made_up(decision: Decision) -> Status | None:
    """The status of the plugin that reserves nothing on a node which an extender made up; None: none objects."""
    framework, phase = decision.framework, decision.phase
    assert framework is not None
    assert phase is not None
    for plugin in framework.at(ExtensionPoint.RESERVE):
        if plugin.name not in phase.skipped:
            refused = plugin.reserve_unfiltered(decision.pod, phase.states.get(plugin.name))
            if refused is not None:
                return _refusal(ExtensionPoint.RESERVE, plugin.name, refused)
    return None


def _refusal(point: ExtensionPoint, plugin: str, status: Status) -> Status:
    if status.code is not Code.ERROR:
        return Status(status.code, status.reasons, plugin)
    name = point.plugin_type.removesuffix("Plugin")
    return Status(Code.ERROR, (f'running {name} plugin "{plugin}": {status.message}',), plugin)


def after_refusal(decision: Decision, status: Status) -> Decision:
    """How a cycle ends whose node a plugin refused in `place`: an error, or a pod that does not fit (spec 01 §7)."""
    if status.code is Code.ERROR:
        return decision.with_(outcome=Outcome.ERROR, message=status.message)
    event = f"0/1 nodes are available: 1 {status.message}."
    return decision.with_(outcome=Outcome.UNSCHEDULABLE, event=event)


def carry_out_post_filter(decision: Decision) -> bool:
    """Do what PostFilter plugins decided beside preemption, such as freeing a claim; all of it is journalled.

    Returns:
        Whether anything was done, after which kube-scheduler tries the pod once more.
    """
    framework, phase = decision.framework, decision.phase
    if decision.outcome is not Outcome.UNSCHEDULABLE or framework is None or phase is None:
        return False
    done = [
        plugin.carry_out(decision.pod, states_or_missing(phase, plugin.name), decision.cluster)
        for plugin in framework.at(ExtensionPoint.POST_FILTER)
    ]
    return any(done)


def settle_nomination(decision: Decision) -> bool:
    """Clear the nomination of a pod that failed, unless the failure leaves it alone; it is journalled.

    One that is kept counts as new: the pod comes last among those nominated to the node.

    Returns:
        Whether a nomination was cleared, which others may have waited for.
    """
    cluster, pod = decision.cluster, decision.pod.id
    node = cluster.nominated_node(pod)
    if not node or _stays_out(decision):
        return False
    if decision.keeps_nomination:
        cluster.nominate(pod, node)
        return False
    cluster.drop_nomination(pod)
    return True


def _stays_out(decision: Decision) -> bool:
    """Whether the pod was not tried at all, and keeps its nomination while it is kept out of the queue."""
    if decision.outcome is not Outcome.GATED or decision.framework is None:
        return False
    return decision.framework.version.facts.gated_pods_are_nominated


def evict_and_retry(scheduler: Scheduler, decision: Decision, scope: Ints | None = None) -> Decision:
    """Remove the victims of a preemption and decide once more with the node nominated.

    Nominations of lower-priority pods to that node are dropped. The pod is not placed yet. `scope`, int64 (n,), are
    the only nodes to look at; None: all.
    """
    cluster, preemption = decision.cluster, decision.preemption
    assert preemption is not None
    assert preemption.nominated is not None
    for victim in preemption.candidates[preemption.nominated].evicted:
        cluster.remove(victim)
    node = cluster.nodes.names[preemption.nominated]
    for other in list(cluster.nominations.get(node, ())):
        if cluster.pods.records[other].priority < decision.pod.priority:
            cluster.drop_nomination(other)
    return scheduler.decide(decision.pod, cluster, nominated=node, scope=scope)
