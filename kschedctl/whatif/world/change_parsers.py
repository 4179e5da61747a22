"""From the text of a change to the change: one function for each form that is more than a name."""

from __future__ import annotations

import os
import re
from typing import Final

from kschedctl.errors import UsageError
from kschedctl.objects.names import label_key_problems, label_value_problems
from kschedctl.objects.node import Taint
from kschedctl.sources.document import load_documents
from kschedctl.sources.written_nodes import written_nodes
from kschedctl.whatif.world.change_context import ChangeContext
from kschedctl.whatif.world.changes import (
    AddNode,
    Change,
    Delete,
    FailDomain,
    LabelNodes,
    Prioritize,
    Scale,
    TaintNodes,
)
from kschedctl.workloads.limits import MOST_NODES, MOST_REPLICAS

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LIKE: Final = "like="
_INTEGER: Final = re.compile(r"-?\d{1,10}")
_HIGHEST_PRIORITY: Final = 2_000_001_000


class Malformed(ValueError):
    """A text is not of the form of its change; the message says which part is not."""


def fail_domain(text: str, context: ChangeContext) -> list[Change]:
    """`KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not equals or not value:
        raise Malformed(f"it names no value of the label {key}" if key else "it names no label")
    _check_label(key, value)
    return [FailDomain(key, value, context.fail_mode)]


def add_node(text: str, context: ChangeContext) -> list[Change]:
    """`FILE[=N]` or `like=NODE[=N]`, where a node may be named by its labels too."""
    if text.startswith(_LIKE):
        name, count = _counted(text.removeprefix(_LIKE))
        if not name:
            raise Malformed("it names no node")
        return [AddNode(count, like=name)]
    name, count = (text, 1) if os.path.exists(context.path(text)) else _counted(text)
    path = context.path(name)
    if path != "-" and not os.path.exists(path):
        raise Malformed(f"there is no file {path}; a copy of a node of the cluster is like={name}")
    nodes = written_nodes(path)
    if not nodes:
        raise Malformed(f"{path} holds no Node")
    return [AddNode(count, template=node) for node in nodes]


def _counted(text: str) -> tuple[str, int]:
    """`NAME=3` -> NAME, 3; `NAME` -> NAME, 1."""
    name, equals, number = text.rpartition("=")
    return (name, _number(number, MOST_NODES)) if equals and number.isdecimal() else (text, 1)


def _number(text: str, most: int) -> int:
    if len(text) > len(str(most)) or int(text) > most:
        raise Malformed(f"{text} is more than {most:,}")
    return int(text)


def scale(text: str, context: ChangeContext) -> list[Change]:
    """`KIND/NAME=N`."""
    workload, equals, number = text.rpartition("=")
    if not equals:
        raise Malformed("it says no number of replicas")
    if not number.isdecimal():
        raise Malformed(f"{number!r} is no number of replicas")
    return [Scale(context.reference(_reference(workload)), _number(number, MOST_REPLICAS))]


def priority(text: str, context: ChangeContext) -> list[Change]:
    """`KIND/NAME=CLASS`, or a number."""
    reference, equals, wanted = text.rpartition("=")
    if not equals or not wanted:
        raise Malformed("it names no priority class")
    value = int(wanted) if _INTEGER.fullmatch(wanted) else wanted
    if isinstance(value, int) and abs(value) > _HIGHEST_PRIORITY:
        raise Malformed(f"{value} is beyond the priorities that a class may have")
    return [Prioritize(context.reference(_reference(reference)), value)]


def delete(text: str, context: ChangeContext) -> list[Change]:
    """`KIND/NAME`."""
    return [Delete(context.reference(_reference(text)))]


def taint(text: str, context: ChangeContext) -> list[Change]:
    """`NODE KEY[=VALUE]:EFFECT`, with `-` at the end to remove one; then the effect may be left out."""
    nodes, written = _nodes_and(text, "taint")
    remove = written.endswith("-")
    pair, colon, effect = written.removesuffix("-").rpartition(":")
    if not colon and remove:
        pair, effect = effect, ""
    elif not colon:
        raise Malformed(f"the taint {written!r} has no effect")
    if effect not in (*_EFFECTS, "") or (not effect and not remove):
        raise Malformed(f"{effect!r} is no effect; those are {', '.join(_EFFECTS)}")
    key, _, value = pair.partition("=")
    _check_label(key, value)
    return [TaintNodes(nodes, Taint(key=key, value=value, effect=effect), remove)]


def label(text: str, context: ChangeContext) -> list[Change]:
    """`NODE KEY=VALUE`, or `NODE KEY-` to remove one."""
    nodes, written = _nodes_and(text, "label")
    key, equals, value = written.partition("=")
    if not equals and not written.endswith("-"):
        raise Malformed(f"the label {written!r} has no value, nor a - to remove it")
    if not equals:
        key = key.removesuffix("-")
    _check_label(key, value)
    return [LabelNodes(nodes, key, value if equals else None)]


def patch(text: str, context: ChangeContext) -> list[Change]:
    """A file with one patch a document."""
    if text.startswith(("{", "[")):
        raise Malformed("patches are read from a file, or - for stdin")
    changes: list[Change] = []
    for document in load_documents(context.path(text)):
        try:
            changes.append(context.patch(document.data if isinstance(document.data, dict) else {}))
        except UsageError as error:
            raise UsageError(f"{document.place()}: {error.message}") from error
    return changes


def _nodes_and(text: str, what: str) -> tuple[str, str]:
    """The nodes, which may be a selector with spaces, and the word after them."""
    nodes, _, word = text.rpartition(" ")
    if not nodes.strip():
        raise Malformed(f"nodes and a {what} are wanted, with a space between them")
    return nodes.strip(), word


def _reference(text: str) -> str:
    """`KIND/NAME`, with a namespace in front perhaps."""
    parts = text.split("/")
    if len(parts) == 1 and text:
        raise Malformed(f"{text!r} has no kind")
    if len(parts) > 3 or not all(parts):
        raise Malformed(f"{text!r} is no KIND/NAME, nor NAMESPACE/KIND/NAME")
    return text


def _check_label(key: str, value: str) -> None:
    if problems := label_key_problems(key):
        raise Malformed(f"{key!r} is no key of a label: {problems[0]}")
    if problems := label_value_problems(value):
        raise Malformed(f"{value!r} is no value of a label: {problems[0]}")
