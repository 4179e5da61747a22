"""Nodes that are refused alike: what there is to say of them, and which they are.

Of thousands of nodes most are refused alike. What is equal is made once and shared between their reports.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from msgspec import Struct

from kschedctl.framework.status import Detail, Status
from kschedctl.reports.explain.model import Failure, FailureDetail, NodeVerdict
from kschedctl.reports.model import rejection_code
from kschedctl.reports.sentences import listed
from kschedctl.scheduling.decision import Decision, Outcome

_Details = Mapping[str, Mapping[int, tuple[Detail, ...]]]
"""By plugin and row; equal details are one object."""


class Refusal(Struct, frozen=True):
    """What is said of some nodes.

    Attributes:
        status: what kube-scheduler reports.
        failures: every plugin that refuses them.
        rows: which nodes, ascending.
    """

    status: NodeVerdict | None
    failures: list[Failure]
    rows: list[int]


def refusals_of(decision: Decision) -> list[Refusal]:
    """The nodes that are not feasible, in order of the first of each kind; empty where nodes were not looked at."""
    if decision.outcome not in (Outcome.SCHEDULED, Outcome.UNSCHEDULABLE):
        return []
    feasible = set() if decision.feasible is None else set(decision.feasible.tolist())
    details: _Details = {}
    if decision.filters is not None and decision.phase is not None and decision.examined is not None:
        details = decision.filters.details_by_plugin(decision.examined, decision.phase.states)
    kinds, alike = _kinds(decision, details), dict[Hashable, list[int]]()
    for row, kind in enumerate(kinds):
        if row not in feasible:
            by_extender = decision.refusal_by_extender(row)
            alike.setdefault(by_extender or kind, []).append(row)
    return [Refusal(*_told(decision, details, rows[0]), rows) for rows in alike.values()]


def examined_rows(decision: Decision) -> list[bool]:
    """Which nodes have a verdict of their own, by row."""
    found = [False] * len(decision.names)
    if decision.examined is not None:
        found[: len(decision.examined)] = decision.examined.tolist()
    return found


def _kinds(decision: Decision, details: _Details) -> list[Hashable]:
    """A value for each row: filters say the same of nodes with equal ones; None: they were not asked."""
    columns: list[Sequence[Hashable]] = []
    if details:
        assert decision.filters is not None
        columns.append(decision.filters.alike())
    for by_row in details.values():
        own = [0] * len(columns[0])
        for row, found in by_row.items():
            own[row] = id(found)
        columns.append(own)
    said: list[Hashable] = list(zip(*columns, strict=True))
    return [
        (said[row] if said else ()) if examined else None
        for row, examined in enumerate(examined_rows(decision))
    ]


def _told(decision: Decision, details: _Details, row: int) -> tuple[NodeVerdict | None, list[Failure]]:
    """What is said of one row."""
    status = decision.status_of(row)
    by_extender = decision.refusal_by_extender(row)
    if by_extender is not None:
        failures = [_failure(by_extender, ())]
    elif decision.examined is None or not decision.examined[row]:
        failures = _of_unseen(decision, row)
    else:
        own = [detail for by_row in details.values() for detail in by_row.get(row, ())]
        if not any(row in by_row for by_row in details.values()):
            own = list(decision.details_of(row))  # refused because of nominated pods alone
        failures = [_failure(failure, own) for failure in decision.failures_of(row)]
    return None if status is None else _verdict(status), failures


def _of_unseen(decision: Decision, row: int) -> list[Failure]:
    """Why a node was not looked at: all of these have the status that the decision has for the rest."""
    if decision.absent is not None:
        return [_left_out(decision, decision.absent)]
    return [_failure(failure, decision.details_of(row)) for failure in decision.failures_of(row)]


def _verdict(status: Status) -> NodeVerdict:
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
    who = [_narrows_to(decision, plugin) for plugin in sorted(phase.narrowed_by)]
    text = f"{' and '.join(who)} {listed(left)}"
    detail = FailureDetail(reason=absent.message, subject=text, text=text, needs=None, free=None, total=None)
    return Failure(
        plugin=absent.plugin,
        code=rejection_code(absent.code),
        reasons=list(absent.reasons),
        details=[detail],
    )


def _narrows_to(decision: Decision, plugin: str) -> str:
    assert decision.framework is not None
    return decision.framework.plugin(plugin).spec.narrows_to or f"{plugin} leaves only"


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
