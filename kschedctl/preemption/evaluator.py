"""DefaultPreemption: may the pod preempt, where, whom, and on which node (spec 01 §9)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.group_tree import effective_priority
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.extenders.call import CallError
from kschedctl.extenders.chain import Extenders
from kschedctl.framework.fit_error import fit_error
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.status import Code
from kschedctl.preemption.choice import choose
from kschedctl.preemption.extended import extended
from kschedctl.preemption.result import Candidates, DryRun, PreemptionResult
from kschedctl.preemption.victims import dry_run

Ints = npt.NDArray[np.int64]

NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."
NONE_LEFT = "no candidate node for preemption"
NOT_HELPFUL = "Preemption is not helpful for scheduling"


class CandidateLimits(Struct, frozen=True):
    """How many candidates the real one looks for, and the source of its random start; None: try every node."""

    percentage: int
    absolute: int
    source: random.Random


def preempt(
    framework: Framework,
    phase: PreFilterPhase,
    pod: PodRecord,
    cluster: ClusterState,
    codes: npt.NDArray[np.uint8],
    nominated: str,
    *,
    limits: CandidateLimits | None = None,
    extenders: Extenders | None = None,
) -> PreemptionResult:
    """Find the node on which evicting pods of lower priority makes room for `pod`.

    Args:
        framework: the pod's profile.
        phase: what PreFilter left in the cycle that found no node.
        pod: the preemptor.
        cluster: the cluster, unchanged by this.
        codes: uint8 (N,), the code of every node in that cycle, that of the absent ones included.
        nominated: the node that the pod is nominated to, empty for none.
        limits: look for so many candidates only, as the real one does; None tries every potential node.
        extenders: are asked about the candidates; None: nobody is.
    """
    if (refusal := _not_eligible(framework, pod, cluster, codes, nominated)) is not None:
        return PreemptionResult(eligible=False, message=refusal)
    potential = cluster.present.order[codes[cluster.present.order] == Code.UNSCHEDULABLE]
    if limits is not None and len(potential):
        offset = limits.source.randrange(len(potential))
        potential = np.roll(potential, -offset)
    tried = dry_run(framework, phase, pod, cluster, potential)
    candidates = tried.candidates
    if limits is not None:
        candidates = _limited(candidates, len(potential), limits)
    if not candidates and (errors := tried.errors):
        texts = list(dict.fromkeys(errors[row] for row in cluster.present.order.tolist() if row in errors))
        return PreemptionResult(eligible=True, message=_aggregate(texts), failed=tried.failed, error=True)
    if not candidates:
        return PreemptionResult(eligible=True, failed=tried.failed, message=_no_candidates(cluster, tried))
    if extenders is not None:
        try:
            candidates = extended(extenders, pod, cluster, candidates)
        except CallError as error:
            return PreemptionResult(eligible=True, message=str(error), failed=tried.failed, error=True)
        if not candidates:
            return PreemptionResult(
                eligible=True, failed=tried.failed, message=NONE_LEFT, keeps_nomination=True
            )
    left, lost = choose(cluster, candidates)
    left.sort(key=cluster.nodes.names.__getitem__)
    return PreemptionResult(
        eligible=True,
        candidates=candidates,
        failed=tried.failed,
        criteria=lost,
        chosen=tuple(left),
        nominated=left[0],
    )


def _not_eligible(
    framework: Framework,
    pod: PodRecord,
    cluster: ClusterState,
    codes: npt.NDArray[np.uint8],
    nominated: str,
) -> str | None:
    """Why no node is tried at all, or None (spec 01 §9.1 step 2)."""
    if pod.pod.preemption_policy == "Never":
        return NEVER
    row = cluster.row_of(nominated)
    if row is None or codes[row] == Code.UNRESOLVABLE:
        return None
    for other in cluster.usage.pods[row]:
        record = cluster.pods.records[other]
        own = effective_priority(cluster, record) if framework.takes_groups else record.priority
        if own < pod.priority and is_preempted(record):
            return TERMINATING
    return None


def is_preempted(record: PodRecord) -> bool:
    """Whether a pod is terminating because kube-scheduler evicted it."""
    if not record.pod.is_terminating:
        return False
    target = next((c for c in record.pod.status.conditions if c.type == "DisruptionTarget"), None)
    return target is not None and (target.status, target.reason) == ("True", "PreemptionByScheduler")


def _limited(candidates: Candidates, nodes: int, limits: CandidateLimits) -> Candidates:
    """Stop as the real one does: enough candidates, of which at least one breaks no budget."""
    wanted = min(max(nodes * limits.percentage // 100, limits.absolute), nodes)
    enough = np.cumsum(candidates.violations == 0) > 0
    enough[: max(wanted - 1, 0)] = False
    return candidates.first(int(np.argmax(enough)) + 1) if enough.any() else candidates


def _no_candidates(cluster: ClusterState, tried: DryRun) -> str:
    """The FitError inside the message: every node that was not tried is "not helpful"."""
    count = cluster.present.count
    reasons: dict[str, int] = {}
    distinct = {id(status): status for status in tried.failed.values()}
    for known, nodes in Counter(map(id, tried.failed.values())).items():
        for reason in distinct[known].reasons:
            reasons[reason] = reasons.get(reason, 0) + nodes
    if untried := count - len(tried.failed):
        reasons[NOT_HELPFUL] = reasons.get(NOT_HELPFUL, 0) + untried
    return fit_error(count, reasons)


def _aggregate(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
