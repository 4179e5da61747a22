"""Changes as people write them, on the command line and in scenario files: `drain n4`, `scale Deployment/web=10`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from kschedctl.errors import UsageError
from kschedctl.objects.node import Node, Taint
from kschedctl.sources.document import load_documents
from kschedctl.sources.load import load

from .changes import (
    AddNode,
    Change,
    Cordon,
    Delete,
    Drain,
    FailDomain,
    FailMode,
    LabelNodes,
    Patch,
    RemoveNode,
    Scale,
    TaintNodes,
)
from .targets import DEFAULT_NAMESPACE
from .world import Rollout

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LIKE: Final = "like="


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """What decides how texts are read.

    Attributes:
        directory: to which the paths of files relate, None for the working directory.
        fail_mode: what becomes of failed nodes.
        rollout: what happens to running pods of patched workloads.
        namespace: of workloads and other objects that are named without one.
    """

    directory: Path | None = None
    fail_mode: FailMode = FailMode.GONE
    rollout: Rollout = Rollout.RECREATE
    namespace: str | None = None

    def reference(self, text: str) -> str:
        """`KIND/NAME` with the namespace in front, if there is one."""
        return f"{self.namespace}/{text}" if self.namespace and text.count("/") == 1 else text

    def patch(self, data: Mapping[str, Any]) -> Patch:
        """The patch that some data is."""
        return Patch(dict(data), self.rollout, self.namespace or DEFAULT_NAMESPACE)

    def path(self, text: str) -> str:
        """A path as it is to be opened."""
        if self.directory is None or text == "-":
            return text
        return os.path.normpath(self.directory / text)


def parse_change(kind: str, text: str, context: ChangeContext) -> list[Change]:
    """The changes that one text stands for.

    Args:
        kind: a key of `CHANGES`.
        text: what it is about.
        context: how to read it.

    Raises:
        UsageError: the text has another form.
        InputError: a file that it names cannot be used.
    """
    if not text.strip():
        raise UsageError(f"--{kind} needs a value", hint=f"Write --{kind} {CHANGES[kind].form}.")
    return CHANGES[kind].parse(text.strip(), context)


def told_change(kind: str, text: str, context: ChangeContext) -> str:
    """A change as a person would say it."""
    unreachable = kind == "fail-domain" and context.fail_mode is FailMode.UNREACHABLE
    return f"{kind} {text} (unreachable)" if unreachable else f"{kind} {text}"


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """A kind of change.

    Attributes:
        form: how it is written.
        help: what it does.
        parse: from text to changes.
    """

    form: str
    help: str
    parse: Callable[[str, ChangeContext], list[Change]]


def _fail_domain(text: str, context: ChangeContext) -> list[Change]:
    key, equals, value = text.partition("=")
    if not key or not equals or not value:
        raise _malformed("fail-domain", text)
    return [FailDomain(key, value, context.fail_mode)]


def _add_node(text: str, context: ChangeContext) -> list[Change]:
    name, count = _counted(text.removeprefix(_LIKE))
    if text.startswith(_LIKE):
        return [AddNode(count, like=name)]
    path = context.path(name)
    nodes = [obj for obj in load([path]).objects if isinstance(obj, Node)]
    if not nodes:
        raise UsageError(
            f"{path} holds no Node", hint="Name a file with a Node, or like=NODE of the cluster."
        )
    return [AddNode(count, template=node) for node in nodes]


def _counted(text: str) -> tuple[str, int]:
    """`NAME=3` -> NAME, 3; `NAME` -> NAME, 1."""
    name, equals, number = text.rpartition("=")
    if equals and number.isdecimal():
        return name, int(number)
    return text, 1


def _scale(text: str, context: ChangeContext) -> list[Change]:
    workload, equals, number = text.rpartition("=")
    if not equals or not number.isdecimal():
        raise _malformed("scale", text)
    return [Scale(context.reference(workload), int(number))]


def _taint(text: str, context: ChangeContext) -> list[Change]:
    nodes, _, taint = text.rpartition(" ")
    remove = taint.endswith("-")
    pair, colon, effect = taint.removesuffix("-").rpartition(":")
    if not colon and remove:
        pair, effect = effect, ""
    key, _, value = pair.partition("=")
    if not nodes.strip() or not key or ((effect or not remove) and effect not in _EFFECTS):
        raise _malformed("taint", text)
    return [TaintNodes(nodes.strip(), Taint(key=key, value=value, effect=effect), remove)]


def _label(text: str, context: ChangeContext) -> list[Change]:
    nodes, _, label = text.rpartition(" ")
    key, equals, value = label.partition("=")
    if not nodes.strip() or (not equals and not label.endswith("-")):
        raise _malformed("label", text)
    return [LabelNodes(nodes.strip(), key if equals else label.removesuffix("-"), value if equals else None)]


def _patch(text: str, context: ChangeContext) -> list[Change]:
    changes: list[Change] = []
    for document in load_documents(context.path(text)):
        if not isinstance(document.data, dict):
            raise UsageError(f"{document.place()}: a patch is an object with kind and metadata.name")
        changes.append(context.patch(document.data))
    return changes


def _malformed(kind: str, text: str) -> UsageError:
    return UsageError(f"--{kind} {text!r} is not of the right form", hint=f"Write {CHANGES[kind].form}.")


CHANGES: Final[Mapping[str, ChangeKind]] = MappingProxyType(
    {
        "drain": ChangeKind(
            "NODE|SELECTOR",
            "Cordon nodes and evict their pods, all at once.",
            lambda text, context: [Drain(text)],
        ),
        "remove-node": ChangeKind(
            "NODE|SELECTOR",
            "Take nodes away with all that runs on them.",
            lambda text, context: [RemoveNode(text)],
        ),
        "cordon": ChangeKind(
            "NODE|SELECTOR", "Nodes take no new pods.", lambda text, context: [Cordon(text)]
        ),
        "uncordon": ChangeKind(
            "NODE|SELECTOR",
            "Nodes take new pods again.",
            lambda text, context: [Cordon(text, cordoned=False)],
        ),
        "fail-domain": ChangeKind(
            "KEY=VALUE", "All nodes with this label fail (see --fail-mode).", _fail_domain
        ),
        "add-node": ChangeKind("FILE[=N]|like=NODE[=N]", "Add nodes.", _add_node),
        "scale": ChangeKind("KIND/NAME=N", "Give a workload another number of replicas.", _scale),
        "delete": ChangeKind(
            "KIND/NAME",
            "Delete an object, a workload with its pods.",
            lambda text, context: [Delete(context.reference(text))],
        ),
        "taint": ChangeKind(
            "'NODE|SELECTOR KEY[=VALUE]:EFFECT[-]'", "Taint nodes; - at the end removes.", _taint
        ),
        "label": ChangeKind("'NODE|SELECTOR KEY=VALUE|KEY-'", "Label nodes.", _label),
        "patch": ChangeKind("FILE", "Apply JSON merge patches to objects, by kind and name.", _patch),
    }
)
"""Kind of change -> how it is written; the names are those of the options."""
