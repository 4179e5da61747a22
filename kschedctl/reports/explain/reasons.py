"""Reasons grouped over nodes: from a rejection per node to `cpu: needs 4, free 1.2 to 3.1` and its nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct, field

from kschedctl.objects.units import amount_text, amount_texts
from kschedctl.reports.explain.model import Failure, FailureDetail, NodeReport, ReasonGroup

_DIGITS: Final = re.compile(r"([0-9]+)")
_CORDONED: Final = "cordoned"
_TAINT_OF_CORDONED: Final = "taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated"


class _Group(Struct):
    plugin: str
    subject: str
    nodes: list[str] = field(default_factory=list)
    details: list[FailureDetail] = field(default_factory=list)


def group_reasons(nodes: Iterable[NodeReport]) -> list[ReasonGroup]:
    """All failures of all nodes, the reason with most nodes first, equal ones in order of appearance.

    The taint that comes with a cordon is not told beside the cordon.
    """
    return reason_groups(refused_alike(nodes))


def reason_groups(refused: Iterable[tuple[list[Failure], list[str]]]) -> list[ReasonGroup]:
    """The same of different failures, each with the names of the nodes that share them."""
    groups: dict[tuple[str, str], _Group] = {}
    for failures, names in refused:
        found = [(f.plugin, subject, detail) for f in failures for subject, detail in _subjects(f)]
        cordoned = any(subject == _CORDONED for _, subject, _ in found)
        entered = set()
        for plugin, subject, detail in found:
            if cordoned and subject == _TAINT_OF_CORDONED:
                continue
            group = groups.setdefault((plugin, subject), _Group(plugin, subject))
            if (plugin, subject) not in entered:
                entered.add((plugin, subject))
                group.nodes += names
            if detail is not None:
                group.details.append(detail)
    ordered = sorted(groups.values(), key=lambda group: -len(group.nodes))
    return [
        ReasonGroup(plugin=g.plugin, text=_text(g), nodes=sorted(g.nodes, key=natural_key)) for g in ordered
    ]


def is_taint_of_cordon(detail: FailureDetail, failures: Iterable[Failure]) -> bool:
    """Whether a detail is about the taint of a cordon, on a node that is said to be cordoned."""
    return detail.subject == _TAINT_OF_CORDONED and any(
        other.subject == _CORDONED for failure in failures for other in failure.details
    )


def obstacles(failures: Iterable[Failure]) -> int:
    """How many plugins refuse a node, one that sees nothing but the taint of a cordon left out."""
    listed = list(failures)
    return sum(
        not failure.details or any(not is_taint_of_cordon(detail, listed) for detail in failure.details)
        for failure in listed
    )


def refused_alike(nodes: Iterable[NodeReport]) -> Iterable[tuple[list[Failure], list[str]]]:
    """The different failures, in order of appearance, and the names of the nodes that share each."""
    found: dict[int, tuple[list[Failure], list[str]]] = {}
    for node in nodes:
        found.setdefault(id(node.all_failures), (node.all_failures, []))[1].append(node.name)
    return found.values()


@lru_cache(maxsize=2**16)
def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Sorts names as people count: `n2` before `n10`, however long the numbers are."""
    parts = _DIGITS.split(name)
    for at in range(1, len(parts), 2):
        parts[at] = parts[at].lstrip("0")
    return tuple((len(part) if at % 2 else -1, part) for at, part in enumerate(parts))


def _subjects(failure: Failure) -> list[tuple[str, FailureDetail | None]]:
    """What a failure is about; its reasons where the plugin has no details."""
    if failure.details:
        return [(detail.subject, detail) for detail in failure.details]
    return [(reason, None) for reason in failure.reasons]


def _text(group: _Group) -> str:
    """The range of the amounts; the words of the nodes where all say the same; else what they have in common."""
    amounts = [detail for detail in group.details if detail.needs is not None]
    if amounts:
        return amounts_text(group.subject, amounts, len(group.nodes))
    texts = {detail.text for detail in group.details}
    return texts.pop() if len(texts) == 1 else group.subject


def amounts_text(subject: str, details: Sequence[FailureDetail], nodes: int) -> str:
    """What is needed and what there is, over one or more nodes: `cpu: needs 4, free 1.2 to 3.1`."""
    needs = max(d.needs or 0 for d in details)
    totals = [d.total for d in details if d.total is not None]
    if totals and max(totals) < needs:
        have = "the node has" if nodes == 1 else "these nodes have"
        wanted, span = _against(subject, needs, totals)
        return f"{subject}: needs {wanted}, {have} {f'{span} in all' if max(totals) else 'none'}"
    free = [
        max(d.free or 0, 0) for d in details
    ]  # pods may ask for more than there is, as on a node that has shrunk
    wanted, span = _against(subject, needs, free)
    if max(free) > 0:
        return f"{subject}: needs {wanted}, free {span}"
    if totals and min(totals) > 0:
        return f"{subject}: needs {wanted}, none of {span_text(subject, totals)} free"
    return f"{subject}: needs {wanted}, none free"


def _against(subject: str, needs: int, amounts: Sequence[int]) -> tuple[str, str]:
    """A need and the range of what there is, in units that tell the need from the ends of the range."""
    low, high = min(amounts), max(amounts)
    wanted, most = amount_texts(subject, (needs, high))
    if amount_text(subject, low) != most:
        wanted, least, most = amount_texts(subject, (needs, low, high))
        return wanted, least if low == high else f"{least} to {most}"
    return wanted, most


def span_text(subject: str, amounts: Sequence[int]) -> str:
    """The range of amounts, as one where rounding makes its ends equal: `1.2 to 3.1`."""
    low, high = (amount_text(subject, amount) for amount in (min(amounts), max(amounts)))
    return low if low == high else f"{low} to {high}"
