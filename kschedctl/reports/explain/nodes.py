"""What a decision found on every node: rows become names, NumPy values become numbers.

Of thousands of nodes most are refused alike. What is equal is made once and shared between their reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from kschedctl.framework.scoring import ScorePhase
from kschedctl.framework.status import Detail, Status
from kschedctl.reports.explain.model import Failure, FailureDetail, NodeReport, NodeVerdict, PluginScore
from kschedctl.reports.model import rejection_code
from kschedctl.reports.sentences import listed
from kschedctl.scheduling.decision import Decision, Outcome

_NARROWS: Final = MappingProxyType(
    {
        "NodeAffinity": "the node affinity of the pod names only",
        "VolumeBinding": "the volumes of the pod can be reached only from",
        "DynamicResources": "the devices of the pod can be reached only from",
    }
)


def node_reports(decision: Decision) -> list[NodeReport]:
    """The report on every node in the order of rows; empty where nodes were not looked at."""
    if decision.outcome not in (Outcome.SCHEDULED, Outcome.UNSCHEDULABLE):
        return []
    names = decision.names
    scores = _scores(decision.scores)
    feasible = set() if decision.feasible is None else set(decision.feasible.tolist())
    examined = [False] * len(names)
    if decision.examined is not None:
        examined[: len(decision.examined)] = decision.examined.tolist()
    rejections = _Rejections(decision)
    found = []
    for row, name in enumerate(names):
        passes = row in feasible
        rejection = _NO_REJECTION if passes else rejections.of(row, examined=examined[row])
        by_plugin, total = scores.get(row, ({}, None))
        found.append(
            NodeReport(
                name=name,
                feasible=passes,
                examined=examined[row],
                status=rejection.status,
                all_failures=rejection.failures,
                scores=by_plugin,
                total=total,
            )
        )
    return found


class _Rejection(Struct, frozen=True):
    """What reports say of a node that is refused; nodes that are refused alike share one.

    Attributes:
        status: what kube-scheduler reports.
        failures: every plugin that refuses it.
    """

    status: NodeVerdict | None
    failures: list[Failure]


_NO_REJECTION = _Rejection(None, [])


class _Rejections:
    """The rejections of a decision by row."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self._keys: Sequence[bytes] = ()
        self._details: Mapping[str, Mapping[int, tuple[Detail, ...]]] = {}
        if decision.filters is not None and decision.phase is not None and decision.examined is not None:
            self._keys = decision.filters.alike()
            self._details = decision.filters.details_by_plugin(decision.examined, decision.phase.states)
        self._made: dict[tuple[object, ...], _Rejection] = {}
        self._unseen: _Rejection | None = None
        self._by_extenders: dict[Status, _Rejection] = {}

    def of(self, row: int, *, examined: bool) -> _Rejection:
        """The rejection of one row."""
        by_extender = self._decision.refusal_by_extender(row)
        if by_extender is not None:
            if by_extender not in self._by_extenders:
                status = self._decision.status_of(row)
                failures = [_failure(by_extender, ())]
                self._by_extenders[by_extender] = _Rejection(
                    None if status is None else _status(status), failures
                )
            return self._by_extenders[by_extender]
        if not examined:
            # All of these have the status that the decision has for the rest.
            self._unseen = self._unseen or self._not_examined(row)
            return self._unseen
        # Equal details are one object, so identity tells the nodes that are refused alike.
        key = (self._keys[row], *(id(by_row.get(row)) for by_row in self._details.values()))
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = self._examined(row)
        return known

    def _examined(self, row: int) -> _Rejection:
        status = self._decision.status_of(row)
        details = [detail for by_row in self._details.values() for detail in by_row.get(row, ())]
        if not any(row in by_row for by_row in self._details.values()):
            details = list(self._decision.details_of(row))  # refused because of nominated pods alone
        failures = [_failure(failure, details) for failure in self._decision.failures_of(row)]
        return _Rejection(None if status is None else _status(status), failures)

    def _not_examined(self, row: int) -> _Rejection:
        decision = self._decision
        status = decision.status_of(row)
        if decision.absent is not None:
            failures = [_left_out(decision, decision.absent)]
        else:
            failures = [_failure(failure, decision.details_of(row)) for failure in decision.failures_of(row)]
        return _Rejection(None if status is None else _status(status), failures)


def _status(status: Status) -> NodeVerdict:
    return NodeVerdict(plugin=status.plugin, code=rejection_code(status.code), reasons=list(status.reasons))


def _failure(failure: Status, details: Sequence[Detail]) -> Failure:
    return Failure(
        plugin=failure.plugin,
        code=rejection_code(failure.code),
        reasons=list(failure.reasons),
        details=[failure_detail(detail) for detail in details if detail.plugin == failure.plugin],
    )


def _left_out(decision: Decision, absent: Status) -> Failure:
    """A node that was not looked at, because PreFilter plugins leave only some others."""
    phase = decision.phase
    assert phase is not None
    row_of = decision.cluster.nodes.row_of
    left = [n if n in row_of else f"{n}, which is not in the cluster" for n in sorted(phase.nodes or ())]
    who = [_NARROWS.get(plugin, f"{plugin} leaves only") for plugin in sorted(phase.narrowed_by)]
    text = f"{' and '.join(who)} {listed(left)}"
    detail = FailureDetail(reason=absent.message, subject=text, text=text, needs=None, free=None, total=None)
    return Failure(
        plugin=absent.plugin,
        code=rejection_code(absent.code),
        reasons=list(absent.reasons),
        details=[detail],
    )


def failure_detail(detail: Detail) -> FailureDetail:
    """What a plugin says of a node, as reports have it."""
    return FailureDetail(
        reason=detail.reason,
        subject=detail.subject,
        text=detail.text,
        needs=detail.needs,
        free=detail.free,
        total=detail.total,
    )


def _scores(phase: ScorePhase | None) -> dict[int, tuple[dict[str, PluginScore], int]]:
    """Row -> scores by plugin, and the total."""
    if phase is None:
        return {}
    columns = [
        (c.plugin, c.weight, c.raw.tolist(), c.normalized.tolist(), c.weighted.tolist())
        for c in phase.columns
    ]
    totals = phase.totals.tolist()
    return {
        row: (
            {
                plugin: PluginScore(raw=raw[i], normalized=share[i], weight=weight, weighted=weighted[i])
                for plugin, weight, raw, share, weighted in columns
            },
            totals[i],
        )
        for i, row in enumerate(phase.feasible.tolist())
    }
