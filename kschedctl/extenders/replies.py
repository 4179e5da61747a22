"""What extenders answer, decoded (spec 01 §11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from kschedctl.extenders.call import CallError
from kschedctl.extenders.go_json import field, first_value, typed
from kschedctl.objects.node import Node


class FilterReply(Struct, frozen=True):
    """The answer to `filter`.

    Attributes:
        nodes: the nodes that are left, as objects; None where the reply has none.
        node_names: the same by name.
        failed: node -> why it is not among them, though evicting pods may help.
        unresolvable: node -> why it is not, whatever is evicted.
    """

    nodes: tuple[Node, ...] | None
    node_names: tuple[str, ...] | None
    failed: Mapping[str, str]
    unresolvable: Mapping[str, str]


class MetaVictims(Struct, frozen=True):
    """The victims on a node by uid, and how many budgets they break."""

    uids: tuple[str, ...]
    violations: int


def filter_reply(body: bytes) -> FilterReply:
    """Decode the answer to `filter`.

    Raises:
        CallError: it is none, or it tells of an error.
    """
    owner = "ExtenderFilterResult"
    value = typed(first_value(body), dict, f"v1.{owner}") or {}
    listed = field(value, "Nodes", dict, owner, "v1.NodeList")
    names = field(value, "NodeNames", list, owner, "[]string")
    failed = _texts(value, "FailedNodes", owner)
    unresolvable = _texts(value, "FailedAndUnresolvableNodes", owner)
    nodes = None if listed is None else _nodes(field(listed, "items", list, "NodeList", "[]v1.Node") or ())
    if error := field(value, "Error", str, owner, "string"):
        raise CallError(error)
    if names is not None:
        names = tuple(typed(name, str, "string") or "" for name in names)
    return FilterReply(nodes, names, failed, unresolvable)


def priorities(body: bytes) -> list[tuple[str, int]]:
    """Decode the answer to `prioritize`: host and score, in order.

    Raises:
        CallError: it is none.
    """
    found = []
    for entry in typed(first_value(body), list, "v1.HostPriorityList") or ():
        entry = typed(entry, dict, "v1.HostPriority") or {}
        host = field(entry, "Host", str, "HostPriority", "string") or ""
        found.append((host, field(entry, "Score", int, "HostPriority", "int64") or 0))
    return found


def preemption_reply(body: bytes) -> dict[str, MetaVictims]:
    """Decode the answer to `preempt`: node -> victims.

    Raises:
        CallError: it is none.
    """
    owner = "ExtenderPreemptionResult"
    value = typed(first_value(body), dict, f"v1.{owner}") or {}
    victims = field(value, "NodeNameToMetaVictims", dict, owner, "map[string]*v1.MetaVictims") or {}
    return {node: _victims(part) for node, part in victims.items()}


def _victims(value: Any) -> MetaVictims:
    value = typed(value, dict, "v1.MetaVictims") or {}
    pods = field(value, "Pods", list, "MetaVictims", "[]*v1.MetaPod") or ()
    entries = [typed(pod, dict, "v1.MetaPod") or {} for pod in pods]
    uids = tuple(field(pod, "UID", str, "MetaPod", "string") or "" for pod in entries)
    return MetaVictims(uids, field(value, "NumPDBViolations", int, "MetaVictims", "int64") or 0)


def _texts(value: Mapping[str, Any], name: str, owner: str) -> dict[str, str]:
    found = field(value, name, dict, owner, "map[string]string") or {}
    return {node: typed(text, str, "string") or "" for node, text in found.items()}


def _nodes(items: Any) -> tuple[Node, ...]:
    try:
        return tuple(msgspec.convert(_without_nulls(item), Node) for item in items)
    except msgspec.ValidationError as error:
        raise CallError(f"json: cannot unmarshal a node of the reply: {error}") from None


def _without_nulls(value: Any) -> Any:
    match value:
        case dict():
            return {key: _without_nulls(part) for key, part in value.items() if part is not None}
        case list():
            return [_without_nulls(part) for part in value]
        case _:
            return value
