"""Why nodes are no candidates for preemption, grouped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from kschedctl.framework.status import Detail
from kschedctl.objects.units import amount_of
from kschedctl.reports.explain.model import FailureDetail
from kschedctl.reports.explain.reasons import amounts_text, natural_key, span_text
from kschedctl.reports.explain.refusals import failure_detail
from kschedctl.reports.model import rejection_code
from kschedctl.reports.preempt.model import NoCandidates
from kschedctl.whatif.judgement.preemption import Hindrance, Obstacle


class _Group(Struct):
    """Nodes with one reason."""

    first: Obstacle
    subject: str
    nodes: list[str] = field(default_factory=list)
    amounts: list[FailureDetail] = field(default_factory=list)
    lower: set[int] = field(default_factory=set)


def no_candidates(obstacles: Sequence[Obstacle], names: Sequence[str]) -> list[NoCandidates]:
    """The groups, most nodes first; a node with several reasons is in several."""
    groups: dict[tuple[Hindrance, str, str, bool], _Group] = {}
    for obstacle in obstacles:
        for subject, detail in _subjects(obstacle):
            amount = detail is not None and detail.needs is not None
            key = (obstacle.hindrance, obstacle.status.plugin, subject, amount)
            group = groups.setdefault(key, _Group(obstacle, subject))
            name = names[obstacle.row]
            if not group.nodes or group.nodes[-1] != name:
                group.nodes.append(name)
            if detail is not None and amount:
                group.amounts.append(failure_detail(detail))
            group.lower.add(obstacle.lower)
    return [
        NoCandidates(
            why=group.first.hindrance.value,
            plugin=group.first.status.plugin,
            code=rejection_code(group.first.status.code),
            text=_text(group),
            nodes=sorted(group.nodes, key=natural_key),
        )
        for group in sorted(groups.values(), key=lambda group: -len(group.nodes))
    ]


def _subjects(obstacle: Obstacle) -> Iterator[tuple[str, Detail | None]]:
    if obstacle.details:
        yield from ((detail.subject, detail) for detail in obstacle.details)
    else:
        yield from ((reason, None) for reason in obstacle.status.reasons)


def _text(group: _Group) -> str:
    match group.first.hindrance:
        case Hindrance.NO_VICTIMS:
            return "runs no pod of lower priority"
        case Hindrance.NOT_HELPFUL:
            return _amounts(group) if group.amounts else group.subject
        case Hindrance.STILL_UNFIT:
            return f"{_lacking(group)} even without {_lower(group)}"
        case Hindrance.UNFIT_BY_EVICTION:
            return f"{_lacking(group)} once {_lower(group)} {'is' if group.lower == {1} else 'are'} gone"


def _amounts(group: _Group) -> str:
    return amounts_text(group.subject, group.amounts, len(group.nodes))


def _lacking(group: _Group) -> str:
    if not group.amounts:
        return group.subject
    short = [(detail.needs or 0) - (detail.free or 0) for detail in group.amounts]
    return f"short of {amount_of(group.subject, span_text(group.subject, short))}"


def _lower(group: _Group) -> str:
    whose = "its" if len(group.nodes) == 1 else "their"
    if len(group.lower) > 1:
        return f"{whose} pods of lower priority"
    (count,) = group.lower
    if count == 1:
        return f"{whose} pod of lower priority" if whose == "its" else "their one pod of lower priority"
    return f"{whose} {count} pods of lower priority"
