"""Where a result first differs from the golden one, and which plugin is to blame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from kschedctl.conformance.emit import Result
from kschedctl.plugins.default_preemption import DefaultPreemption

View = Callable[[Result], Any]

PREEMPTION_PLUGIN: Final = DefaultPreemption.spec.name
_PREEMPTION_PREFIX: Final = "preemption: "
_OUTCOME_ONLY: Final = frozenset({"Invalid", "Error"})
"""Outcomes whose texts are not compared."""
_AFTER_PREEMPTION: Final = frozenset({"preemption", "event", "selected", "victims"})
"""Fields in which a wrong preemption shows."""

_DECISIONS: Final = frozenset({"Scheduled", "FailedScheduling", "Preempted", "Nominated"})
_NOT_OF_A_POD: Final = frozenset({"pod", "batch"})
_SETS: Final = frozenset({"reasons", "plugins"})


class Difference(Struct, frozen=True):
    """The first field in which a result is not the golden one.

    Attributes:
        field: its name; `missing` where there is no result, `pod` where it is that of another pod.
        want: the golden value, lists that are sets sorted.
        got: ours.
        plugin: the plugin whose answer differs, empty where none can be named.
        preemption_only: all that comes before preemption agrees.
    """

    field: str
    want: Any
    got: Any
    plugin: str = ""
    preemption_only: bool = False


def compare(want: Result, got: Result | None) -> Difference | None:
    """The first difference of a result from the golden one, None where they agree."""
    if got is None:
        return Difference("missing", want["pod"], None)
    if got.get("pod") != want["pod"]:
        return Difference("pod", want["pod"], got.get("pod"))
    for field, view in _FIELDS.items():
        expected, actual = view(want), view(got)
        if expected != actual:
            later = field in _AFTER_PREEMPTION and _same_filter_part(want, got)
            return Difference(field, expected, actual, _blame(field, want, got), preemption_only=later)
        if field == "outcome" and expected in _OUTCOME_ONLY:
            return None
    return None


def check_shape(golden: Result) -> None:
    """Look at every field of a golden result once.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: it does not have the shape of one.
    """
    for view in _FIELDS.values():
        view(golden)


OtherKey = tuple[str, str]
"""What an expectation beside the results is about: its kind, and a name within it."""


def other_expectations(expected: Mapping[str, Any]) -> dict[OtherKey, Any]:
    """What golden output holds beside its results: groups, calls of extenders, the events and end of each pod.

    Values are stripped of empty parts, and lists that are sets are sorted, so that equal ones compare equal.
    """
    found: dict[OtherKey, Any] = {}
    for group in expected.get("groups") or ():
        found["group", f"{group['group']} cycle {group['cycle']}"] = _stripped(group)
    if "order" in expected:
        found["order", "entities"] = expected["order"] or []
    if "extenderCalls" in expected:
        found["extenderCalls", "all"] = _stripped(expected["extenderCalls"] or [])
    if "timeline" in expected:
        found |= _timeline(expected["timeline"] or [])
        for pod, end in (expected.get("pods") or {}).items():
            found["end", pod] = _stripped(end)
    return found


def _timeline(events: Sequence[Mapping[str, Any]]) -> dict[OtherKey, Any]:
    found: dict[OtherKey, Any] = {}
    for event in events:
        told = {name: value for name, value in event.items() if name not in _NOT_OF_A_POD}
        found.setdefault(("events", event["pod"]), []).append(_stripped(told))
    found["order", "decisions"] = [
        (event["at"], event["event"], event["pod"], event.get("node", ""))
        for event in events
        if event["event"] in _DECISIONS
    ]
    return found


def _stripped(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: _stripped(sorted(part) if name in _SETS and part else part)
                for name, part in sorted(value.items())
                if part not in (None, "", [], {}, False) or name == "pods"
            }
        case list():
            return [_stripped(part) for part in value]
        case _:
            return value


def _status(status: Mapping[str, Any] | None) -> tuple[str, str, list[str]] | None:
    """A status with its reasons as a set; repeated ones stay."""
    if status is None:
        return None
    return status["code"], status.get("plugin") or "", sorted(status.get("reasons") or ())


def _statuses(by_node: Mapping[str, Any] | None) -> dict[str, tuple[str, str, list[str]] | None]:
    return {node: _status(status) for node, status in (by_node or {}).items()}


def _preemption(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not found:
        return None
    return {
        "eligible": found["eligible"],
        "message": found.get("message") or "",
        "candidates": {
            node: (list(victims["pods"]), victims["pdbViolations"])
            for node, victims in (found.get("candidates") or {}).items()
        },
        "failed": _statuses(found.get("failed")),
        "chosen": sorted(found.get("chosen") or ()),
        "nominated": found.get("nominated") or "",
    }


def _text(name: str) -> View:
    return lambda result: result.get(name) or ""


def _number(name: str) -> View:
    return lambda result: result.get(name) or 0


def _list(name: str) -> View:
    return lambda result: list(result.get(name) or ())


def _set(name: str) -> View:
    return lambda result: sorted(result.get(name) or ())


def _table(name: str) -> View:
    return lambda result: result.get(name) or {}


_FIELDS: Final[Mapping[str, View]] = {
    "outcome": lambda result: result["outcome"],
    "gated": _text("gated"),
    "preFilter": lambda result: _status(result.get("preFilter")),
    "feasible": _set("feasible"),
    "failed": lambda result: _statuses(result.get("failed")),
    "absent": lambda result: _status(result.get("absent")),
    "scores": _table("scores"),
    "totals": _table("totals"),
    "ties": _set("ties"),
    "preemption": lambda result: _preemption(result.get("preemption")),
    "event": _text("event"),
    "selected": _text("selected"),
    "victims": _list("victims"),
    "nominated": _text("nominated"),
    "evaluated": _number("evaluated"),
    "feasibleCount": _number("feasibleCount"),
}
"""What is compared, in the order in which a difference is blamed."""


def _same_filter_part(want: Result, got: Result) -> bool:
    """Whether two events say the same of the filters, up to where one of them ends or preemption begins."""
    parts = [(result.get("event") or "").split(_PREEMPTION_PREFIX)[0] for result in (want, got)]
    short, long = sorted(parts, key=len)
    return long.startswith(short)


def _blame(field: str, want: Result, got: Result) -> str:
    """The plugin that answered differently; for the outcome the one that decided on the nodes."""
    if field in ("preFilter", "absent"):
        return _plugin_of(want.get(field)) or _plugin_of(got.get(field))
    if field in ("outcome", "feasible", "failed"):
        return _blame_statuses(want, got)
    if field == "scores":
        return _blame_scores(want.get(field) or {}, got.get(field) or {})
    return PREEMPTION_PLUGIN if field in ("preemption", "victims") else ""


def _plugin_of(status: Mapping[str, Any] | None) -> str:
    return (status or {}).get("plugin") or ""


def _blame_statuses(want: Result, got: Result) -> str:
    """The plugin of the first node, by name, whose status differs."""
    if _status(want.get("preFilter")) != _status(got.get("preFilter")):
        return _blame("preFilter", want, got)
    expected, actual = want.get("failed") or {}, got.get("failed") or {}
    for node in sorted(expected.keys() | actual.keys()):
        if _status(expected.get(node)) != _status(actual.get(node)):
            return _plugin_of(expected.get(node)) or _plugin_of(actual.get(node))
    return ""


def _blame_scores(want: Mapping[str, Any], got: Mapping[str, Any]) -> str:
    for node in sorted(want.keys() & got.keys()):
        for plugin in sorted(want[node].keys() | got[node].keys()):
            if want[node].get(plugin) != got[node].get(plugin):
                return str(plugin)
    return ""
