"""PostFilter: what is tried when no node is feasible (spec 01 §3 and §5.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.runtime import Framework, PreFilterPhase, states_or_missing
from kschedctl.framework.status import Code
from kschedctl.plugins.default_preemption import DefaultPreemption
from kschedctl.preemption.result import PreemptionResult

PREEMPTION: Final = DefaultPreemption.spec.name
PREEMPTION_PREFIX: Final = "preemption: "


class PostFilterRule(Struct, frozen=True):
    """What is asked of PostFilter.

    Attributes:
        asked: whether it is asked at all; else the pod keeps its nomination.
        no_preemption: what DefaultPreemption says instead of looking for victims; empty: it does look.
    """

    runs: bool = True
    no_preemption: str = ""


ASK_ALL: Final = PostFilterRule()
ASK_NOBODY: Final = PostFilterRule(runs=False)


class PostFilterResult(Struct, frozen=True):
    """The message that ends the event, and what preemption says where the profile has it.

    Attributes:
        message: empty where no plugin has anything to say.
        preemption: None where DefaultPreemption is not in the profile.
        keeps_nomination: whether no plugin says anything of the node that the pod is nominated to (spec 01 §6.3).
    """

    message: str = ""
    preemption: PreemptionResult | None = None
    keeps_nomination: bool = False


def run_post_filter(
    framework: Framework,
    phase: PreFilterPhase,
    pod: PodRecord,
    cluster: ClusterState,
    preempt: Callable[[], PreemptionResult],
) -> PostFilterResult:
    """Ask the PostFilter plugins in order; `preempt` is called when it is DefaultPreemption's turn."""
    names = framework.profile.plugins(ExtensionPoint.POST_FILTER)
    reasons: list[str] = []
    result: PreemptionResult | None = None
    for name in names:
        if name == PREEMPTION:
            result = preempt()
            if result.nominated is not None:
                return PostFilterResult(_made_room(framework, result, cluster), result)
            reasons.append(f"{PREEMPTION_PREFIX}{result.message}")
            if result.error:
                return PostFilterResult(reasons[-1], result, keeps_nomination=True)
            continue
        status = framework.plugin(name).post_filter(pod, states_or_missing(phase, name), cluster)
        if status is None:
            continue
        if status.code is not Code.UNSCHEDULABLE:
            stopped = PreemptionResult(eligible=True) if PREEMPTION in names else None
            return PostFilterResult(status.message, result or stopped, keeps_nomination=True)
        reasons += status.reasons
    tried = result is not None and result.eligible and not result.keeps_nomination
    return PostFilterResult(", ".join(reasons), result, keeps_nomination=bool(names) and not tried)


def _made_room(framework: Framework, result: PreemptionResult, cluster: ClusterState) -> str:
    """What the event says of the node and its victims; of several equal nodes the first one that can be chosen."""
    if not framework.version.facts.preemption_is_told or result.nominated is None:
        return ""
    node, victims = cluster.nodes.names[result.nominated], result.candidates[result.nominated].victims
    return (
        f"{PREEMPTION_PREFIX}found a potential placement for pod on node {node}, "
        f"preempting {len(victims)} victims"
    )
