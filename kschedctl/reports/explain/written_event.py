"""Our answer beside what the real scheduler wrote about the same pod: same or different, and how.

kube-scheduler writes its message to the condition PodScheduled of the pod, and cut to 1,024 bytes to an event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from kschedctl.objects.pod import Pod
from kschedctl.reports.explain.events import NOTE_LIMIT
from kschedctl.reports.explain.model import EventComparison, ReasonDifference

_HEAD: Final = re.compile(r"0/(?P<nodes>[0-9]{1,9}) nodes are available: ?")
_PREEMPTION: Final = " preemption: "
_COUNTED: Final = re.compile(r"(?P<count>[0-9]{1,9}) (?P<reason>.+)", re.DOTALL)
_BETWEEN: Final = re.compile(r", (?=\d+ )")
_CUT: Final = " ..."


class _Message(Struct, frozen=True):
    """A FailedScheduling message in its parts."""

    nodes: int
    reasons: Mapping[str, int]
    preemption: str


def written_by_scheduler(pod: Pod) -> str | None:
    """What kube-scheduler wrote last about a pending pod, None where it has not."""
    condition = next((c for c in pod.status.conditions if c.type == "PodScheduled"), None)
    if condition is None or condition.status != "False" or condition.reason != "Unschedulable":
        return None
    return condition.message or None


def compare_with_written(written: str, ours: str, others: Sequence[str] = ()) -> EventComparison:
    """Compare what kube-scheduler wrote with what it would write by our answer.

    Args:
        written: from the pod's condition or an event, in which it may be cut.
        ours: the whole message; "" where the pod finds a node.
        others: equal pods about which it wrote something else.
    """
    before, now = _parse(written), _parse(ours)
    return EventComparison(
        written=written,
        ours=ours,
        same=_same(written, ours),
        nodes=_nodes(before, now),
        reasons=_reasons(before, now),
        preemption_differs=before.preemption != now.preemption,
        others=list(others),
    )


def _same(written: str, ours: str) -> bool:
    if len(written.encode()) >= NOTE_LIMIT and written.endswith(_CUT):
        return ours.startswith(written.removesuffix(_CUT))
    return written == ours


def _parse(text: str) -> _Message:
    head = _HEAD.match(text)
    if head is None:
        return _Message(0, {text: 1} if text else {}, "")
    filters, _, preemption = text[head.end() :].partition(_PREEMPTION)
    if filters.endswith(","):  # other PostFilter plugins speak before preemption does
        filters = filters.rpartition(". ")[0]
    reasons = {}
    for part in _BETWEEN.split(filters.strip().removesuffix(".")):
        counted = _COUNTED.fullmatch(part)
        if counted:
            reasons[counted["reason"]] = int(counted["count"])
    return _Message(int(head["nodes"]), reasons, preemption)


def _nodes(before: _Message, now: _Message) -> ReasonDifference | None:
    if before.nodes == now.nodes:
        return None
    return ReasonDifference(reason="nodes", written=before.nodes, ours=now.nodes)


def _reasons(before: _Message, now: _Message) -> list[ReasonDifference]:
    return [
        ReasonDifference(
            reason=reason, written=before.reasons.get(reason, 0), ours=now.reasons.get(reason, 0)
        )
        for reason in sorted({*before.reasons, *now.reasons})
        if before.reasons.get(reason, 0) != now.reasons.get(reason, 0)
    ]
